import OpenCoreData
import SwormStore

/// `sworm-tool verify`: checks a store for damage and inconsistencies.
enum VerifyCommand {
    static let command = Command(
        CommandSpec(
            "verify", summary: "Checks a store for damage and inconsistencies.",
            discussion: [
                "Of a file, all rules of Core Data's format are checked. That includes SQLite's own integrity check, and checks primary keys, versions, row counts, types, required and unique "
                    + "values, derived values (except dates), both sides of relationships, positions in ordered relationships, external data files, metadata, "
                    + "history and, of a store that is mirrored to CloudKit, the pairs of rows and records. The exit code is 1 if there are faults; warnings and notes do not affect it.",
                "Of the address of a store on a PostgreSQL server, the tables are checked, the steps that a migration has left, required values, "
                    + "both sides of relationships and positions in ordered relationships. It is a warning if policies of row-level security do not apply to the "
                    + "user, and a note if no triggers raise the versions of rows that other programs change.",
            ],
            operands: [OperandSpec("STORE", summary: "The store file, or the address of a store on a server.")],
            options: [StoreModelChoice.option, OptionSpec("json", summary: "Writes JSON.")],
            examples: ["sworm-tool verify Library.sqlite --model Library.xcdatamodeld"])
    ) { arguments, console in
        let (issues, source) = try findings(arguments, console: console)
        let count = issues.count { $0.severity == .error }
        if arguments.has("json") {
            console.answer(
                .object([
                    ("store", .string(ServerOperand.shown(arguments.operands[0]))), ("model", .optional(source)),
                    ("faults", .array(issues.map(json))),
                ]))
        } else {
            for issue in issues { console.line("\(issue.severity.rawValue): \(issue.message) [\(issue.kind)]") }
            let warnings = issues.count { $0.severity == .warning }
            let tail = warnings > 0 ? ", \(warnings) warning\(warnings == 1 ? "" : "s")" : ""
            console.line(count == 0 ? "no faults\(tail)" : "\(count) fault\(count == 1 ? "" : "s")\(tail)")
        }
        return count == 0 ? .ok : .found
    }

    private static func findings(_ arguments: Arguments, console: Console) throws -> ([StoreIssue], String?) {
        if ServerOperand.isAddress(arguments.operands[0]) {
            #if PostgreSQL
            let server = try ServerOperand.options(arguments.operands[0])
            let (model, source) = try ServerOperand.model(of: server, option: arguments.url("model"))
            return (try ServerVerification.findings(of: server, model: model.compiled()), source)
            #else
            throw ServerOperand.unavailable
            #endif
        }
        let url = try FilePath.store(arguments.operands[0])
        let progress = Progress(console, label: "checking")
        // An unreadable model file is not an issue of the store.
        if let option = arguments.url("model") { try StoreModelChoice.requireReadable(option) }
        do {
            let (model, source) = try StoreModelChoice.model(for: url, option: arguments.url("model"))
            let issues = try StoreVerification.findings(of: url, model: model.compiled()) { done, total in
                progress.update(done, of: total)
            }
            return (issues, source)
        } catch let error as ToolError where error.code == .modelMismatch {
            return ([StoreIssue(.model, error.message)], nil)
        } catch {
            // A file that exists but cannot be opened is reported as an issue.
            guard let issue = error.asCoreData, let kind = StoreVerification.kind(of: issue) else { throw error }
            return ([StoreIssue(kind, issue.message)], nil)
        }
    }

    private static func json(_ issue: StoreIssue) -> JSONValue {
        .object([
            ("kind", .string(issue.kind.description)), ("severity", .string(issue.severity.rawValue)),
            ("entity", .optional(issue.entity)), ("property", .optional(issue.property)),
            ("message", .string(issue.message)),
        ])
    }
}
