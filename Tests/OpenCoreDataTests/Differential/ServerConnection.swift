@testable import SwormStore

#if PostgreSQL
import TestSupport
#endif

/// A connection to a PostgreSQL server, as the tests of the dialect need it.
protocol ServerConnection: AnyObject {
    /// Runs a statement without parameters and without rows.
    func execute(_ sql: String) throws

    /// Runs a statement, and returns its rows. All columns are integers.
    ///
    /// - Throws: ``ServerRejection`` for an error of the server.
    func rows(_ sql: String, _ bindings: [SQLBinding]) throws -> [[Int64?]]
}

/// An error of a server, by its code.
struct ServerRejection: Error {
    var state: String
    var message: String

    /// Whether a result is out of range. A store evaluates the statement in memory then.
    var isOutOfRange: Bool { ["22003", "22008", "22012"].contains(state) }
}

/// The server of the tests of the dialect.
enum ServerUnderTest {
    #if PostgreSQL
    static var isEnabled: Bool { PostgresServer.isEnabled }

    static func connect() throws -> any ServerConnection { try DriverConnection() }

    /// The statements that create the functions that fold strings.
    static func foldingFunctions(schema: String) -> [String] { FoldingFunctions.statements(schema: schema) }
    #else
    static let isEnabled = false

    static func connect() throws -> any ServerConnection {
        throw ServerRejection(state: "", message: "the package is built without its trait PostgreSQL")
    }

    static func foldingFunctions(schema: String) -> [String] { [] }
    #endif
}
