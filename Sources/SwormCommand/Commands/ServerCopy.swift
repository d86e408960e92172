#if PostgreSQL
import Foundation
import OpenCoreData
import SwormStore

/// `sworm-tool copy` with a store on a server on either side: the stores are copied row by row.
struct ServerCopy {
    let arguments: Arguments
    let console: Console
    private var from: String { arguments.operands[0] }
    private var to: String { arguments.operands[1] }

    func run() throws {
        let (store, description) = try open()
        defer { store.close() }
        guard description.storeHashes == nil else {
            throw ToolError(
                .modelNeeded, "a model that was inferred from a store is not sufficient to create another store",
                hint: "name the model that the store was written with: --model PATH")
        }
        var options = StoreOptions()
        options.identifier = UUID(uuidString: store.identifier)
        options.modelCache = try description.storeCache()
        if ServerOperand.isAddress(to) {
            try copyToServer(store, options: options)
        } else {
            try copyToFile(store, options: options)
        }
    }

    private func open() throws -> (store: any ObjectStore, description: NSManagedObjectModel) {
        var options = StoreOptions()
        options.isReadOnly = true
        if ServerOperand.isAddress(from) {
            let server = try ServerOperand.options(from)
            let (description, _) = try ServerOperand.model(of: server, option: arguments.url("model"))
            return (try server.open(description.compiled(), options: options), description)
        }
        let url = try FilePath.store(from)
        if try StoreInspector(url: url).mirroringTable != nil {
            console.warn("the store is mirrored to CloudKit; what belongs to the mirroring is not copied")
        }
        let (description, _) = try StoreModelChoice.model(for: url, option: arguments.url("model"))
        return (try SQLiteStore.open(url: url, model: description.compiled(), options: options), description)
    }

    private func copyToServer(_ store: any ObjectStore, options: StoreOptions) throws {
        var server = try ServerOperand.options(to)
        server.dates = arguments.has("exact-dates") ? .doubles : .timestamps
        if ServerOperand.isAddress(from), try ServerOperand.options(from).url == server.url {
            throw ToolError(.fileExists, "a store cannot be copied onto itself", hint: "choose another schema")
        }
        let report: CopyReport
        do {
            report = try StoreCopying.copy(
                store, to: server, options: options, replacing: arguments.has("force"))
        } catch let error as CoreDataError where error.errorCode == CocoaError.Code.fileWriteFileExists.rawValue {
            throw ToolError(
                .fileExists, "the schema '\(server.schema)' has a store already",
                hint: "choose another schema in the address, or replace the store with --force")
        }
        write(report, to: server.place)
    }

    private func copyToFile(_ store: any ObjectStore, options: StoreOptions) throws {
        let place = try NewStoreLocation(to, replaces: arguments.has("force"))
        let report = try StoreCopying.copy(store, to: place.url, options: options)
        try place.finish()
        write(report, to: place.target.path)
    }

    // MARK: Words

    private func write(_ report: CopyReport, to place: String) {
        warn(report.roundedDates, of: "date", "rounded to the microsecond; --exact-dates stores dates as they are")
        warn(report.droppedLinks, of: "link", "left out, because the objects do not exist")
        warn(report.missingValues, of: "missing value", "copied; the column on the server is not required")
        warn(report.missingFiles, of: "value", "left out, because the external data files do not exist")
        if report.ignoredRows > 0 {
            console.warn(
                "\(report.ignoredRows) row\(report.ignoredRows == 1 ? "" : "s") that the model does not have left out")
        }
        console.line("copied \(report.objects) object\(report.objects == 1 ? "" : "s") to \(place)")
    }

    private func warn(_ counts: [CopyReport.Property: Int], of noun: String, _ words: String) {
        let sorted = counts.sorted { ($0.key.entity, $0.key.name) < ($1.key.entity, $1.key.name) }
        for (property, count) in sorted {
            let (plural, verb) = count == 1 ? ("", "was") : ("s", "were")
            console.warn("\(count) \(noun)\(plural) of \(property.entity).\(property.name) \(verb) \(words)")
        }
    }
}
#endif
