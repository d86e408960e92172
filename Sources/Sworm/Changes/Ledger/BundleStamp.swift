/// The time, origin and number of the transaction that has written a value, and the transactions that its origin knew.
struct BundleStamp: Sendable, Codable {
    var clock: Int64
    /// The index of the origin among those that the store knows; 0 is the store itself.
    var origin: Int
    var number: Int64
    /// The numbers up to which the origin knew the transactions of other origins, by their indices. Records encode them
    /// once for all stamps of a transaction.
    var seen: [Int: Int64] = [:]

    init(clock: Int64, origin: Int, number: Int64, seen: [Int: Int64] = [:]) {
        self.clock = clock
        self.origin = origin
        self.number = number
        self.seen = seen
    }

    init(from decoder: any Decoder) throws {
        var values = try decoder.unkeyedContainer()
        clock = try values.decode(Int64.self)
        origin = try values.decode(Int.self)
        number = try values.decode(Int64.self)
    }

    func encode(to encoder: any Encoder) throws {
        var values = encoder.unkeyedContainer()
        try values.encode(clock)
        try values.encode(origin)
        try values.encode(number)
    }

    /// Returns whether the transaction was made with knowledge of another one.
    func knows(_ other: BundleStamp) -> Bool {
        (origin == other.origin ? number : seen[other.origin] ?? 0) >= other.number
    }

    /// Returns whether two transactions were made without knowledge of each other.
    func isConcurrent(with other: BundleStamp) -> Bool { !knows(other) && !other.knows(self) }
}

extension BundleStamp: Hashable {
    static func == (one: BundleStamp, other: BundleStamp) -> Bool {
        one.clock == other.clock && one.origin == other.origin && one.number == other.number
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(origin)
        hasher.combine(number)
    }
}
