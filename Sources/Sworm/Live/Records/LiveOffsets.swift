/// The offsets of rows by their keys.
///
/// A list is often searched for a few rows before it is replaced by the next one, so the first searches scan it. A table
/// is created after them.
struct LiveOffsets: Sendable {
    private static let scanLimit = 8

    private var table: [Int64: Int]?
    private var scans = 0
    /// Whether no two rows have the same key, which rows of several stores may have.
    let isUnique: Bool

    init() { self.init([], isOfOneStore: true) }

    init(_ stamps: [LiveStamp], isOfOneStore: Bool) {
        if isOfOneStore {
            isUnique = true
        } else {
            let table = Self.table(of: stamps)
            self.table = table
            isUnique = table.count == stamps.count
        }
    }

    /// Returns the offset of the row with a key.
    ///
    /// - Parameter stamps: The identities of the rows, in the same order as when the offsets were created.
    mutating func offset(of key: Int64, in stamps: [LiveStamp]) -> Int? {
        if let table { return table[key] }
        if scans < Self.scanLimit {
            scans += 1
            return stamps.firstIndex { $0.identity.key == key }
        }
        table = Self.table(of: stamps)
        return table?[key]
    }

    /// Returns the offsets at which the rows of a new list are in the old one with the same version, or -1 for changed and
    /// new rows.
    mutating func origins(of others: [LiveStamp], in stamps: [LiveStamp]) -> [Int] {
        func has(_ other: LiveStamp, at offset: Int) -> Bool {
            offset < stamps.count && stamps[offset].identity == other.identity
        }
        // Most rows follow the row that they followed before, in the list or in a part of it that has moved.
        var (next, nextMoved) = (0, 0)
        var origins: [Int] = []
        origins.reserveCapacity(others.count)
        for other in others {
            var origin: Int?
            if has(other, at: next) {
                origin = next
                next += 1
            } else if has(other, at: next + 1) {
                origin = next + 1
                next += 2
            } else if has(other, at: nextMoved) {
                origin = nextMoved
                nextMoved += 1
            } else {
                origin = offset(of: other.identity.key, in: stamps)
                if let origin { nextMoved = origin + 1 }
            }
            if let offset = origin, stamps[offset] == other {
                origins.append(offset)
            } else {
                origins.append(-1)
            }
        }
        return origins
    }

    private static func table(of stamps: [LiveStamp]) -> [Int64: Int] {
        var table: [Int64: Int] = [:]
        table.reserveCapacity(stamps.count)
        for (offset, stamp) in stamps.enumerated() { table[stamp.identity.key] = offset }
        return table
    }
}
