/// A matcher of new items with old items, by names and renaming identifiers.
///
/// Two items match if they have the same renaming identifier, which is the name if no identifier is set, or if the new
/// item's identifier is the old item's name. This supports both kinds of renaming chains: each version may refer to the
/// name in the previous version, or all versions may share one identifier.
package struct RenamingMatcher {
    package struct Item {
        package let name: String
        let identifier: String

        package init(name: String, identifier: String?) {
            self.name = name
            self.identifier = identifier ?? name
        }

        /// Whether the identifier differs from the name.
        var isRenamed: Bool { identifier != name }
    }

    /// Several items that claim to be the same one, or an item that matches several ones.
    package struct Clash {
        package let identifier: String
        package let sources: [Int]
        package let destinations: [Int]
    }

    private let old: [Item]
    private let new: [Item]
    private let named: [String: Int]
    private var claimed: Set<Int> = []

    /// The number of the matching old item, by the number of the new item.
    package private(set) var sources: [Int?]
    package private(set) var clashes: [Clash] = []

    /// Matches items.
    ///
    /// - Parameters:
    ///   - old: The old items.
    ///   - new: The new items.
    ///   - fits: Returns whether a new item (the first number) whose identifier does not match any old item can
    ///     nevertheless be the old item of the same name (the second number). This keeps the values if an identifier
    ///     refers to a version that no longer exists.
    package init(from old: [Item], to new: [Item], fits: (Int, Int) -> Bool) {
        self.old = old
        self.new = new
        named = Dictionary(old.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
        let identified = Dictionary(grouping: old.indices, by: { old[$0].identifier })
        sources = Array(repeating: nil, count: new.count)
        matchUnchanged()
        var refused = matchByIdentifier(identified)
        refused.formUnion(matchByIdentifier(named.mapValues { [$0] }))
        for number in new.indices where sources[number] == nil && !refused.contains(number) {
            if let source = named[new[number].name], !claimed.contains(source), fits(number, source) {
                claim(source, for: number)
            }
        }
    }

    private mutating func claim(_ source: Int, for destination: Int) {
        sources[destination] = source
        claimed.insert(source)
    }

    /// Matches the items whose name and identifier are unchanged, whatever other items claim.
    private mutating func matchUnchanged() {
        for (number, item) in new.enumerated() {
            if let source = named[item.name], old[source].identifier == item.identifier { claim(source, for: number) }
        }
    }

    /// Matches the remaining items by identifier.
    ///
    /// - Returns: The new items that clash with other items.
    private mutating func matchByIdentifier(_ candidates: [String: [Int]]) -> Set<Int> {
        let open = new.indices.filter { number in
            sources[number] == nil && !clashes.contains { $0.destinations.contains(number) }
        }
        var refused: Set<Int> = []
        for (identifier, members) in Dictionary(grouping: open, by: { new[$0].identifier })
            .sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) })
        {
            let all = candidates[identifier] ?? []
            let free = all.filter { !claimed.contains($0) }
            // An item whose identifier is only its default name yields to an item that sets it explicitly.
            let explicit = members.filter { new[$0].isRenamed }
            if free.count == 1,
                let only = members.count == 1 ? members.first : explicit.count == 1 ? explicit.first : nil
            {
                claim(free[0], for: only)
            } else if !free.isEmpty || !all.isEmpty && !explicit.isEmpty {
                let rivals = new.indices.filter { number in sources[number].map { all.contains($0) } ?? false }
                let destinations = (free.isEmpty ? explicit + rivals : members).sorted()
                clashes.append(Clash(identifier: identifier, sources: all, destinations: destinations))
                refused.formUnion(destinations)
            }
        }
        return refused
    }
}
