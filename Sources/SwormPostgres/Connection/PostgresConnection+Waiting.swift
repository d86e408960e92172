#if PostgreSQL
import CSwormPQ
import Foundation
import SwormRows

extension PostgresConnection {
    /// Sends what libpq has buffered, and receives what the server sends at the same time.
    func flush() throws {
        silentSince = nil
        while true {
            switch PQflush(handle) {
            case 0:
                // While libpq sends, it may have received a part of a record.
                mayHoldInput = isEncrypted
                return
            case 1:
                try wait(for: Socket.input | Socket.output)
                try receiveWhileSending()
            default: throw lost()
            }
        }
    }

    /// Receives what has arrived while something is sent: a server that cannot send does not read either.
    func receiveWhileSending() throws {
        guard Socket.isReadable(PQsocket(handle)) else { return }
        guard PQconsumeInput(handle) == 1 else { throw lost() }
        noteInputOfCopy()
    }

    /// Returns the next result of the running statement, or nil at its end.
    func nextResult() throws -> OpaquePointer? {
        silentSince = nil
        while PQisBusy(handle) == 1 { try receive() }
        return PQgetResult(handle)
    }

    /// Waits for input, and receives it.
    func receive() throws {
        if mayHoldInput {
            // OpenSSL reads whole records, of which libpq takes as much as it has memory for. The socket does not report the
            // rest. Once the socket was empty before libpq has read, there is no rest.
            mayHoldInput = Socket.isReadable(PQsocket(handle))
        } else {
            try wait(for: Socket.input)
            mayHoldInput = isEncrypted
        }
        if PQconsumeInput(handle) == 0 { throw lost() }
    }

    /// The longest wait for an encrypted connection. Input that arrives exactly while ``receive()`` looks at the socket may
    /// be in a record of which a rest remains.
    private static var longestEncryptedWait: Duration { .milliseconds(250) }

    /// Waits until the socket is ready, or for an encrypted connection until it is time to look for input.
    ///
    /// A token or its deadline stops the running statement. A server that then says nothing, or that exceeds its own
    /// timeout, is given up.
    func wait(for events: Int16) throws {
        let now = ContinuousClock.now
        let since = silentSince ?? now
        let encryptedEnd = isEncrypted ? now.advanced(by: Self.longestEncryptedWait) : nil
        while true {
            if let interruption, interruption.stopsWork { statement.stop(by: .connection) }
            if let abandonTime, abandonTime.secondsLeft == 0 { statement.stop(by: .connection) }
            let stopTime = statement.stopTime
            let end = silenceEnd(since: since, stopTime: stopTime)
            var limit = earlier(earlier(end, encryptedEnd), opening?.nextLook)
            if stopTime == nil { limit = earlier(earlier(limit, nextLook), abandonTime) }
            silentSince = nil
            if Socket.wait(PQsocket(handle), for: events, until: limit) == .ready { return }
            silentSince = since
            try opening?.check(host)
            if let end, end.secondsLeft == 0 { throw silent(stopTime: stopTime) }
            if let encryptedEnd, encryptedEnd.secondsLeft == 0 { return }
        }
    }

    /// The time at which a server that says nothing is given up; nil for never.
    private func silenceEnd(
        since: ContinuousClock.Instant, stopTime: ContinuousClock.Instant?
    ) -> ContinuousClock.Instant? {
        if let stopTime { return max(stopTime, since).advanced(by: patience) }
        // Each command has a timeout of its own, and the results of all of them may arrive together.
        return statementTimeout.map {
            since.advanced(
                by: min($0, Self.longestTimeout) * max(1, outstanding) + min(lockWait, Self.longestTimeout) + patience)
        }
    }

    /// The longest timeout that a server knows.
    private static let longestTimeout = Duration.milliseconds(Int(Int32.max))

    private func silent(stopTime: ContinuousClock.Instant?) -> ServerError {
        isLost = true
        let reason = stopTime == nil ? "within its own timeout" : "to the request to stop a statement"
        return ServerError(
            stopTime == nil ? .unavailable : .timeout,
            "the server at \(host) did not answer \(reason); the connection was closed")
    }

    /// The time at which a wait must look whether the statement is to stop. A request of another thread does not wake the
    /// thread that waits.
    private var nextLook: ContinuousClock.Instant {
        let second = ContinuousClock.now.advanced(by: .seconds(1))
        return min(interruption?.deadline ?? second, second)
    }

    /// Throws if the work is to stop, before anything is sent.
    func requireUsable() throws {
        guard !isLost else {
            throw ServerError(.unavailable, "the connection to the server at \(host) was lost")
        }
        guard !statement.rejectsAll else {
            throw ServerError(.unavailable, "the connections to \(address) are being closed")
        }
        guard let interruption, interruption.stopsWork else { return }
        throw stopped(sql: nil)
    }

    /// The error of a statement that the token stopped.
    func stopped(sql: String?) -> ServerError { ServerError.stopped(by: interruption, sql: sql) }

    /// Notes the loss of the connection, and returns the error for it.
    func lost() -> ServerError {
        isLost = true
        // The server's last message explains why it ended the connection. On an open one, libpq would wait for a result.
        if PQstatus(handle) == CONNECTION_BAD, let result = PQgetResult(handle) {
            defer { PQclear(result) }
            if PQresultErrorField(result, Int32(UInt8(ascii: "C"))) != nil {
                return ServerError(result: result, sql: nil)
            }
        }
        return ServerError(.unavailable, "the connection to the server at \(host) was lost")
    }

    /// Whether an idle connection is still there: a server that was stopped has closed it.
    package var isAlive: Bool {
        guard !isLost, PQstatus(handle) == CONNECTION_OK else { return false }
        // The server's reason comes before the end of the connection.
        while Socket.isReadable(PQsocket(handle)) {
            guard PQconsumeInput(handle) == 1, PQstatus(handle) == CONNECTION_OK else {
                isLost = true
                return false
            }
        }
        // Reads the messages that have arrived.
        if PQisBusy(handle) == 1 || isEnding { isLost = true }
        return !isLost
    }
}

/// Returns the earlier of two times; nil for never.
private func earlier(
    _ time: ContinuousClock.Instant?, _ other: ContinuousClock.Instant?
) -> ContinuousClock.Instant? {
    guard let time, let other else { return time ?? other }
    return min(time, other)
}

extension ServerError {
    /// The error of work that a token has stopped, or its deadline.
    static func stopped(by token: InterruptToken?, sql: String? = nil) -> ServerError {
        guard let token, token.reason == nil, token.isLate else {
            return ServerError(.cancelled, "the work was stopped", sql: sql)
        }
        return ServerError(.timeout, "the deadline of the work has passed", sql: sql)
    }
}
#endif
