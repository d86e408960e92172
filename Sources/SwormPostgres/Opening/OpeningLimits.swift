#if PostgreSQL
import Foundation
import SwormRows

/// The limits of the opening of a connection: a time, and a token.
struct OpeningLimits {
    /// The time at which to give up; nil for never.
    var end: ContinuousClock.Instant?
    let token: InterruptToken?
    /// The duration for messages.
    private var duration: Duration?

    /// - Parameters:
    ///   - timeout: The longest duration; nil for none.
    ///   - deadline: A time at which to give up earlier.
    init(_ timeout: Duration?, until deadline: ContinuousClock.Instant? = nil, token: InterruptToken? = nil) {
        self.token = token
        let now = ContinuousClock.now
        let ends = [timeout.map { now.advanced(by: $0) }, deadline, token?.deadline]
        end = ends.compactMap(\.self).min()
        duration = end.map { $0 - now }
    }

    /// Returns the limits of the first of several attempts, which leaves equal times for the other ones.
    func share(of attempts: Int) -> OpeningLimits {
        guard attempts > 1, let end else { return self }
        let now = ContinuousClock.now
        var limits = self
        let part = max(.zero, end - now) / attempts
        limits.end = now.advanced(by: part)
        limits.duration = part
        return limits
    }

    /// The time at which a wait must look whether it is over; nil for never. A token does not wake the thread.
    var nextLook: ContinuousClock.Instant? {
        guard token != nil else { return end }
        let look = ContinuousClock.now.advanced(by: .milliseconds(50))
        return end.map { min($0, look) } ?? look
    }

    /// Throws if the opening must end.
    func check(_ host: PostgresAddress.Host) throws {
        if let token, token.stopsWork { throw ServerError.stopped(by: token) }
        guard let end, end.secondsLeft == 0 else { return }
        let tenths = Int(((duration ?? .zero).inSeconds * 10).rounded())
        throw ServerError(
            .unavailable, "the server at \(host) did not answer within \(Duration.milliseconds(tenths * 100))")
    }
}
#endif
