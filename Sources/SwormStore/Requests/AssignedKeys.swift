/// The keys assigned to inserted rows, by their temporary keys.
///
/// Temporary keys are assigned consecutively, so those of one save are mostly adjacent. In that case an array indexed
/// by the distance from the lowest key replaces a dictionary.
package struct AssignedKeys: Sendable {
    private var lowest: Int64 = 0
    /// The keys; zero, which is not the key of any row, for a missing temporary key.
    private var list: ContiguousArray<Int64> = []
    private var table: [Int64: Int64] = [:]

    init() {}

    /// Reserves capacity for temporary keys within bounds.
    init(count: Int, within bounds: ClosedRange<Int64>) {
        let (span, overflow) = bounds.upperBound.subtractingReportingOverflow(bounds.lowerBound)
        if !overflow, span < Int64(count) * 4 + 64 {
            lowest = bounds.lowerBound
            list = ContiguousArray(repeating: 0, count: Int(span) + 1)
        } else {
            table.reserveCapacity(count)
        }
    }

    /// Accesses the key of a temporary key; nil for an unknown temporary key.
    package subscript(temporary: Int64) -> Int64? {
        guard !list.isEmpty else { return table[temporary] }
        let (place, overflow) = temporary.subtractingReportingOverflow(lowest)
        guard !overflow, place >= 0, place < list.count else { return table[temporary] }
        return list[Int(place)] == 0 ? nil : list[Int(place)]
    }

    /// Assigns a key to a temporary key.
    ///
    /// - Returns: Whether the temporary key had no key before.
    mutating func assign(_ key: Int64, to temporary: Int64) -> Bool {
        guard self[temporary] == nil else { return false }
        let (place, overflow) = temporary.subtractingReportingOverflow(lowest)
        if !overflow, place >= 0, place < list.count {
            list[Int(place)] = key
        } else {
            table[temporary] = key
        }
        return true
    }
}
