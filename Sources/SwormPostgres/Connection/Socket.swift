#if PostgreSQL
import Foundation
import SwormRows

/// Waits for a socket.
enum Socket {
    enum Readiness { case ready, timedOut }

    static let input = Int16(POLLIN)
    static let output = Int16(POLLOUT)

    /// Waits until a socket is ready, or until a time.
    ///
    /// - Parameters:
    ///   - events: The events of `poll`, any of which ends the wait. An error of the socket ends it too.
    ///   - end: The time at which to give up; nil for never.
    static func wait(_ socket: Int32, for events: Int16, until end: ContinuousClock.Instant?) -> Readiness {
        while true {
            var descriptor = pollfd(fd: socket, events: events, revents: 0)
            // Rounded up, so that the time has passed when the wait ends.
            let limit = end.map { Int32(clamping: Int(min($0.secondsLeft, 1e6) * 1000) + 1) } ?? -1
            let count = poll(&descriptor, 1, limit)
            if count > 0 { return .ready }
            if count < 0, errno != EINTR { return .ready }
            if let end, end.secondsLeft == 0 { return .timedOut }
        }
    }

    /// Whether a socket has something to read, or is closed.
    static func isReadable(_ socket: Int32) -> Bool {
        var descriptor = pollfd(fd: socket, events: input, revents: 0)
        return poll(&descriptor, 1, 0) != 0
    }
}
#endif
