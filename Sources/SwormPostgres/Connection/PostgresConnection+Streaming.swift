#if PostgreSQL
import CSwormPQ
import SwormRows

extension PostgresConnection {
    /// Runs a statement and calls the body with its rows in parts, as they arrive. Before version 17 of libpq, a part is one
    /// row.
    ///
    /// Until the last row, the connection cannot run another statement. If the body throws, the remaining rows are received
    /// and dropped: a statement that is stopped would end its transaction. Use a cursor for large results.
    ///
    /// - Parameter rows: The number of rows of a part.
    package func stream(
        _ statement: SQLStatement, rows: Int = 256, body: (PostgresResult) throws -> Void
    ) throws {
        var isDelivered = false
        try withCommands(for: [statement], canRepeat: { !isDelivered }) { commands in
            try running(statement.sql) {
                try stream(commands, rows: rows) { part in
                    isDelivered = true
                    try body(part)
                }
            }
        }
    }

    /// Sends commands, and calls the body with the rows of the last one.
    private func stream(
        _ commands: [Command], rows: Int, body: (PostgresResult) throws -> Void
    ) throws {
        var start = watch == nil ? nil : ContinuousClock.now
        try enterPipeline(commands)
        var failure: ServerError?
        for command in commands.dropLast() {
            guard let found = try takeResult(of: command, failure: &failure) else { continue }
            report(command, rows: found.rowCount, since: start)
            if start != nil { start = .now }
        }
        guard let command = commands.last else { return }
        _ = sworm_pq_receive_in_parts(handle, Int32(clamping: max(1, rows)))
        var found: PostgresResult?
        var bodyFailure: (any Error)?
        var rowCount = 0
        while let result = try nextResult() {
            guard sworm_pq_is_part(result) == 1 else {
                try take(result, of: command, found: &found, failure: &failure)
                continue
            }
            let part = PostgresResult(result)
            rowCount += part.rowCount
            if bodyFailure == nil { bodyFailure = self.failure(of: body, with: part) }
            // While rows are there, nothing waits for the server, and notices the token.
            if let interruption, interruption.stopsWork { self.statement.stop(by: .connection) }
        }
        try leavePipeline(after: failure)
        if let error = bodyFailure ?? failure { throw error }
        report(command, rows: rowCount, since: start)
    }

    private func failure(of body: (PostgresResult) throws -> Void, with part: PostgresResult) -> (any Error)? {
        isReceivingRows = true
        defer { isReceivingRows = false }
        do {
            try body(part)
            return nil
        } catch {
            // Outside of a transaction nothing else ends with the statement.
            if !isInTransaction { statement.stop(by: .connection) }
            return error
        }
    }
}
#endif
