import Foundation
import SwormSQLite
import SwormRows

/// Core Data's launch argument `-com.apple.CoreData.SQLDebug`: prints the statements of all stores to stderr.
///
/// - level 1 prints the SQL, with parameters instead of values, and the time that it took;
/// - level 2 prints the values too;
/// - level 3 also prints the query plan of each statement when it is prepared.
enum SQLDebug {
    static let argument = "-com.apple.CoreData.SQLDebug"

    /// The observer for the level of this process; nil for level 0.
    static let watch: StatementWatch? = {
        let asked = level(CommandLine.arguments) { UserDefaults.standard.string(forKey: $0) }
        return watch(level: asked) { try? FileHandle.standardError.write(contentsOf: Data($0.utf8)) }
    }()

    /// The level that the arguments name, or else the user's defaults; 0 for none.
    static func level(_ arguments: [String], defaults: (String) -> String?) -> Int {
        if let index = arguments.lastIndex(of: argument) {
            return arguments.dropFirst(index + 1).first.flatMap { Int($0) } ?? 0
        }
        return defaults(String(argument.dropFirst())).flatMap { Int($0) } ?? 0
    }

    /// - Parameter print: Gets whole lines; those of one statement together.
    static func watch(level: Int, print: @escaping @Sendable (String) -> Void) -> StatementWatch? {
        guard level > 0 else { return nil }
        var tellPlan: (@Sendable (String, [QueryPlanStep]) -> Void)?
        if level > 2 { tellPlan = { sql, steps in print(text(sql, steps: steps)) } }
        return StatementWatch(wantsValues: level > 1, tellPlan: tellPlan) { print(text($0)) }
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
