#if PostgreSQL
import CSwormPQ
import Foundation
import SwormRows

extension PostgresConnection {
    /// Sends commands in one trip to the server, and returns the results of those that are the caller's.
    ///
    /// After an error, the server skips the commands that follow it.
    func exchange(_ commands: [Command]) throws -> [PostgresResult] {
        guard !commands.isEmpty else { return [] }
        try receiveAnswer()
        try requireUsable()
        return try perform(commands)
    }

    /// Sends commands in one trip, without a look whether the connection can be used: from here on they are sent, or the
    /// connection is lost.
    func perform(_ commands: [Command]) throws -> [PostgresResult] {
        guard let last = commands.last else { return [] }
        // The last statement is the caller's.
        return try running(last.statement.sql) {
            if commands.count == 1, !last.isPreparation { return try exchangeOne(last) }
            return try exchangeAll(commands)
        }
    }

    /// Runs a closure that sends statements and receives their answers.
    ///
    /// - Parameter sql: The text of a statement, for messages of other threads.
    func running<R>(_ sql: String, body: () throws -> R) throws -> R {
        beginStatement(sql)
        defer { endStatement() }
        return try body()
    }

    func beginStatement(_ sql: String) {
        outstanding = 1
        statement.begin(sql)
    }

    func endStatement() {
        switch statement.end() {
        case .undisturbed: break
        case .stopped: mayBeStopped = true
        case .unknown: isLost = true
        }
    }

    // MARK: Answers that arrive later

    /// Sends a statement whose answer is received before the next statement, or when it is needed.
    ///
    /// - Parameter scope: The transaction or the savepoint whose end makes the answer useless.
    func ask(_ command: Command, in scope: TransactionScope?) throws -> PendingAnswer {
        try receiveAnswer()
        try requireUsable()
        beginStatement(command.statement.sql)
        let answer = PendingAnswer(command, in: scope, start: watch == nil ? nil : .now)
        self.answer = answer
        do {
            try send(command)
            try flush()
        } catch {
            self.answer = nil
            endStatement()
            throw error
        }
        return answer
    }

    /// Receives an answer that the server is sending, if there is one, so that another statement can be sent.
    func receiveAnswer() throws {
        guard !isReceivingRows else {
            throw ServerError(
                .misuse, "the connection is receiving rows; read them to the end before the next statement")
        }
        guard let answer else { return }
        self.answer = nil
        defer { endStatement() }
        var found: PostgresResult?
        var failure: ServerError?
        do {
            try takeResults(of: answer.command, found: &found, failure: &failure)
            if let failure { throw failure }
            guard let found else { throw ServerError(.server, "the server sent no result") }
            answer.outcome = .success(found)
            report(answer.command, rows: found.rowCount, since: answer.start)
        } catch {
            answer.outcome = .failure(error)
            throw error
        }
    }

    /// Receives an answer that nobody needs, whatever it is. A statement that takes long is stopped.
    func dropAnswer() {
        guard answer != nil else { return }
        // A request to stop travels over a connection of its own, and most portions arrive sooner.
        abandonTime = ContinuousClock.now.advanced(by: .milliseconds(20))
        defer { abandonTime = nil }
        try? receiveAnswer()
    }

    // MARK: One trip

    private func exchangeOne(_ command: Command) throws -> [PostgresResult] {
        let start = watch == nil ? nil : ContinuousClock.now
        try send(command)
        try flush()
        var found: PostgresResult?
        var failure: ServerError?
        try takeResults(of: command, found: &found, failure: &failure)
        note(command, hasSucceeded: failure == nil)
        if let failure { throw failure }
        report(command, rows: found?.rowCount ?? 0, since: start)
        return command.index == nil ? [] : [found].compactMap(\.self)
    }

    private func exchangeAll(_ commands: [Command]) throws -> [PostgresResult] {
        var start = watch == nil ? nil : ContinuousClock.now
        try enterPipeline(commands)
        var results: [PostgresResult] = []
        var failure: ServerError?
        for command in commands {
            guard let found = try takeResult(of: command, failure: &failure) else { continue }
            report(command, rows: found.rowCount, since: start)
            if start != nil { start = .now }
            if command.index != nil, !command.isPreparation { results.append(found) }
        }
        try leavePipeline(after: failure)
        if let failure { throw failure }
        return results
    }

    /// Sends commands as a pipeline.
    func enterPipeline(_ commands: [Command]) throws {
        guard PQenterPipelineMode(handle) == 1 else { throw lost() }
        outstanding = commands.count
        for command in commands { try send(command) }
        guard PQpipelineSync(handle) == 1 else { throw lost() }
        try flush()
    }

    /// Receives the result of one command of a pipeline; nil for a command that failed or was skipped.
    func takeResult(of command: Command, failure: inout ServerError?) throws -> PostgresResult? {
        var found: PostgresResult?
        let isSkipped = failure != nil
        try takeResults(of: command, found: &found, failure: &failure)
        outstanding -= 1
        if !isSkipped { note(command, hasSucceeded: failure == nil) }
        return found
    }

