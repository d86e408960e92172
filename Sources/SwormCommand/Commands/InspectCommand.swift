import Foundation
import OpenCoreData
import SwormStore

/// `sworm-tool inspect`: describes a store and its content.
enum InspectCommand {
    static let command = Command(
        CommandSpec(
            "inspect", summary: "Shows the properties and the contents of a store.",
            discussion: [
                "No model is needed. With a model, relationships are shown too, and more is checked.",
                "With --cloudkit, the state of a store that Core Data mirrors to CloudKit is shown: the records, "
                    + "relationships and shares that wait for upload, as Core Data counts them before an export; rows without a "
                    + "record and records without a row; the transactions that were not exported, by author; the last events "
                    + "and the zones. Only this file is read: the state of the server and of other devices is not in it. "
                    + "Facts that the file does not show are unknown, and null in JSON. The user's record name and the contents of "
                    + "records are not shown.",
            ],
            operands: [OperandSpec("STORE", summary: "The store file.")],
            options: [
                StoreModelChoice.option,
                OptionSpec("cloudkit", summary: "Shows the state of the mirroring to CloudKit."),
                OptionSpec("json", summary: "Writes JSON."),
            ],
            examples: ["sworm-tool inspect Library.sqlite", "sworm-tool inspect Library.sqlite --cloudkit"])
    ) { arguments, console in
        if arguments.has("cloudkit") {
            try inspectMirroring(arguments, console: console)
            return .ok
        }
        let report = try StoreReport(FilePath.store(arguments.operands[0]), modelOption: arguments.url("model"))
        if arguments.has("json") { console.answer(json(report)) } else { write(report, to: console) }
        return .ok
    }

    private static func inspectMirroring(_ arguments: Arguments, console: Console) throws {
        let url = try FilePath.store(arguments.operands[0])
        let look = try StoreInspector(url: url)
        var model: CompiledModel?
        do {
            model = try StoreModelChoice.model(for: url, option: arguments.url("model")).model.compiled()
        } catch let error as ToolError where error.code == .modelMismatch {
            console.warn(error.message)
        }
        let report = try look.mirroring(model: model)
        if arguments.has("json") { return console.answer(MirroringJSON.value(report, path: look.files.main)) }
        guard let report else {
            return console.line("the store is not mirrored to CloudKit: it has no tables of a mirroring")
        }
        MirroringText(report: report, console: console).write(path: look.files.main)
    }

    private static func write(_ report: StoreReport, to console: Console) {
        let metadata = report.metadata.dictionary
        func field(_ name: String, _ value: String) {
            console.line(DisplayWidth.fit(name, to: 12) + DisplayWidth.cut(value, to: max(20, console.width - 12)))
        }
        field("store", report.path)
        field("identifier", report.metadata.identifier)
        field("written by", era(metadata))
        field("model", report.modelSource ?? "not given (--model PATH shows more)")
        let identifiers = versionIdentifiers(metadata)
        if !identifiers.isEmpty { field("version", identifiers.joined(separator: ", ")) }
        if let checksum = metadata[StoreMetadata.Key.checksum] as? String { field("checksum", checksum) }
        field(
            "file",
            ByteCountText.text(report.fileSize)
                + (report.logSize > 0 ? ", log \(ByteCountText.text(report.logSize))" : ""))
        if report.externalFiles > 0 {
            field("external", "\(report.externalFiles) files, \(ByteCountText.text(report.externalSize))")
        }
        field("history", history(report.history))
        console.line()
        writeEntities(of: report, to: console)
        for warning in report.warnings { console.line("warning: \(warning)") }
    }

    private static func writeEntities(of report: StoreReport, to console: Console) {
        let table = TextTable(
            ["entity", "objects", "hash"], right: [false, true, false], width: console.width, to: console.out)
        for entity in report.entities {
            let name = String(repeating: "  ", count: entity.depth) + entity.name
            let count = entity.count.map { entity.isAbstract && $0 == 0 ? "abstract" : "\($0)" } ?? "?"
            table.add([name, count, entity.hash.map { String(BlobStyle.hex($0).prefix(16)) } ?? ""])
        }
        table.end()
        let related = report.entities.filter { !$0.relationships.isEmpty }
        if !related.isEmpty { console.line() }
        for entity in related {
            for relationship in entity.relationships {
                console.line(DisplayWidth.cut("\(entity.name).\(relationship)", to: console.width))
            }
        }
        if !report.warnings.isEmpty { console.line() }
    }

    private static func era(_ metadata: [String: Any]) -> String {
        guard let version = metadata[StoreMetadata.Key.frameworkVersion] as? Int else { return "unknown" }
        return "framework \(version)" + (FrameworkEra.name(version).map { ", \($0)" } ?? "")
    }

    private static func versionIdentifiers(_ metadata: [String: Any]) -> [String] {
        (metadata[StoreMetadata.Key.versionIdentifiers] as? [String] ?? []).filter { !$0.isEmpty }
    }

    private static func history(_ history: StoreReport.History?) -> String {
        guard let history else { return "none" }
        var text = "\(history.transactions) transactions, \(history.changes) changes"
        if let first = history.first, let last = history.last {
            text += ", \(DateText.whole(first)) to \(DateText.whole(last))"
        }
        return text
    }

    private static func json(_ report: StoreReport) -> JSONValue {
        let metadata = report.metadata.dictionary
        let version = metadata[StoreMetadata.Key.frameworkVersion] as? Int
        return .object([
            ("store", .string(report.path)), ("identifier", .string(report.metadata.identifier)),
            ("frameworkVersion", version.map { .count($0) } ?? .null),
            ("era", .optional(version.flatMap(FrameworkEra.name))), ("model", .optional(report.modelSource)),
            ("versionIdentifiers", .array(versionIdentifiers(metadata).map { .string($0) })),
            ("checksum", .optional(metadata[StoreMetadata.Key.checksum] as? String)),
            ("fileSize", .int(report.fileSize)), ("logSize", .int(report.logSize)),
            ("externalFiles", .count(report.externalFiles)), ("externalSize", .int(report.externalSize)),
            ("history", json(report.history)), ("entities", .array(report.entities.map(json))),
            ("warnings", .array(report.warnings.map { .string($0) })),
        ])
    }

    private static func json(_ history: StoreReport.History?) -> JSONValue {
        guard let history else { return .null }
        func date(_ seconds: Double?) -> JSONValue {
            guard let seconds else { return .null }
            let sink = ByteSink()
            DateText.write(seconds, to: sink)
            return .string(sink.text)
        }
        return .object([
            ("transactions", .int(history.transactions)), ("changes", .int(history.changes)),
            ("first", date(history.first)), ("last", date(history.last)),
        ])
    }

    private static func json(_ entity: StoreReport.Entity) -> JSONValue {
        .object([
            ("number", .int(entity.number)), ("name", .string(entity.name)), ("depth", .count(entity.depth)),
            ("isAbstract", .bool(entity.isAbstract)), ("count", entity.count.map { .int($0) } ?? .null),
            ("versionHash", .optional(entity.hash.map { BlobStyle.hex($0) })),
            ("relationships", .array(entity.relationships.map { .string($0) })),
        ])
    }
}
