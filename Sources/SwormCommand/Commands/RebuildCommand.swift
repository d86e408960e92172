import Foundation
import OpenCoreData
import SwormStore

/// `sworm-tool rebuild`: creates a store from everything that can be read of a damaged one.
enum RebuildCommand {
    static let command = Command(
        CommandSpec(
            "rebuild", summary: "Creates a new store from all readable rows of a damaged store.",
            discussion: [
                "If the tree of a table is damaged, its pages are read one by one. Deleted objects are not restored. Links "
                    + "are kept if both objects exist. The history is not copied, and neither is the state of a mirroring to "
                    + "CloudKit: an app that mirrors the new store uploads all objects as new ones.",
                "The damaged store is not modified. Losses are listed, and set the exit code to 1.",
            ],
            operands: [
                OperandSpec("STORE", summary: "The file of the damaged store."),
                OperandSpec("TO", summary: "The file of the new store."),
            ],
            options: [
                OptionSpec(
                    "model", value: "PATH",
                    summary:
                        "The model of the store, if its own copy cannot be read: an .xcdatamodeld, .xcdatamodel, .momd or .mom."
                ), OptionSpec("force", summary: "Replaces an existing store."),
            ],
            examples: ["sworm-tool rebuild Damaged.sqlite New.sqlite --model Library.xcdatamodeld"])
    ) { arguments, console in
        let source = try FilePath.store(arguments.operands[0])
        let place = try NewStoreLocation(arguments.operands[1], replaces: arguments.has("force"), keeping: source)
        let store = try DamagedStore(try SourceCopy.make(of: source, in: place.makeFolder()))
        let metadata = store.metadata() ?? [:]
        let description = try model(of: store, metadata: metadata, arguments)
        let model = try description.compiled()
        let tables = try RebuiltTables(model, columns: store.columns)
        let unknown = store.assignLeaves(to: tables.tables.map(\.old), fits: tables.fits)

        var options = StoreOptions()
        options.modelCache = try description.storeCache()
        let empty = try SQLiteStore.open(url: place.url, model: model, options: options)
        let own = metadata.filter { !StoreMetadata.frameworkKeys.contains($0.key) }
        if !own.isEmpty { try? empty.setMetadata(own) }
        empty.close()

        var report = RebuildReport(console)
        if store.columns.keys.contains(where: MirroringTables.contains) {
            console.warn("the store is mirrored to CloudKit, and the new store is not: its records are not copied")
        }
        if !store.hasWholeSchema {
            report.lose("a part of the schema: tables that it does not name are identified by their rows")
        }
        for page in unknown { report.lose("the rows of page \(page), which may belong to several tables") }
        if !store.uses.knowsFreePages, !store.file.hasMaps {
            console.warn("the list of free pages cannot be read: the new store may contain deleted objects")
        }
        try fill(place.url, of: model, from: store, tables: tables, report: &report)
        try copyExternalData(from: source, to: place.url, &report)
        for finding in try StoreVerification.findings(of: place.url, model: model) {
            console.warn("the new store: \(finding.message)")
        }
        try place.finish()
        return report.end()
    }

    private static func model(
        of store: DamagedStore, metadata: [String: Any], _ arguments: Arguments
    ) throws -> NSManagedObjectModel {
        guard let option = arguments.url("model") else {
            if let model = store.cachedModel() { return model }
            throw ToolError(
                .modelNeeded, "the copy of the model in '\(arguments.operands[0])' is missing or cannot be read",
                hint: "name the model: --model PATH")
        }
        if let hashes = metadata[StoreMetadata.Key.versionHashes] as? [String: Data], !hashes.isEmpty {
            return try StoreModelChoice.model(hashes: hashes, of: "'\(arguments.operands[0])'", option: option).model
        }
        return try StoreModelChoice.model(at: option).model
    }

    private static func fill(
        _ url: URL, of model: CompiledModel, from store: DamagedStore, tables: RebuiltTables,
        report: inout RebuildReport
    ) throws {
        let new = try RebuiltStore(url, model: model)
        try new.filling {
            for table in tables.tables {
                reportTree(of: table, in: store, to: &report)
                var seen: Set<Int64> = []
                for page in store.leaves(of: table.old) {
                    let leaf = store.rows(on: page, seen: &seen) { tables.fits($0, in: table.old) }
                    let left = try new.insert(leaf.rows, into: table)
                    let name = table.root?.name ?? table.old
                    for key in leaf.cut { report.lose("\(name)/p\(key): it continues on a page that cannot be read") }
                    if leaf.odd > 0 {
                        report.lose("\(name): \(leaf.odd) rows on page \(page) that do not belong to it")
                    }
                    if leaf.repeated > 0, leaf.rows.isEmpty, store.isInTree(page, of: table.old) {
                        report.lose("\(name): page \(page) has the rows of another page; its own rows are lost")
                    }
                    for key in left {
                        report.lose("\(name)/p\(key): another row has the same key, or the same unique values")
                    }
                    if table.root != nil { report.count += leaf.rows.count - left.count }
                }
            }
            for (relationship, count) in try new.clearLinks() {
                report.lose("\(relationship): \(count) link\(count == 1 ? "" : "s") to objects that are lost")
            }
            try new.settle()
        }
    }

    private static func reportTree(
        of table: RebuiltTables.Table, in store: DamagedStore, to report: inout RebuildReport
    ) {
        let name = table.root?.name ?? table.old
        if !store.hasTable(table.old) {
            report.lose(
                "\(name): the schema has no table '\(table.old)'; its rows are those that fit no other table, with the columns of a new table"
            )
        }
        for page in store.brokenPages(of: table.old) {
            report.lose("\(name): page \(page) cannot be read; its rows are lost, if it had any")
        }
        for page in store.turningPages(of: table.old) {
            report.lose(
                "\(name): page \(page) refers back to pages of the table; rows on the pages that it referred to may be lost"
            )
        }
        for page in store.foreign[table.old] ?? [] {
            report.lose("\(name): page \(page) has the rows of another table; its own rows are lost, if it had any")
        }
    }

    private static func copyExternalData(from old: URL, to new: URL, _ report: inout RebuildReport) throws {
        let names = try ExternalReferences.all(in: new)
        let (source, target) = (StoreFiles(url: old).externalData, StoreFiles(url: new).externalData)
        let missing = ExternalReferences.missing(names, in: source)
        for name in missing { report.lose("the external data file \(name.uuidString)") }
        let present = names.subtracting(missing)
        guard !present.isEmpty else { return }
        let calls = SystemFileCalls()
        try calls.makeFolders(target)
        for name in present { try calls.copyFile("\(source)/\(name.uuidString)", to: "\(target)/\(name.uuidString)") }
    }
}

/// A report that lists losses as they are found.
private struct RebuildReport {
    private let console: Console
    private var losses = 0
    var count = 0

    init(_ console: Console) { self.console = console }

    mutating func lose(_ words: String) {
        losses += 1
        console.line("lost: \(words)")
    }

    func end() -> ExitCode {
        console.line(
            "\(count) object\(count == 1 ? "" : "s") in the new store, \(losses == 0 ? "nothing lost" : losses == 1 ? "1 loss" : "\(losses) losses")"
        )
        return losses == 0 ? .ok : .found
    }
}
