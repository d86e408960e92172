#if PostgreSQL
import CSwormPQ
import SwormRows

extension PostgresConnection {
    /// A COPY into a table that is running.
    struct RunningCopy {
        let statement: SQLStatement
        /// The error by which the server has ended the COPY.
        var failure: ServerError?
        /// The time since which the server has sent something that was no notice.
        var inputSince: ContinuousClock.Instant?
    }

    /// Writes rows into a table by COPY.
    ///
    /// If the body or the server fails, no row is written; the transaction has then failed too.
    ///
    /// - Parameters:
    ///   - table: The name of the table and the columns as SQL, such as `"shop"."Book" ("title", "year")`.
    ///   - types: The types of the columns, which must be exactly those of the table.
    ///   - body: Writes the rows. It must not use the connection.
    /// - Returns: The number of rows that the server has written: a trigger can skip some of them.
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
                abandonCopy()
                throw error
            }
            let count = try endCopy()
            report(Command(statement, index: 0), rows: 0, since: start)
            return count
        }
    }

    /// Makes the connection ready for COPY, which cannot be a part of a pipeline: what waits to be sent is sent.
    ///
    /// - Returns: The time, if an observer wants to know the duration.
    func beginCopy(_ statement: SQLStatement) throws -> ContinuousClock.Instant? {
        try prepareToSend([statement])
        _ = try perform(takePending().map { Command($0) })
        return watch == nil ? nil : .now
    }

    func sendCopy(_ statement: SQLStatement, expecting status: ExecStatusType) throws {
        copy = nil
        try send(Command(statement, index: 0))
        try flush()
        guard let result = try nextResult() else { throw lost() }
        guard PQresultStatus(result) != status else {
            if status == PGRES_COPY_IN { copy = RunningCopy(statement: statement) }
            return PQclear(result)
        }
        defer { PQclear(result) }
        let failure = failure(result, of: Command(statement, index: 0))
        while let rest = try nextResult() { PQclear(rest) }
        throw failure
    }

    /// Sends a part of the rows. A message may end anywhere in a row, and has a limit.
    func put(_ bytes: UnsafeRawBufferPointer) throws {
        guard let start = bytes.baseAddress else { return }
        for offset in stride(from: 0, to: bytes.count, by: Self.longestMessage) {
            try requireRunningCopy()
            try receiveWhileSending()
            let text = (start + offset).assumingMemoryBound(to: CChar.self)
            let count = Int32(min(Self.longestMessage, bytes.count - offset))
            guard PQputCopyData(handle, text, count) == 1 else { throw lost() }
            try flush()
        }
    }

    private static var longestMessage: Int { 16 * 1024 * 1024 }

    /// Throws if no more rows are to be sent.
    private func requireRunningCopy() throws {
        guard let copy else { throw ServerError(.misuse, "the COPY has ended") }
        if let failure = copy.failure { throw failure }
        if let interruption, interruption.stopsWork { throw stopped(sql: copy.statement.sql) }
        if statement.stopTime != nil {
            throw ServerError(.cancelled, "the statement was stopped", sql: copy.statement.sql)
        }
        if let since = copy.inputSince, since.duration(to: .now) > Self.inputPatience { try takeEarlyEnd() }
    }

    // MARK: An early end

    /// The time in which the rest of a notice arrives, whose beginning is nothing else than that of an error for libpq's
    /// users.
    private static var inputPatience: Duration { .milliseconds(100) }

    /// Notes that the server has sent something while rows are sent, which is a notice, or the error that ends the COPY.
    ///
    /// libpq keeps an error until the end of the rows, and does not say that it has one. It may also read one while it sends,
    /// so that not every error is noticed before the end.
    func noteInputOfCopy() {
        guard copy != nil else { return }
        let before = notices.count
        // Reads the messages that have arrived.
        _ = PQisBusy(handle)
        var isNotice = notices.count > before
        while let notification = PQnotifies(handle) {
            isNotice = true
            PQfreemem(notification)
        }
        copy?.inputSince = isNotice ? nil : .now
    }

    /// Ends the rows, which the server no longer reads, and throws its error.
    private func takeEarlyEnd() throws {
        var ended = copy
        do {
            try endCopy(reason: "the server has sent an error")
        } catch let error as ServerError {
            ended?.failure = error
            copy = ended
            throw error
        }
    }

    // MARK: The end

    /// Ends the rows, and returns the number of rows that the server has written.
    ///
    /// - Parameter reason: The reason why the server must not write them; nil if it must.
    @discardableResult
    func endCopy(reason: String? = nil) throws -> Int {
        guard let copy else { throw ServerError(.misuse, "the COPY has ended") }
        if let failure = copy.failure { throw failure }
        self.copy = nil
        guard PQputCopyEnd(handle, reason) == 1 else { throw lost() }
        try flush()
        var found: PostgresResult?
        var failure: ServerError?
        try takeResults(of: Command(copy.statement, index: 0), found: &found, failure: &failure)
        if let failure { throw failure }
        return found?.affectedRows ?? 0
    }

    /// Ends a COPY without writing any row, unless it has ended.
    func abandonCopy() {
        // After the loss of the connection, there is nothing to end.
        if !isLost, let copy, copy.failure == nil { _ = try? endCopy(reason: "the rows could not be written") }
        copy = nil
    }
}
#endif
