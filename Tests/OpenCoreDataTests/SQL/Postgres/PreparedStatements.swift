#if PostgreSQL
import Foundation
import SwormPredicates
import TestSupport
import Testing

@testable import SwormStore

/// Checks a statement over the library on the server of the tests, if there is one, and returns it. The statement is
/// not run.
func checked(_ statement: CompiledStatement) throws -> CompiledStatement {
    guard PostgresServer.isEnabled else { return statement }
    do {
        try PreparedStatements.shared.get().check(statement)
    } catch let error as ServerRejection {
        Issue.record("\(error.state): \(error.message)\n\(statement)")
    }
    return statement
}

/// The tables of the library on the server of the tests, in the schema of ``ServerQueries``.
///
/// @unchecked: the connection is used only while the lock is held.
private final class PreparedStatements: @unchecked Sendable {
    static let shared = Result { try PreparedStatements() }

    private let connection: DriverConnection
    private let lock = NSLock()

    private init() throws {
        connection = try DriverConnection()
        let compiler = ServerQueries.compiler
        let tables = ServerTables(model: compiler.model, layout: compiler.layout)
        for statement in ServerSchemaWriter(schema: "shop", tables: tables).statements(creatingSchema: true) {
            try connection.execute(statement)
        }
    }

    func check(_ statement: CompiledStatement) throws { try lock.withLock { try connection.prepare(statement) } }
}
#endif
