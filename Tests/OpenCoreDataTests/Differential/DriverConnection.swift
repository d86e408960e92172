#if PostgreSQL
import Foundation
import TestSupport

@testable import SwormPostgres
@testable import SwormStore

/// A connection of the driver to the server of the tests.
final class DriverConnection {
    private let connection: PostgresConnection

    init() throws {
        let server = try PostgresServer.shared()
        connection = try PostgresConnection.open(
            PostgresAddress(
                hosts: [.init(server.folder.path, port: server.port)], database: "postgres", user: server.user))
    }

    /// Runs a statement without parameters and without rows.
    func execute(_ sql: String) throws { try run(SQLStatement(sql)) }

    /// Runs a statement, and returns its rows. All columns are integers.
    ///
    /// - Throws: ``ServerRejection`` for an error of the server.
    func rows(_ sql: String, _ bindings: [SQLBinding]) throws -> [[Int64?]] {
        let result = try run(SQLStatement(CompiledStatement(sql: sql, bindings: bindings)))
        return try (0..<result.rowCount).map { row in
            try (0..<result.columnCount).map { try result.int64(row, column: $0) }
        }
    }

    /// Runs a statement, and returns its rows in the forms in which a file stores values.
    func values(_ statement: CompiledStatement) throws -> [[StoredValue]] {
        let result = try run(SQLStatement(statement))
        return try (0..<result.rowCount).map { try result.storedValues($0) }
    }

    /// Checks a statement without running it: its syntax, its names, and the types of its parameters and operators.
    func prepare(_ statement: CompiledStatement) throws {
        let types = statement.bindings.map(\.typeName).joined(separator: ", ")
        try execute("PREPARE checked\(types.isEmpty ? "" : "(\(types))") AS \(statement.sql)")
        try execute("DEALLOCATE checked")
    }

    /// Runs a statement.
    ///
    /// - Throws: ``ServerRejection`` for an error of the server.
    @discardableResult
    func run(_ statement: SQLStatement) throws -> PostgresResult {
        do {
            return try connection.run(statement)
        } catch let error as ServerError {
            throw ServerRejection(state: error.state?.rawValue ?? "", message: error.message)
        }
    }
}

/// An error of a server, by its code.
struct ServerRejection: Error {
    var state: String
    var message: String

    /// Whether a result is out of range. A store evaluates the statement in memory then.
    var isOutOfRange: Bool { ["22003", "22008", "22012"].contains(state) }
}

extension SQLBinding {
    /// The type of the parameter on a server.
    var typeName: String {
        switch self {
        case .null: "text"
        case .int64: "bigint"
        case .double: "float8"
        case .text: "text"
        case .blob: "bytea"
        case .bool: "boolean"
        case .uuid: "uuid"
        case .date: "timestamptz"
        case .decimal: "numeric"
        case .integers: "bigint[]"
        case .doubles: "float8[]"
        case .texts: "text[]"
        case .uuids: "uuid[]"
        case .dates: "timestamptz[]"
        case .decimals: "numeric[]"
        case .blobs: "bytea[]"
        }
    }
}
#endif
