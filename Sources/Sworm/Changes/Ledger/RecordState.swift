/// The content of a record: for each property of an object the newest write that the store knows.
///
/// The objects of the store are a function of this content, so that stores with the same writes show the same objects.
struct RecordState: Sendable {
    struct Link: Sendable, Codable {
        var stamp: BundleStamp
        var isMember: Bool
    }

    struct Order: Sendable, Codable {
        var stamp: BundleStamp
        var members: [String]
    }

    /// A write of this store that a write of another store has replaced, without knowledge of each other. It is sent all
    /// the same, so that the other stores notice the conflict.
    struct Replaced: Sendable, Codable {
        enum Content: Sendable, Codable {
            case value(BundleValue)
            /// The identity of the destination; empty for none.
            case target(String)
            case order([String])
            case link(String, isMember: Bool)
        }

        var stamp: BundleStamp
        var property: String
        var content: Content

        /// The property, and the member of a link.
        var key: String {
            if case .link(let member, _) = content { return RecordState.key(ofLink: member, in: property) }
            return property
        }
    }

    struct Waiting: Sendable, Hashable, Codable {
        var record: String
        var relation: String
    }

    /// The insertion, which has written all attributes and to-one relations without an own stamp.
    var base: BundleStamp?
    /// The newest insertion or change of an attribute.
    var life: BundleStamp?
    /// The newest deletion.
    var deleted: BundleStamp?
    /// The writes of attributes and to-one relations after the insertion.
    var stamps: [String: BundleStamp] = [:]
    /// The links of relations that are to-many at both ends, by the identity of the destination.
    var links: [String: [String: Link]] = [:]
    var orders: [String: Order] = [:]
    /// The values of an object that is not in the store.
    var values: [String: BundleValue] = [:]
    /// The attributes and to-one relations that the inserting store's model did not have. The object is inserted with their
    /// default values.
    var missing: Set<String> = []
    /// The identities of to-one relations that the store cannot show, because the destination is missing or refers to
    /// another object; empty for none.
    var targets: [String: String] = [:]
    /// The relations of other records, as their identity and a name, that are shown once this object is in the store.
    var waiting: Set<Waiting> = []
    var replaced: [String: Replaced] = [:]
    /// The number with which this store sends everything that the record contains, for stores that have lost values by a
    /// deletion; 0 if it does not.
    var restored: Int64 = 0
    /// The numbers up to which other stores that have sent everything knew the transactions of each origin. They are
    /// contained in this record, even if the bundles of these origins were not applied.
    var covered: [Int: Int64] = [:]

    init() {}

    static func key(ofLink member: String, in relation: String) -> String { "\(relation)/\(member)" }

    /// The stamp of an attribute or a to-one relation.
    func stamp(_ property: String) -> BundleStamp? { stamps[property] ?? base }

    private mutating func forEachStamp(_ body: (inout BundleStamp) -> Void) {
        func visit(_ stamp: inout BundleStamp?) {
            guard var present = stamp else { return }
            body(&present)
            stamp = present
        }
        visit(&base)
        visit(&life)
        visit(&deleted)
        for name in stamps.keys { visit(&stamps[name]) }
        for name in links.keys {
            for member in links[name, default: [:]].keys {
                if var link = links[name]?[member] {
                    body(&link.stamp)
                    links[name]?[member] = link
                }
            }
        }
        for name in orders.keys {
            if var order = orders[name] {
                body(&order.stamp)
                orders[name] = order
            }
        }
        for key in replaced.keys {
            if var write = replaced[key] {
                body(&write.stamp)
                replaced[key] = write
            }
        }
    }
}

extension RecordState: Codable {
    private enum CodingKeys: String, CodingKey {
        case base = "b", life = "l", deleted = "d", stamps = "s", links = "k", orders = "o", values = "v"
        case targets = "t", waiting = "w", replaced = "p", restored = "r", covered = "c", seen = "n", missing = "m"
    }

    private struct Position: Hashable {
        var origin: Int64
        var number: Int64
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
        if !replaced.isEmpty { try values.encode(Array(replaced.values), forKey: .replaced) }
        if restored != 0 { try values.encode(restored, forKey: .restored) }
        if !missing.isEmpty { try values.encode(missing.sorted(), forKey: .missing) }
        if !covered.isEmpty { try values.encode(covered, forKey: .covered) }
        // For each transaction its origin and number, and then pairs of an origin and a number that it knew.
        var seen: [Position: [Int64]] = [:]
        var copy = self
        copy.forEachStamp { stamp in
            let position = Position(origin: Int64(stamp.origin), number: stamp.number)
            if stamp.seen.isEmpty || seen[position] != nil { return }
            seen[position] =
                [position.origin, position.number]
                + stamp.seen.sorted { $0.key < $1.key }.flatMap { [Int64($0.key), $0.value] }
        }
        if !seen.isEmpty { try values.encode(Array(seen.values), forKey: .seen) }
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
        for write in try values.decodeIfPresent([Replaced].self, forKey: .replaced) ?? [] {
            replaced[write.key] = write
        }
        restored = try values.decodeIfPresent(Int64.self, forKey: .restored) ?? 0
        missing = Set(try values.decodeIfPresent([String].self, forKey: .missing) ?? [])
        covered = try values.decodeIfPresent([Int: Int64].self, forKey: .covered) ?? [:]
        var seen: [Position: [Int: Int64]] = [:]
        for row in try values.decodeIfPresent([[Int64]].self, forKey: .seen) ?? [] where row.count >= 2 {
            var numbers: [Int: Int64] = [:]
            for index in stride(from: 2, to: row.count - 1, by: 2) { numbers[Int(row[index])] = row[index + 1] }
            seen[Position(origin: row[0], number: row[1])] = numbers
        }
        if seen.isEmpty { return }
        forEachStamp { $0.seen = seen[Position(origin: Int64($0.origin), number: $0.number)] ?? [:] }
    }
}
