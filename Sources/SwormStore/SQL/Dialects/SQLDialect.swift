import SwormPredicates

/// The language of a database's statements.
///
/// The compiler walks a request once, and asks the dialect for the parts in which databases differ. A dialect throws
/// ``NotExact`` for a part that it cannot express with exactly the result that the part has in memory.
enum SQLDialect: Sendable, Hashable {
    /// SQLite, whose connections define the functions that ``SQLCompiler`` lists.
    case sqlite
    /// PostgreSQL 14 or later, with all tables and functions of the store in one schema.
    case postgres
}

/// A statement that is being compiled, as a dialect uses it.
protocol StatementContext: AnyObject {
    /// Adds a parameter, and returns its SQL.
    func bind(_ binding: SQLBinding) -> String

    /// The schema of the store's tables and functions, as SQL text writes it before a name. Empty in a file.
    var schema: String { get }

    /// The number of parameters that can still be added.
    var freeParameters: Int { get }
}

/// Foundation also has a type named `Comparator`.
typealias QueryComparator = SwormPredicates.Comparator
