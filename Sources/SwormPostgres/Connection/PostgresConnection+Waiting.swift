#if PostgreSQL
import CSwormPQ
import Foundation
import SwormRows

extension PostgresConnection {
    /// The time that the server has to stop a statement, or to report that it has.
    private static var patience: Duration { .seconds(5) }

    /// Sends what libpq has buffered, and receives what the server sends at the same time.
    func flush() throws {
        while true {
            switch PQflush(handle) {
            case 0: return
            case 1:
                try wait(for: Socket.input | Socket.output)
                if Socket.isReadable(PQsocket(handle)), PQconsumeInput(handle) == 0 { throw lost() }
            default: throw lost()
            }
        }
    }

    /// Returns the next result of the running statement, or nil at its end.
    func nextResult() throws -> OpaquePointer? {
        while PQisBusy(handle) == 1 {
            try wait(for: Socket.input)
            if PQconsumeInput(handle) == 0 { throw lost() }
        }
        return PQgetResult(handle)
    }

    /// Waits until the socket is ready.
    ///
    /// A token or its deadline stops the running statement. A server that then says nothing, or that exceeds its own
    /// timeout, is given up.
    func wait(for events: Int16) throws {
        let silence = statementTimeout.map { ContinuousClock.now.advanced(by: $0 + Self.patience) }
        while true {
            if let interruption, interruption.stopsWork { canceller.stop() }
            var end = silence
            let stopTime = canceller.stopTime
            if let stopTime { end = stopTime.advanced(by: Self.patience) }
            let limit = [end, stopTime == nil ? nextLook : nil].compactMap(\.self).min()
            if Socket.wait(PQsocket(handle), for: events, until: limit) == .ready { return }
            if let end, end.secondsLeft == 0 {
                isLost = true
                let reason = stopTime == nil ? "within its own timeout" : "to the request to stop a statement"
                throw ServerError(.timeout, "the server at \(host) did not answer \(reason); the connection was closed")
            }
        }
    }

    /// The time at which a wait must look whether the statement is to stop; nil for never.
    private var nextLook: ContinuousClock.Instant? {
        // A token may be set while the thread waits; its listener sends the request, but does not wake the thread.
        guard let interruption else { return nil }
        let second = ContinuousClock.now.advanced(by: .seconds(1))
        return min(interruption.deadline ?? second, second)
    }

    /// Throws if the work is to stop, before anything is sent.
    func requireUsable() throws {
        guard !isLost else {
            throw ServerError(.unavailable, "the connection to the server at \(host) was lost")
        }
        guard let interruption, interruption.stopsWork else { return }
        throw stopped(sql: nil)
    }

    /// The error of a statement that the token stopped.
    func stopped(sql: String?) -> ServerError {
        guard let interruption, interruption.reason == nil, interruption.isLate else {
            return ServerError(.cancelled, "the work was stopped", sql: sql)
        }
        return ServerError(.timeout, "the deadline of the work has passed", sql: sql)
    }

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
#endif
