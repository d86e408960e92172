/// The keys that inserted rows got, by their temporary keys.
///
/// Temporary keys are handed out one after the other, so that those of one save mostly lie beside each other. Then a list
/// by their distance from the lowest stands for a table.
package struct AssignedKeys: Sendable {
    private var lowest: Int64 = 0
    /// Zero, which is the key of no row, for a temporary key that is not there.
    private var list: ContiguousArray<Int64> = []
    private var table: [Int64: Int64] = [:]

    package init() {}

    /// Makes room for temporary keys within bounds.
    init(count: Int, within bounds: ClosedRange<Int64>) {
        let (span, overflow) = bounds.upperBound.subtractingReportingOverflow(bounds.lowerBound)
        if !overflow, span < Int64(count) * 4 + 64 {
            lowest = bounds.lowerBound
            list = ContiguousArray(repeating: 0, count: Int(span) + 1)
        } else {
            table.reserveCapacity(count)
        }
    }

    /// The key for a temporary key; nil for one that is not there.
    package subscript(temporary: Int64) -> Int64? {
        guard !list.isEmpty else { return table[temporary] }
        let (place, overflow) = temporary.subtractingReportingOverflow(lowest)
        guard !overflow, place >= 0, place < list.count else { return table[temporary] }
        return list[Int(place)] == 0 ? nil : list[Int(place)]
    }

    /// Gives a temporary key its key.
    ///
    /// - Returns: Whether it had none yet.
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
