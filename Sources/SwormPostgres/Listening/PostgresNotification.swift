#if PostgreSQL
import CSwormPQ
import Foundation

/// A notification that a session has sent by `NOTIFY`, and that the server delivers after the commit.
package struct PostgresNotification: Sendable, Hashable {
    package var payload: String
    /// The number of the sender's process on the server.
    package var processID: Int

    package init(payload: String, processID: Int) {
        self.payload = payload
        self.processID = processID
    }
}

extension PostgresConnection {
    /// Lets the server send the notifications of a channel.
    func listen(to channel: String) throws {
        try run(.command("LISTEN \"\(channel.replacing("\"", with: "\"\""))\""))
    }

    /// Waits for notifications, and returns those that have arrived.
    ///
    /// - Parameters:
    ///   - end: The time at which to return without one.
    ///   - wake: A descriptor whose input ends the wait too.
    func notifications(until end: ContinuousClock.Instant, or wake: Int32) throws -> [PostgresNotification] {
        while true {
            var found: [PostgresNotification] = []
            while let pointer = PQnotifies(handle) {
                defer { PQfreemem(pointer) }
                let payload = pointer.pointee.extra.map { String(cString: $0) } ?? ""
                found.append(PostgresNotification(payload: payload, processID: Int(pointer.pointee.be_pid)))
            }
            guard found.isEmpty else { return found }
            guard !isEnding, PQstatus(handle) == CONNECTION_OK else { throw lost() }
            if mayHoldInput {
                mayHoldInput = Socket.isReadable(PQsocket(handle))
            } else {
                let isReady = Socket.wait(PQsocket(handle), or: wake, until: end) == .ready
                guard isReady, !Socket.isReadable(wake) else { return [] }
                mayHoldInput = isEncrypted
            }
            if PQconsumeInput(handle) == 0 { throw lost() }
        }
    }
}
#endif
