/// The assignment of given values to the stored members of their owners.
///
/// Unsafe: the addresses must be those of values of the type that the comparer was created for.
struct RowMatcher {
    /// The way in which values are assigned.
    enum Rule {
        case position
        /// By the attributes of the comparer's key.
        case key
        /// By keys of rows, which the values hold.
        case rows([Int64])
        /// Not at all.
        case none
    }

    private let comparer: RowComparer
    private let rule: Rule
    private let compares: Bool
    /// The keys of the stored rows.
    private let keys: [Int64]
    private let addresses: ValueAddresses?
    /// The positions of the members of an owner with many, by their keys.
    private var positionByKey: [SaveKey: Int]?
    /// Whether a stored row is assigned to a value.
    private(set) var isTaken: [Bool]
    /// The stored row of each value; -1 for a value without one.
    private(set) var rows: [Int32] = []
    /// The values that differ from their rows.
    private(set) var changed: [Int] = []

    /// - Parameters:
    ///   - keys: The keys of the stored rows.
    ///   - compares: Whether the values are compared, and not only their keys.
    ///   - addresses: The addresses of the stored values; nil if there are no rows.
    init(
        _ comparer: RowComparer, by rule: Rule, keys: [Int64], compares: Bool, addresses: ValueAddresses?
    ) {
        (self.comparer, self.rule, self.keys, self.compares) = (comparer, rule, keys, compares)
        self.addresses = addresses
        isTaken = [Bool](repeating: false, count: keys.count)
    }

    /// Assigns the values of one owner.
    ///
    /// - Parameters:
    ///   - start: The address of the first value.
    ///   - count: The number of values.
    ///   - members: The positions of the owner's stored rows.
    ///   - positions: The row at each position.
    ///   - isShared: Whether other owners may have the same rows.
    mutating func match(
        _ start: UnsafeRawPointer?, count: Int, with members: Range<Int>, of positions: MemberPositions, isShared: Bool
    ) throws {
        var next = members.lowerBound
        positionByKey = nil
        for index in 0..<count {
            guard let value = start.map({ $0 + index * comparer.stride }) else { return }
            let position = try position(of: value, at: index, from: next, in: members, of: positions)
            guard let position else {
                rows.append(-1)
                continue
            }
            next = position + 1
            let row = positions.row(at: position)
            // A second value for the same row is a repetition, which a comparison cannot settle.
            if isTaken[row], !isShared { throw NeedsObjects() }
            isTaken[row] = true
            if compares, let stored = addresses?[row], try !comparer.isSame(value, as: stored) {
                changed.append(rows.count)
            }
            rows.append(Int32(row))
        }
    }

    /// Returns the position of the row that a value belongs to. The rows after that of the previous value are searched first.
    private mutating func position(
        of value: UnsafeRawPointer, at index: Int, from next: Int, in members: Range<Int>, of positions: MemberPositions
    ) throws -> Int? {
        func stored(at position: Int) -> UnsafeRawPointer? { addresses?[positions.row(at: position)] }
        switch rule {
        case .none: return nil
        case .position:
            let position = members.lowerBound + index
            return position < members.upperBound ? position : nil
        case .rows(let wanted):
            let key = wanted[rows.count]
            if next < members.upperBound, keys[positions.row(at: next)] == key { return next }
            return members.first { keys[positions.row(at: $0)] == key }
        case .key:
            if next < members.upperBound, let stored = stored(at: next), try comparer.isSameKey(value, as: stored) {
                return next
            }
            if members.count > Self.searchedMembers { return try position(ofKeyOf: value, in: members, of: positions) }
            for position in members where position != next {
                if let stored = stored(at: position), try comparer.isSameKey(value, as: stored) { return position }
            }
            return nil
        }
    }

    /// The number of members up to which searching all of them is faster than a dictionary.
    static var searchedMembers: Int { 32 }

    private mutating func position(
        ofKeyOf value: UnsafeRawPointer, in members: Range<Int>, of positions: MemberPositions
    ) throws -> Int? {
        guard let key = try comparer.key(value) else { return nil }
        if let positionByKey { return positionByKey[key] }
        var found: [SaveKey: Int] = [:]
        for position in members.reversed() {
            if let stored = addresses?[positions.row(at: position)], let key = try comparer.key(stored) {
                found[key] = position
            }
        }
        positionByKey = found
        return found[key]
    }
}
