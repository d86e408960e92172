import Foundation
import SwormSQLite
import SwormRows

/// Support for Core Data's launch argument `-com.apple.CoreData.SQLDebug`, which prints the statements of all stores to
/// standard error.
///
/// - Level 1 prints the SQL, with parameters instead of values, and the execution time.
/// - Level 2 also prints the values.
/// - Level 3 also prints the query plan of each statement when it is prepared.
enum SQLDebug {
    static let argument = "-com.apple.CoreData.SQLDebug"

    /// The observer for the level of this process; nil for level 0.
    static let watch: StatementWatch? = {
        let asked = level(CommandLine.arguments) { UserDefaults.standard.string(forKey: $0) }
        return watch(level: asked) { try? FileHandle.standardError.write(contentsOf: Data($0.utf8)) }
    }()

    /// Returns the level that is specified by the arguments, or else by the user defaults; 0 if neither specifies one.
    static func level(_ arguments: [String], defaults: (String) -> String?) -> Int {
        if let index = arguments.lastIndex(of: argument) {
            return arguments.dropFirst(index + 1).first.flatMap { Int($0) } ?? 0
        }
        return defaults(String(argument.dropFirst())).flatMap { Int($0) } ?? 0
    }

    /// Returns an observer that prints statements; nil for level 0.
    ///
    /// - Parameter print: A closure that is called with complete lines. One call contains all lines of a statement.
    static func watch(level: Int, print: @escaping @Sendable (String) -> Void) -> StatementWatch? {
        guard level > 0 else { return nil }
        var reportPlan: (@Sendable (String, [QueryPlanStep]) -> Void)?
        if level > 2 { reportPlan = { sql, steps in print(text(sql, steps: steps)) } }
        return StatementWatch(wantsValues: level > 1, reportPlan: reportPlan) { print(text($0)) }
    }

    private static func text(_ statement: RunStatement) -> String {
        var text = "CoreData: sql: \(statement.sql)\n"
        if let values = statement.sqlWithValues, values != statement.sql {
            text += "CoreData: details: with values: \(values)\n"
        }
        let time = String(format: "%.4fs", statement.seconds)
        let isFetch = statement.sql.prefix(6).uppercased() == "SELECT"
        return text
            + (isFetch
                ? "CoreData: annotation: sql connection fetch time: \(time) for \(statement.rows) rows\n"
                : "CoreData: annotation: sql execution time: \(time)\n")
    }

    private static func text(_ sql: String, steps: [QueryPlanStep]) -> String {
        "CoreData: details: query plan of: \(sql)\n"
            + steps.map { "CoreData: details:   \($0.line)\n" }.joined()
    }
}
