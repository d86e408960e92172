import OpenCoreData
import SwormStore

/// `sworm-tool verify`: checks a store for damage and inconsistencies.
enum VerifyCommand {
    static let command = Command(
        CommandSpec(
            "verify", summary: "Checks a store against every rule that Core Data's files keep.",
            discussion: [
                "Besides SQLite's own check of the file: keys, versions and numbers of rows, types, required and unique "
                    + "values, derived values (not times), both sides of relationships, places in ordered ones, files of external data, metadata and "
                    + "history. Faults make the exit code 1; warnings do not."
            ],
            operands: [OperandSpec("STORE", summary: "The file of the store.")],
            options: [StoreModelChoice.option, OptionSpec("json", summary: "Answer as JSON.")],
            examples: ["sworm-tool verify Library.sqlite --model Library.xcdatamodeld"])
    ) { arguments, console in
        let (issues, source) = try findings(arguments, console: console)
        let count = issues.count { $0.severity == .error }
        if arguments.has("json") {
            console.answer(
                .object([
                    ("store", .string(arguments.operands[0])), ("model", .optional(source)),
                    ("faults", .array(issues.map(json))),
                ]))
        } else {
            for issue in issues { console.line("\(issue.severity.rawValue): \(issue.message) [\(issue.kind)]") }
            let warnings = issues.count - count
            let tail = warnings > 0 ? ", \(warnings) warning\(warnings == 1 ? "" : "s")" : ""
            console.line(count == 0 ? "no faults\(tail)" : "\(count) fault\(count == 1 ? "" : "s")\(tail)")
        }
        return count == 0 ? .ok : .found
    }

    private static func findings(_ arguments: Arguments, console: Console) throws -> ([StoreIssue], String?) {
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
        } catch let error as CoreDataError {
            // A file that exists but cannot be opened is reported as an issue.
            guard let kind = StoreVerification.kind(of: error) else { throw error }
            return ([StoreIssue(kind, error.message)], nil)
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
