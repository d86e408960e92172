/// Conversions between dates as seconds and dates in whole microseconds, both since 2001. A `timestamptz` of a
/// PostgreSQL server has such a date.
///
/// Values of rows, parameters of statements and constants of conditions are all rounded here, so that a date finds the
/// rows in which it was stored.
package enum Microseconds {
    /// The range of a `timestamptz`: from 4714 B.C. up to the year 294276.
    @usableFromInline
    static let range: Range<Int64> = -211_845_110_400_000_000..<9_223_339_708_800_000_000

    /// Returns the nearest date in microseconds, as a server rounds; nil for a date that a `timestamptz` cannot hold.
    @inlinable
    @inline(__always)
    package static func nearest(to seconds: Double) -> Int64? {
        // The limits keep the integers from overflowing; they are false for NaN.
        guard seconds > -1e12, seconds < 9.223_34e12 else { return nil }
        // The product of all digits would be rounded to a multiple of an eighth for a date of today.
        let whole = seconds.rounded(.down)
        let rest = ((seconds - whole) * 1e6).rounded(.toNearestOrEven)
        let microseconds = Int64(whole) &* 1_000_000 &+ Int64(rest)
        return range.contains(microseconds) ? microseconds : nil
    }

    /// Returns a date in microseconds as seconds: the closest double.
    @inlinable
    @inline(__always)
    package static func seconds(_ microseconds: Int64) -> Double {
        // Up to this limit the integer is exact as a double, so that the division alone is rounded.
        if microseconds.magnitude < 1 << 53 { return Double(microseconds) / 1e6 }
        let (whole, rest) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
        return Double(whole) + Double(rest) / 1e6
    }

    /// Returns seconds rounded to the nearest microsecond; nil for a date that a `timestamptz` cannot hold.
    package static func rounded(_ seconds: Double) -> Double? { nearest(to: seconds).map { self.seconds($0) } }
}
