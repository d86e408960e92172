import CServersPQ

/// A connection to a server that knows nothing of stores.
final class PlainConnection {
    private let connection: OpaquePointer

    /// - Parameter address: The parameters of libpq.
    init(_ address: String) throws {
        guard let connection = PQconnectdb(address) else { throw Failure("there is no memory for a connection") }
        self.connection = connection
        guard PQstatus(connection) == CONNECTION_OK else {
            let message = String(cString: PQerrorMessage(connection))
            throw Failure("cannot connect: \(message)")
        }
        try run("SET client_min_messages = warning")
    }

    deinit { PQfinish(connection) }

    /// Runs statements, and returns the rows of the last one.
    @discardableResult
    func run(_ sql: String) throws -> [[String?]] {
        let result = PQexec(connection, sql)
        defer { PQclear(result) }
        let status = PQresultStatus(result)
        guard status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK else {
            throw Failure("\(String(cString: PQerrorMessage(connection))) in \(sql)")
        }
        return (0..<PQntuples(result)).map { row in
            (0..<PQnfields(result)).map { column in
                PQgetisnull(result, row, column) == 1 ? nil : String(cString: PQgetvalue(result, row, column))
            }
        }
    }

    /// The number in the first column of the first row.
    func number(_ sql: String) throws -> Int {
        guard let value = try run(sql).first?.first, let number = value.flatMap({ Int($0) }) else {
            throw Failure("no number is the result of \(sql)")
        }
        return number
    }
}