    /// Receives the end of a pipeline. It does not come after a failure that ended the connection.
    func leavePipeline(after failure: ServerError?) throws {
        if isLost, let failure { throw failure }
        guard let end = try nextResult() else { throw lost() }
        defer { PQclear(end) }
        guard PQresultStatus(end) == PGRES_PIPELINE_SYNC, PQexitPipelineMode(handle) == 1 else { throw lost() }
    }

    /// Gives a command to libpq, which sends as much of it as the socket takes.
    func send(_ command: Command) throws {
        let sql = command.statement.sql
        let arrays = command.statement.parameters?.arrays ?? Parameters.Arrays()
        let count = Int32(arrays.types.count)
        let isSent =
            switch command.action {
            case .run:
                PQsendQueryParams(handle, sql, count, arrays.types, arrays.values, arrays.lengths, arrays.formats, 1)
            case .prepare(let name): PQsendPrepare(handle, name, sql, count, arrays.types)
            case .runPrepared(let name):
                PQsendQueryPrepared(handle, name, count, arrays.values, arrays.lengths, arrays.formats, 1)
            }
        // The addresses of the values are in the parameters' buffer.
        withExtendedLifetime(command.statement.parameters) {}
        guard isSent == 1 else { throw lost() }
        if command.isCommit { mayHaveCommitted = true }
        lockWait = max(lockWait, command.lockWait)
    }

    /// Receives the results of a command: its rows, or its failure, of which the first one counts.
    func takeResults(
        of command: Command, found: inout PostgresResult?, failure: inout ServerError?
    ) throws {
        defer { if command.lockWait > .zero { lockWait = .zero } }
        do {
            while let result = try nextResult() {
                try take(result, of: command, found: &found, failure: &failure)
                // Nothing that follows can be relied on.
                if isLost, let failure { throw failure }
            }
        } catch {
            // An error of the server says more than the loss of the connection that follows it.
            if isLost, let failure { throw failure }
            throw error
        }
    }

    func take(
        _ result: OpaquePointer, of command: Command, found: inout PostgresResult?, failure: inout ServerError?
    ) throws {
        switch PQresultStatus(result) {
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY: found = PostgresResult(result)
        case PGRES_PIPELINE_ABORTED: PQclear(result)
        case PGRES_COPY_IN, PGRES_COPY_OUT, PGRES_COPY_BOTH:
            PQclear(result)
            isLost = true
            throw ServerError(
                .misuse, "COPY must be run by copyIn() or copyOut(); the connection was closed",
                sql: command.statement.sql)
        default:
            defer { PQclear(result) }
            if failure == nil { failure = self.failure(result, of: command) }
        }
    }

    func failure(_ result: OpaquePointer, of command: Command) -> ServerError {
        let isStopped = statement.stopTime != nil
        var failure = ServerError(result: result, sql: command.statement.sql, isStopped: isStopped)
        if failure.kind == .cancelled, interruption != nil {
            let state = failure.state
            failure = stopped(sql: failure.sql)
            failure.state = state
        }
        // The caller may not have seen the error from which this one follows, and which says whether to repeat the transaction.
        if failure.state != .inFailedTransaction {
            lastFailure = failure
        } else if let lastFailure, lastFailure.isInterruption {
            failure = lastFailure
        }
        failure.index = command.index
        guard failure.state != nil else {
            // libpq has made the error: it has not understood an answer, or had no memory for it. The server may have run the
            // command and those that follow, and the next answers may be those of other commands.
            isLost = true
            return failure
        }
        failure.isStalePlan = command.usesOldPlan && ServerError.isStalePlan(result)
        // The server has skipped the commands that follow.
        if !command.isCommit { mayHaveCommitted = false }
        // The server ends the connection itself after such an error.
        if let severity = PQresultErrorField(result, Int32(UInt8(ascii: "V"))).map({ String(cString: $0) }),
            severity == "FATAL" || severity == "PANIC"
        {
            isLost = true
        }
        return failure
    }

    /// Notes the outcome of a command that was not skipped.
    private func note(_ command: Command, hasSucceeded: Bool) {
        // A cursor that cannot be closed does not exist.
        if let name = command.closedCursor { unusedCursors.removeAll { $0.name == name } }
        guard hasSucceeded else { return }
        if case .prepare(let name) = command.action { cache.didPrepare(command.statement.shape, as: name) }
        command.savepoint?.isOnServer = true
    }

    /// Reports a command that has run since a time; nil if nobody wanted to know.
    func report(_ command: Command, rows: Int, since start: ContinuousClock.Instant?) {
        guard let watch, let start, !command.isPreparation else { return }
        watch.report(
            RunStatement(sql: command.statement.sql, seconds: start.duration(to: .now).inSeconds, rows: rows))
    }
}
#endif
