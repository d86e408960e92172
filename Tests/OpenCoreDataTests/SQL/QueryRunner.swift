import SwormSQLite

@testable import OpenCoreData
@testable import SwormStore

/// Runs compiled statements on a connection with the functions that they may call.
enum QueryRunner {
    static func connection(for model: CompiledModel) throws -> Connection {
        let connection = try Connection(.memory(name: "test"))
        try addFunctions(to: connection)
        for statement in StoreSchema(model: model).statements() { try connection.execute(statement) }
        return connection
    }

    static func addFunctions(to connection: Connection) throws {
        try StoreFunctions.register(on: connection)
    }

    static func bind(_ compiled: CompiledStatement, to statement: inout Statement) throws {
        for (index, binding) in compiled.bindings.enumerated() {
            switch binding {
            case .null: try statement.bindNull(at: index + 1)
            case .int64(let value): try statement.bind(value, at: index + 1)
            case .double(let value): try statement.bind(value, at: index + 1)
            case .text(let value): try statement.bind(value, at: index + 1)
            case .blob(let value): try statement.bind(value, at: index + 1)
            default: throw CoreDataError(NSCoreDataError, "SQLite has no parameter \(binding): \(compiled.sql)")
            }
        }
    }

    static func run(_ compiled: CompiledStatement, on connection: Connection) throws {
        var statement = try connection.statement(compiled.sql)
        try bind(compiled, to: &statement)
        try statement.run()
    }

    /// The rows of a statement, each cell as text; nil is NULL.
    static func rows(_ compiled: CompiledStatement, on connection: Connection) throws -> [[String?]] {
        var statement = try connection.statement(compiled.sql)
        guard statement.parameterCount == compiled.bindings.count else {
            throw CoreDataError(NSCoreDataError, "\(compiled.bindings.count) values for: \(compiled.sql)")
        }
        try bind(compiled, to: &statement)
        var rows: [[String?]] = []
        while try statement.step() {
            rows.append((0..<statement.columnCount).map { statement.isNull($0) ? nil : statement.text($0) })
        }
        return rows
    }

    /// What SQLite plans to do, a line for each step.
    static func plan(_ compiled: CompiledStatement, on connection: Connection) throws -> [String] {
        let explained = CompiledStatement(sql: "EXPLAIN QUERY PLAN " + compiled.sql, bindings: compiled.bindings)
        return try rows(explained, on: connection).compactMap { $0.last ?? nil }
    }
}
