import CSwormSystem

/// An instant of a monotonic clock.
///
/// Unlike an instant of the standard library's clock, whose layout is determined at run time, it is copied as a
/// number.
package struct Moment: Sendable, Comparable {
    private let nanoseconds: Int64

    package static var now: Moment { Moment(nanoseconds: Int64(sworm_nanoseconds())) }

    package static func < (first: Moment, second: Moment) -> Bool { first.nanoseconds < second.nanoseconds }

    package static func - (later: Moment, earlier: Moment) -> Duration {
        .nanoseconds(later.nanoseconds - earlier.nanoseconds)
    }
}
