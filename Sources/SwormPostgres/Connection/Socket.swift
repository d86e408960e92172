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
        var descriptor = pollfd(fd: socket, events: events, revents: 0)
        return wait(&descriptor, count: 1, until: end)
    }

    /// Waits until one of two sockets has something to read, or until a time.
    static func wait(_ socket: Int32, or other: Int32, until end: ContinuousClock.Instant?) -> Readiness {
        var descriptors = [socket, other].map { pollfd(fd: $0, events: input, revents: 0) }
        return wait(&descriptors, count: 2, until: end)
    }

    private static func wait(
        _ descriptors: UnsafeMutablePointer<pollfd>, count: nfds_t, until end: ContinuousClock.Instant?
    ) -> Readiness {
        while true {
            // Rounded up, so that the time has passed when the wait ends.
            let limit = end.map { Int32(clamping: Int(min($0.secondsLeft, 1e6) * 1000) + 1) } ?? -1
            let found = poll(descriptors, count, limit)
            if found > 0 { return .ready }
            if found < 0, errno != EINTR { return .ready }
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
