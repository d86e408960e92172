import SwormStore

/// Finds out which of the old things each of the new ones is, by names and renaming identifiers.
///
/// Two things are the same when they have the same renaming identifier, which is the name where none was set; or when the
/// new one's identifier is the old one's name. So a chain of renamings holds both ways: every version may name the
/// version just before it, or all of them one common identifier.
struct RenamingMatcher {
    struct Item {
        let name: String
        let identifier: String

        init(name: String, identifier: String?) {
            self.name = name
            self.identifier = identifier ?? name
        }

        /// Whether the identifier says something other than the name.
        var isRenamed: Bool { identifier != name }
    }

    /// Several things that say to be one, or one that may be several.
    struct Clash {
        let identifier: String
        let sources: [Int]
        let destinations: [Int]
    }

    private let old: [Item]
    private let new: [Item]
    private let named: [String: Int]
    private var claimed: Set<Int> = []

    /// By the number of the new thing, the number of the old one that it is.
    private(set) var sources: [Int?]
    private(set) var clashes: [Clash] = []

    /// - Parameters:
    ///   - old: The old things.
    ///   - new: The new ones.
    ///   - fits: Whether a new thing (the first number), whose identifier says that it is none of the old ones, could
    ///     be the old one of its own name (the second number) all the same. So values outlive an identifier that names
    ///     a version long gone.
    init(_ old: [Item], _ new: [Item], fits: (Int, Int) -> Bool) {
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

    /// What has both its name and its identifier still is itself, whatever others claim.
    private mutating func matchUnchanged() {
        for (number, item) in new.enumerated() {
            if let source = named[item.name], old[source].identifier == item.identifier { claim(source, for: number) }
        }
    }

    /// - Returns: The new things that clash with others.
    private mutating func matchByIdentifier(_ candidates: [String: [Int]]) -> Set<Int> {
        let open = new.indices.filter { number in
            sources[number] == nil && !clashes.contains { $0.destinations.contains(number) }
        }
        var refused: Set<Int> = []
        for (identifier, members) in Dictionary(grouping: open, by: { new[$0].identifier })
            .sorted(by: { VersionHash.precedes($0.key, $1.key) })
        {
            let all = candidates[identifier] ?? []
            let free = all.filter { !claimed.contains($0) }
            // One that has the identifier only because that is its name makes way for one that says so.
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
