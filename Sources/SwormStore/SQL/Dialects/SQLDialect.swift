import SwormPredicates

/// The language of a database's statements.
///
/// The compiler walks a request once, and asks the dialect for the parts in which databases differ. A dialect throws
/// ``NotExact`` for a part that it cannot express with exactly the result that the part has in memory.
enum SQLDialect: Sendable, Hashable {
    /// SQLite, whose connections define the functions that ``SQLCompiler`` lists.
    case sqlite
    /// PostgreSQL 14 or later, with all tables and functions of the store in one schema.
    case postgres(schema: String)
}

/// A closure that adds a parameter to a statement and returns its SQL.
typealias ParameterBinder = (SQLBinding) -> String

/// Foundation also has a type named `Comparator`.
typealias QueryComparator = SwormPredicates.Comparator
