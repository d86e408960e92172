#if PostgreSQL
import CSwormPQ
import Foundation
import SwormRows

extension PostgresConnection {
    /// A message to the server.
    struct Command {
        enum Action {
            case run
            case prepare(String)
            case runPrepared(String)
        }

        let statement: SQLStatement
        let action: Action
        /// The index of the caller's statement; nil for a statement of the driver.
        let index: Int?

        init(_ statement: SQLStatement, action: Action = .run, index: Int? = nil) {
            self.statement = statement
            self.action = action
            self.index = index
        }
    }

    /// Sends commands in one trip to the server, and returns the results of those that are the caller's.
    ///
    /// After an error, the server skips the commands that follow it.
    func exchange(_ commands: [Command]) throws -> [PostgresResult] {
        guard !commands.isEmpty else { return [] }
        try receiveAnswer()
        try requireUsable()
        // The last statement is the caller's.
        return try running(commands.last?.statement.sql ?? "") {
            if commands.count == 1, case .run = commands[0].action { return try exchangeOne(commands[0]) }
            if commands.count == 1, case .runPrepared = commands[0].action { return try exchangeOne(commands[0]) }
            return try exchangeAll(commands)
        }
    }

    /// Runs a closure that sends statements and receives their answers.
    ///
    /// - Parameter sql: The text of a statement, for messages of other threads.
    func running<R>(_ sql: String, body: () throws -> R) throws -> R {
        canceller.begin(sql)
        defer { endStatement() }
        return try body()
    }

    private func endStatement() {
        switch canceller.end() {
        case .undisturbed: break
        case .stopped: mayBeStopped = true
        case .unknown: isLost = true
        }
    }

    // MARK: Answers that arrive later

    /// Sends a statement whose answer is received before the next statement, or when it is needed.
    func ask(_ command: Command) throws -> PendingAnswer {
        try receiveAnswer()
        try requireUsable()
        canceller.begin(command.statement.sql)
        let answer = PendingAnswer(command, start: watch == nil ? nil : .now)
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
            report(answer.command, result: found, since: answer.start)
        } catch {
            answer.outcome = .failure(error)
            throw error
        }
    }

    // MARK: One trip

    private func exchangeOne(_ command: Command) throws -> [PostgresResult] {
        let start = watch == nil ? nil : ContinuousClock.now
        try send(command)
        try flush()
        var found: PostgresResult?
        var failure: ServerError?
        try takeResults(of: command, found: &found, failure: &failure)
        if let failure { throw failure }
        report(command, result: found, since: start)
        return command.index == nil ? [] : [found].compactMap(\.self)
    }

    private func exchangeAll(_ commands: [Command]) throws -> [PostgresResult] {
        guard PQenterPipelineMode(handle) == 1 else { throw lost() }
        var start = watch == nil ? nil : ContinuousClock.now
        for command in commands { try send(command) }
        guard PQpipelineSync(handle) == 1 else { throw lost() }
        try flush()
        var results: [PostgresResult] = []
        var failure: ServerError?
        for command in commands {
            var found: PostgresResult?
            try takeResults(of: command, found: &found, failure: &failure)
            if let found {
                note(command)
                report(command, result: found, since: start)
                if start != nil { start = .now }
                if command.index != nil, !command.isPreparation { results.append(found) }
            }
        }
        try leavePipeline(after: failure)
        if let failure { throw failure }
        return results
    }

    /// Receives the end of a pipeline. It does not come after a failure that ended the connection.
    func leavePipeline(after failure: ServerError?) throws {
        if isLost, let failure { throw failure }
        guard let end = try nextResult() else { throw lost() }
        defer { PQclear(end) }
        guard PQresultStatus(end) == PGRES_PIPELINE_SYNC, PQexitPipelineMode(handle) == 1 else { throw lost() }
    }

    /// Throws if a statement cannot be written as a message.
    func check(_ statement: SQLStatement) throws {
        let sql = statement.sql
        guard !sql.utf8.contains(0) else {
            throw ServerError(.misuse, "an SQL string must not contain a NUL character", sql: sql)
        }
        guard let parameters = statement.parameters else { return }
        guard parameters.count <= Int(UInt16.max), parameters.buffer.count <= WireBuffer.longestValue else {
            throw ServerError(
                .limit, "a statement takes at most 65535 parameters and a gibibyte of values; send them in parts",
                sql: sql)
        }
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
    }

    /// Receives the results of a command: its rows, or its failure, of which the first one counts.
    func takeResults(
        of command: Command, found: inout PostgresResult?, failure: inout ServerError?
    ) throws {
        do {
            while let result = try nextResult() { try take(result, of: command, found: &found, failure: &failure) }
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
        let isStopped = canceller.stopTime != nil
        var failure = ServerError(result: result, sql: command.statement.sql, isStopped: isStopped)
        if failure.kind == .cancelled, interruption != nil {
            let state = failure.state
            failure = stopped(sql: failure.sql)
            failure.state = state
        }
        failure.index = command.index
        // The server ends the connection itself after such an error.
        if let severity = PQresultErrorField(result, Int32(UInt8(ascii: "V"))).map({ String(cString: $0) }),
            severity == "FATAL" || severity == "PANIC"
        {
            isLost = true
        }
        return failure
    }

    /// Notes that a command succeeded.
    func note(_ command: Command) {
        if case .prepare(let name) = command.action { cache.didPrepare(command.statement.shape, as: name) }
    }

    func report(_ command: Command, result: PostgresResult?, since start: ContinuousClock.Instant?) {
        guard let watch, let start, !command.isPreparation else { return }
        watch.report(
            RunStatement(
                sql: command.statement.sql, seconds: start.duration(to: .now).inSeconds, rows: result?.rowCount ?? 0))
    }
}

extension PostgresConnection.Command {
    var isPreparation: Bool { if case .prepare = action { true } else { false } }
}
#endif
