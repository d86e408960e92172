import SwormPredicates

extension ChangeBundle: Codable {
    private static let version = 1

    private enum CodingKeys: String, CodingKey {
        case version, origin, after, number, seen, isSnapshot, transactions
    }

    /// Encodes the bundle.
    ///
    /// - Parameter encoder: The encoder.
    /// - Throws: The encoder's errors.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(Self.version, forKey: .version)
        try values.encode(origin, forKey: .origin)
        try values.encode(after, forKey: .after)
        try values.encode(number, forKey: .number)
        try values.encode(seen, forKey: .seen)
        if isSnapshot { try values.encode(true, forKey: .isSnapshot) }
        try values.encode(transactions, forKey: .transactions)
    }

    /// Decodes a bundle.
    ///
    /// - Parameter decoder: The decoder.
    /// - Throws: The decoder's errors, and an error for values that no bundle has.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        let version = try values.decode(Int.self, forKey: .version)
        guard version == Self.version else {
            throw DecodingError.dataCorruptedError(
                forKey: .version, in: values,
                debugDescription: "The bundle has the format \(version). Update this program to read it.")
        }
        origin = try values.decode(String.self, forKey: .origin)
        after = try values.decode(Int64.self, forKey: .after)
        number = try values.decode(Int64.self, forKey: .number)
        seen = try values.decode([String: Int64].self, forKey: .seen)
        isSnapshot = try values.decodeIfPresent(Bool.self, forKey: .isSnapshot) ?? false
        transactions = try values.decode([Transaction].self, forKey: .transactions)
        if let problem {
            throw DecodingError.dataCorruptedError(forKey: .number, in: values, debugDescription: problem)
        }
    }

    /// The reason why the numbers contradict each other; nil if they do not.
    private var problem: String? {
        func isOrigin(_ text: String) -> Bool { !text.isEmpty && text.utf8.count <= 64 }
        guard isOrigin(origin), seen.allSatisfy({ isOrigin($0.key) && $0.value >= 0 }) else {
            return "An origin needs 1 to 64 bytes, and a number that is not negative."
        }
        guard after >= 0, number >= after, number < Int64.max / 2 else {
            return "The numbers \(after) and \(number) are not a range."
        }
        var last: Transaction?
        for transaction in transactions {
            let isOwn = transaction.origin == origin
            guard isOwn || isSnapshot && isOrigin(transaction.origin), transaction.time >= 0 else {
                return "A transaction of '\(transaction.origin)' does not belong into the bundle."
            }
            let range = isOwn ? after..<number : 0..<(seen[transaction.origin] ?? 0)
            guard transaction.number > range.lowerBound, transaction.number <= range.upperBound else {
                return "The transaction \(transaction.number) is not in the range of the bundle."
            }
            if let last {
                let isLater = (last.origin, last.number) < (transaction.origin, transaction.number)
                guard isLater else { return "The transaction \(transaction.number) is not in order." }
            }
            last = transaction
        }
        return nil
    }
}

extension ChangeBundle.Key: Codable {
    private enum CodingKeys: String, CodingKey { case entity, values = "key" }

    /// Encodes the identity.
    ///
    /// - Parameter encoder: The encoder.
    /// - Throws: The encoder's errors.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(entity, forKey: .entity)
        try values.encode(self.values.map(BundleValue.init), forKey: .values)
    }

    /// Decodes an identity.
    ///
    /// - Parameter decoder: The decoder.
    /// - Throws: The decoder's errors.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        entity = try values.decode(String.self, forKey: .entity)
        self.values = try values.decode([BundleValue].self, forKey: .values).map(\.value)
    }
}

extension ChangeBundle.Change: Codable {
    private enum CodingKeys: String, CodingKey {
        case entity, key, kind, replaces, attributes, links, added, removed, orders
    }

    /// Encodes the change.
    ///
    /// - Parameter encoder: The encoder.
    /// - Throws: The encoder's errors.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try key.encode(to: encoder)
        try values.encode(kind, forKey: .kind)
        if replaces { try values.encode(true, forKey: .replaces) }
        if !attributes.isEmpty { try values.encode(attributes.mapValues(BundleValue.init), forKey: .attributes) }
        if !links.isEmpty { try values.encode(links, forKey: .links) }
        if !added.isEmpty { try values.encode(added, forKey: .added) }
        if !removed.isEmpty { try values.encode(removed, forKey: .removed) }
        if !orders.isEmpty { try values.encode(orders, forKey: .orders) }
    }

    /// Decodes a change.
    ///
    /// - Parameter decoder: The decoder.
    /// - Throws: The decoder's errors.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        key = try ChangeBundle.Key(from: decoder)
        kind = try values.decode(ChangeKind.self, forKey: .kind)
        replaces = try values.decodeIfPresent(Bool.self, forKey: .replaces) ?? false
        attributes =
            try values.decodeIfPresent([String: BundleValue].self, forKey: .attributes)?.mapValues(\.value) ?? [:]
        links = try values.decodeIfPresent([String: ChangeBundle.Key?].self, forKey: .links) ?? [:]
        added = try values.decodeIfPresent([String: [ChangeBundle.Key]].self, forKey: .added) ?? [:]
        removed = try values.decodeIfPresent([String: [ChangeBundle.Key]].self, forKey: .removed) ?? [:]
        orders = try values.decodeIfPresent([String: [ChangeBundle.Key]].self, forKey: .orders) ?? [:]
    }
}
