#if PostgreSQL
import CSwormPQ
import SwormRows

extension PostgresConnection {
    /// Reads rows by COPY, in binary form.
    ///
    /// If the body throws, the remaining rows are received and dropped.
    ///
    /// - Parameters:
    ///   - source: A table with its columns, or a query in parentheses. COPY takes no parameters.
    ///   - body: Is called with each row. It must not use the connection.
    /// - Returns: The number of rows.
    @discardableResult
    package func copyOut(of source: String, _ body: (borrowing CopiedRow) throws -> Void) throws -> Int {
        let statement = SQLStatement.command("COPY \(source) TO STDOUT (FORMAT binary)")
        let start = try beginCopy(statement)
        return try running(statement.sql) {
            try sendCopy(statement, expecting: PGRES_COPY_OUT)
            var count = 0
            var bodyFailure: (any Error)?
            var isFirst = true
            isReceivingRows = true
            defer { isReceivingRows = false }
            while let message = try nextCopyMessage() {
                defer { PQfreemem(message.baseAddress) }
                guard bodyFailure == nil else { continue }
                do {
                    let row = try CopiedRow(UnsafeRawBufferPointer(message), hasHeader: isFirst)
                    isFirst = false
                    guard let row else { continue }
                    count += 1
                    try body(row)
                } catch {
                    bodyFailure = error
                    if !isInTransaction { self.statement.stop(by: .connection) }
                }
                // While rows are there, nothing waits for the server, and notices the token.
                if let interruption, interruption.stopsWork { self.statement.stop(by: .connection) }
            }
            var found: PostgresResult?
            var failure: ServerError?
            try takeResults(of: Command(statement, index: 0), found: &found, failure: &failure)
            if let error = bodyFailure ?? failure { throw error }
            report(Command(statement, index: 0), rows: count, since: start)
            return count
        }
    }

    /// Returns the next message of a COPY, which the caller frees; nil at the end.
    private func nextCopyMessage() throws -> UnsafeMutableRawBufferPointer? {
        silentSince = nil
        while true {
            var start: UnsafeMutablePointer<CChar>?
            let length = PQgetCopyData(handle, &start, 1)
            if length > 0, let start { return UnsafeMutableRawBufferPointer(start: start, count: Int(length)) }
            // The end and a failure are followed by a result.
            guard length == 0 else { return nil }
            try receive()
        }
    }
}
#endif
