#if PostgreSQL
import CSwormPQ

extension PostgresConnection {
    /// Writes rows into a table by COPY.
    ///
    /// If the body or the server fails, no row is written; the transaction has then failed too.
    ///
    /// - Parameters:
    ///   - table: The name of the table and the columns as SQL, such as `"shop"."Book" ("title", "year")`.
    ///   - types: The types of the columns, which must be exactly those of the table.
    ///   - body: Writes the rows. It must not use the connection.
    /// - Returns: The number of rows.
    @discardableResult
    package func copyIn(
        into table: String, types: [PostgresType], _ body: (inout CopyWriter) throws -> Void
    ) throws -> Int {
        let statement = SQLStatement.command("COPY \(table) FROM STDIN (FORMAT binary)")
        let start = try beginCopy(statement)
        return try running(statement.sql) {
            try sendCopy(statement, expecting: PGRES_COPY_IN)
            var writer = CopyWriter(types, on: self)
            do {
                isReceivingRows = true
                defer { isReceivingRows = false }
                try body(&writer)
                try writer.finish()
            } catch {
                // After the loss of the connection, there is nothing to end.
                if !isLost { try? endCopy(statement, reason: "the rows could not be written") }
                throw error
            }
            try endCopy(statement, reason: nil)
            report(Command(statement, index: 0), result: nil, since: start)
            return writer.rowCount
        }
    }

    /// Makes the connection ready for COPY, which cannot be a part of a pipeline: what waits to be sent is sent.
    ///
    /// - Returns: The time, if an observer wants to know the duration.
    func beginCopy(_ statement: SQLStatement) throws -> ContinuousClock.Instant? {
        try prepareToSend([statement])
        if !pending.isEmpty {
            let beginning = pending
            pending = []
            _ = try exchange(beginning.map { Command($0) })
        }
        return watch == nil ? nil : .now
    }

    func sendCopy(_ statement: SQLStatement, expecting status: ExecStatusType) throws {
        try send(Command(statement, index: 0))
        try flush()
        guard let result = try nextResult() else { throw lost() }
        guard PQresultStatus(result) != status else { return PQclear(result) }
        defer { PQclear(result) }
        let failure = failure(result, of: Command(statement, index: 0))
        while let rest = try nextResult() { PQclear(rest) }
        throw failure
    }

    private func endCopy(_ statement: SQLStatement, reason: String?) throws {
        guard PQputCopyEnd(handle, reason) == 1 else { throw lost() }
        try flush()
        var found: PostgresResult?
        var failure: ServerError?
        try takeResults(of: Command(statement, index: 0), found: &found, failure: &failure)
        if let failure { throw failure }
    }
}
#endif
