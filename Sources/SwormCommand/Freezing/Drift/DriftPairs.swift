import SwormStore

/// The things of a shipped version with those of the current one that they have become.
struct DriftPairs<Item> {
    /// An item with its names. Its facts are computed only once.
    private struct Named {
        let item: Item
        let name: String
        let formerName: String?

        init(_ item: Item, _ facts: DriftFacts) {
            (self.item, name, formerName) = (item, facts.name, facts.formerName)
        }
    }

    let pairs: [(old: Item, new: Item, renaming: DriftRenaming)]
    let removed: [Item]
    let added: [Item]

    /// - Parameters:
    ///   - facts: Returns what is compared of an item.
    ///   - fingerprint: Returns a text that is equal for items that differ in nothing but their names.
    init(from old: [Item], to new: [Item], facts: (Item) -> DriftFacts, fingerprint: (Item) -> String) {
        let before = old.map { Named($0, facts($0)) }
        let now = new.map { Named($0, facts($0)) }
        let current = Dictionary(now.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        let known = Set(before.map(\.name))
        var fresh = now.filter { !known.contains($0.name) }
        var lost: [Named] = []
        var found: [(old: Named, new: Named, renaming: DriftRenaming)] = []
        for item in before {
            if let same = current[item.name] {
                found.append((old: item, new: same, renaming: .none))
            } else {
                lost.append(item)
            }
        }
        // The renamings that the current model states, and then those of items that are equal otherwise.
        Self.take(&lost, &fresh, into: &found, as: .declared, old: { $0.name }, new: { $0.formerName })
        if !lost.isEmpty {
            Self.take(
                &lost, &fresh, into: &found, as: .silent, isUnique: true, old: { fingerprint($0.item) },
                new: { $0.formerName == nil ? fingerprint($0.item) : nil })
        }
        pairs = found.sorted { VersionHash.precedes($0.old.name, $1.old.name) }.map { pair in
            (old: pair.old.item, new: pair.new.item, renaming: pair.renaming)
        }
        removed = Self.sorted(lost)
        added = Self.sorted(fresh)
    }

    /// Moves the items whose keys are equal into pairs.
    ///
    /// - Parameter isUnique: Whether items with the same key are left. Otherwise, the first of them is taken.
    private static func take(
        _ lost: inout [Named], _ fresh: inout [Named],
        into found: inout [(old: Named, new: Named, renaming: DriftRenaming)], as renaming: DriftRenaming,
        isUnique: Bool = false, old: (Named) -> String, new: (Named) -> String?
    ) {
        let keys = lost.map(old)
        let counts = Dictionary(keys.map { ($0, 1) }, uniquingKeysWith: +)
        var heirs: [String: [Int]] = [:]
        for (index, item) in fresh.enumerated() {
            if let key = new(item) { heirs[key, default: []].append(index) }
        }
        var taken: Set<Int> = []
        var rest: [Named] = []
        for (item, key) in zip(lost, keys) {
            let fitting = heirs[key] ?? []
            guard let index = fitting.first, !isUnique || (fitting.count == 1 && counts[key] == 1) else {
                rest.append(item)
                continue
            }
            heirs[key] = Array(fitting.dropFirst())
            taken.insert(index)
            found.append((old: item, new: fresh[index], renaming: renaming))
        }
        lost = rest
        fresh = fresh.enumerated().filter { !taken.contains($0.offset) }.map(\.element)
    }

    private static func sorted(_ items: [Named]) -> [Item] {
        items.sorted { VersionHash.precedes($0.name, $1.name) }.map(\.item)
    }
}

/// How an entity or a property of a shipped version was renamed.
enum DriftRenaming {
    case none
    /// The current model states the former name.
    case declared
    /// Nothing but the name differs, and the current model does not state the former name.
    case silent

    /// The words for the renaming; nil for none.
    func words(to name: String) -> String? {
        switch self {
        case .none: nil
        case .declared: "was renamed to \(name)"
        case .silent: "was renamed to \(name), without a renaming identifier"
        }
    }
}
