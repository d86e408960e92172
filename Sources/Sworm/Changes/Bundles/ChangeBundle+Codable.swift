import SwormPredicates

extension ChangeBundle: Codable {
    private static let version = 1

    private enum CodingKeys: String, CodingKey {
        case version, origin, after, number, seen, isSnapshot, transactions, restored, properties
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
        if !properties.isEmpty { try values.encode(properties, forKey: .properties) }
        if restored.isEmpty { return }
        let objects = restored.map { Restored(key: $0.key, seen: $0.value) }
        try values.encode(objects.sorted { $0.key.description < $1.key.description }, forKey: .restored)
    }

    private struct Restored: Codable {
        var key: Key
        var seen: [String: Int64]
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
        properties = try values.decodeIfPresent([String: [String]].self, forKey: .properties) ?? [:]
        for object in try values.decodeIfPresent([Restored].self, forKey: .restored) ?? [] {
            restored[object.key] = object.seen
        }
        if let problem {
            throw DecodingError.dataCorruptedError(forKey: .number, in: values, debugDescription: problem)
        }
    }

    /// The reason why the numbers contradict each other; nil if they do not.
    private var problem: String? {
        func isOrigin(_ text: String) -> Bool { !text.isEmpty && text.utf8.count <= 64 }
        func areNumbers(_ seen: [String: Int64]) -> Bool {
            seen.allSatisfy { isOrigin($0.key) && $0.value >= 0 && $0.value < Int64.max / 2 }
        }
        let all = transactions.flatMap { [$0.seen] + $0.changes.map(\.seen) } + restored.values + [seen]
        guard isOrigin(origin), all.allSatisfy(areNumbers) else {
            return "An origin needs 1 to 64 bytes, and a number that is not negative."
        }
        guard after >= 0, number >= after, number < Int64.max / 2 else {
            return "The numbers \(after) and \(number) are not a range."
        }
        var last: Transaction?
        for transaction in transactions {
            let isRestored =
                isSnapshot
                || !transaction.changes.isEmpty && transaction.changes.allSatisfy { restored[$0.key] != nil }
            guard isOrigin(transaction.origin), transaction.origin == origin || isRestored, transaction.time >= 0 else {
                return "A transaction of '\(transaction.origin)' does not belong into the bundle."
            }
            // Of restored objects, a bundle contains older transactions too.
            let range = isRestored ? 0...Int64.max / 2 : after + 1...max(after + 1, number)
            guard transaction.number > 0, range.contains(transaction.number),
                transaction.origin != origin || transaction.number <= number
            else {
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

extension ChangeBundle.Transaction: Codable {
    private enum CodingKeys: String, CodingKey { case origin, number, time, seen, changes }

    /// Encodes the transaction.
    ///
    /// - Parameter encoder: The encoder.
    /// - Throws: The encoder's errors.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(origin, forKey: .origin)
        try values.encode(number, forKey: .number)
        try values.encode(time, forKey: .time)
        if !seen.isEmpty { try values.encode(seen, forKey: .seen) }
        try values.encode(changes, forKey: .changes)
    }

    /// Decodes a transaction.
    ///
    /// - Parameter decoder: The decoder.
    /// - Throws: The decoder's errors.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        origin = try values.decode(String.self, forKey: .origin)
        number = try values.decode(Int64.self, forKey: .number)
        time = try values.decode(Int64.self, forKey: .time)
        seen = try values.decodeIfPresent([String: Int64].self, forKey: .seen) ?? [:]
        changes = try values.decode([ChangeBundle.Change].self, forKey: .changes)
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
        case entity, key, kind, replaces, isWithoutValues, seen, attributes, links, added, removed, orders
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
        if isWithoutValues { try values.encode(true, forKey: .isWithoutValues) }
        if !seen.isEmpty { try values.encode(seen, forKey: .seen) }
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
        isWithoutValues = try values.decodeIfPresent(Bool.self, forKey: .isWithoutValues) ?? false
        seen = try values.decodeIfPresent([String: Int64].self, forKey: .seen) ?? [:]
        attributes =
            try values.decodeIfPresent([String: BundleValue].self, forKey: .attributes)?.mapValues(\.value) ?? [:]
        links = try values.decodeIfPresent([String: ChangeBundle.Key?].self, forKey: .links) ?? [:]
        added = try values.decodeIfPresent([String: [ChangeBundle.Key]].self, forKey: .added) ?? [:]
        removed = try values.decodeIfPresent([String: [ChangeBundle.Key]].self, forKey: .removed) ?? [:]
        orders = try values.decodeIfPresent([String: [ChangeBundle.Key]].self, forKey: .orders) ?? [:]
    }
}
