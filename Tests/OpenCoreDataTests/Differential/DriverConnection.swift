#if PostgreSQL
import Foundation
import TestSupport

@testable import SwormPostgres
@testable import SwormStore

/// A connection of the driver to the server of the tests.
final class DriverConnection: ServerConnection {
    private let connection: PostgresConnection

    init() throws {
        let server = try PostgresServer.shared()
        connection = try PostgresConnection.open(
            PostgresAddress(
                hosts: [.init(server.folder.path, port: server.port)], database: "postgres", user: server.user))
    }

    func execute(_ sql: String) throws { _ = try run(SQLStatement(sql)) }

    func rows(_ sql: String, _ bindings: [SQLBinding]) throws -> [[Int64?]] {
        let parameters = Parameters()
        for binding in bindings {
            guard Self.append(binding, to: parameters) else {
                throw ServerRejection(state: "", message: "\(binding) is not a parameter")
            }
        }
        let result = try run(SQLStatement(sql, with: parameters))
        return try (0..<result.rowCount).map { row in
            try (0..<result.columnCount).map { try result.int64(row, column: $0) }
        }
    }

    private func run(_ statement: SQLStatement) throws -> PostgresResult {
        do {
            return try connection.run(statement)
        } catch let error as ServerError {
            throw ServerRejection(state: error.state?.rawValue ?? "", message: error.message)
        }
    }

    private static func append(_ binding: SQLBinding, to parameters: Parameters) -> Bool {
        switch binding {
        case .null: return false
        case .int64(let value): parameters.append(value)
        case .double(let value): parameters.append(value)
        case .bool(let value): parameters.append(value)
        case .uuid(let value): parameters.append(value)
        case .text(let value): return parameters.append(value)
        case .blob(let value): return parameters.append(value)
        case .date(let seconds): return parameters.append(Date(timeIntervalSinceReferenceDate: seconds))
        case .decimal(let value): return parameters.append(value)
        case .integers(let values): return parameters.append(values.map { Optional($0) })
        case .doubles(let values): return parameters.append(values.map { Optional($0) })
        case .texts(let values): return parameters.append(values.map { Optional($0) })
        case .uuids(let values): return parameters.append(values.map { Optional($0) })
        case .dates(let values):
            return parameters.append(values.map { Optional(Date(timeIntervalSinceReferenceDate: $0)) })
        }
        return true
    }
}
#endif
