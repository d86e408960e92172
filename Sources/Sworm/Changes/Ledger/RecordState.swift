/// The time, origin and number of the transaction that has written a value.
struct BundleStamp: Sendable, Hashable, Codable {
    var clock: Int64
    /// The index of the origin among those that the store knows; 0 is the store itself.
    var origin: Int
    var number: Int64

    init(clock: Int64, origin: Int, number: Int64) {
        self.clock = clock
        self.origin = origin
        self.number = number
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
}

/// The content of a record: for each property of an object the newest write that the store knows.
///
/// The objects of the store are a function of this content, so that stores with the same writes show the same objects.
struct RecordState: Sendable, Codable {
    struct Link: Sendable, Codable {
        var stamp: BundleStamp
        var isMember: Bool
    }

    struct Order: Sendable, Codable {
        var stamp: BundleStamp
        var members: [String]
    }

    /// The insertion, which has written all attributes and to-one relations without an own stamp.
    var base: BundleStamp?
    /// The newest insertion or change of an attribute.
    var life: BundleStamp?
    /// The newest deletion.
    var deleted: BundleStamp?
    var stamps: [String: BundleStamp] = [:]
    /// The links of relations that are to-many at both ends, by the identity of the destination.
    var links: [String: [String: Link]] = [:]
    var orders: [String: Order] = [:]
    /// The values of an object that is not in the store.
    var values: [String: BundleValue] = [:]
    /// The identities of to-one relations that the store cannot show, because the destination is missing or refers to
    /// another object; empty for none.
    var targets: [String: String] = [:]
    /// The relations of other records, as their identity and a name, that are shown once this object is in the store.
    var waiting: Set<Waiting> = []

    struct Waiting: Sendable, Hashable, Codable {
        var record: String
        var relation: String
    }

    init() {}

    private enum CodingKeys: String, CodingKey {
        case base = "b", life = "l", deleted = "d", stamps = "s", links = "k", orders = "o", values = "v"
        case targets = "t", waiting = "w"
    }

    func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encodeIfPresent(base, forKey: .base)
        if life != base { try values.encodeIfPresent(life, forKey: .life) }
        try values.encodeIfPresent(deleted, forKey: .deleted)
        if !stamps.isEmpty { try values.encode(stamps, forKey: .stamps) }
        if !links.isEmpty { try values.encode(links, forKey: .links) }
        if !orders.isEmpty { try values.encode(orders, forKey: .orders) }
        if !self.values.isEmpty { try values.encode(self.values, forKey: .values) }
        if !targets.isEmpty { try values.encode(targets, forKey: .targets) }
        if !waiting.isEmpty { try values.encode(waiting, forKey: .waiting) }
    }

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        base = try values.decodeIfPresent(BundleStamp.self, forKey: .base)
        life = try values.decodeIfPresent(BundleStamp.self, forKey: .life) ?? base
        deleted = try values.decodeIfPresent(BundleStamp.self, forKey: .deleted)
        stamps = try values.decodeIfPresent([String: BundleStamp].self, forKey: .stamps) ?? [:]
        links = try values.decodeIfPresent([String: [String: Link]].self, forKey: .links) ?? [:]
        orders = try values.decodeIfPresent([String: Order].self, forKey: .orders) ?? [:]
        self.values = try values.decodeIfPresent([String: BundleValue].self, forKey: .values) ?? [:]
        targets = try values.decodeIfPresent([String: String].self, forKey: .targets) ?? [:]
        waiting = try values.decodeIfPresent(Set<Waiting>.self, forKey: .waiting) ?? []
    }

    /// The stamp of an attribute or a to-one relation.
    func stamp(_ property: String) -> BundleStamp? { stamps[property] ?? base }
}

/// The record of the store itself and of the stores whose bundles it has applied.
struct LedgerState: Codable {
    /// The identifiers of the origins; the first one is that of the store itself.
    var origins: [String]
    /// The position in the history up to which changes are in the records.
    var token: ChangeToken
    /// The number of the store's last own transaction.
    var number: Int64 = 0
    /// The latest time of a known transaction.
    var clock: Int64 = 0
    /// The numbers up to which bundles were applied, by origin.
    var applied: [Int: Int64] = [:]
    /// The numbers that other origins had applied, when they made their last bundle.
    var seen: [Int: [Int: Int64]] = [:]
}
