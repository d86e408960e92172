#if PostgreSQL
import CSwormPQ

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
        try prepareToSend([statement])
        let beginning = pending
        pending = []
        let commands = commands(for: [statement], after: beginning)
        try running(statement.sql) {
            guard PQenterPipelineMode(handle) == 1 else { throw lost() }
            for command in commands { try send(command) }
            guard PQpipelineSync(handle) == 1 else { throw lost() }
            try flush()
            var failure: ServerError?
            var bodyFailure: (any Error)?
            for (index, command) in commands.enumerated() {
                var found: PostgresResult?
                guard index == commands.count - 1 else {
                    try takeResults(of: command, found: &found, failure: &failure)
                    if found != nil { note(command) }
                    continue
                }
                _ = sworm_pq_receive_in_parts(handle, Int32(clamping: max(1, rows)))
                while let result = try nextResult() {
                    guard sworm_pq_is_part(result) == 1 else {
                        try take(result, of: command, found: &found, failure: &failure)
                        continue
                    }
                    let part = PostgresResult(result)
                    if bodyFailure == nil { bodyFailure = self.failure(of: body, with: part) }
                }
            }
            try leavePipeline(after: failure)
            if let error = bodyFailure ?? failure { throw error }
        }
    }

    private func failure(of body: (PostgresResult) throws -> Void, with part: PostgresResult) -> (any Error)? {
        isReceivingRows = true
        defer { isReceivingRows = false }
        do {
            try body(part)
            return nil
        } catch {
            // Outside of a transaction nothing else ends with the statement.
            if !isInTransaction { canceller.stop() }
            return error
        }
    }
}
#endif
