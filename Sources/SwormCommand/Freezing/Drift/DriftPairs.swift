import SwormStore

/// The things of a shipped version with those of the current one that they have become.
struct DriftPairs<Item> {
    private(set) var pairs: [(old: Item, new: Item, renaming: DriftRenaming)] = []
    private(set) var removed: [Item] = []
    private(set) var added: [Item] = []

    /// - Parameters:
    ///   - facts: Returns what is compared of an item.
    ///   - fingerprint: Returns a text that is equal for items that differ in nothing but their names.
    init(from old: [Item], to new: [Item], facts: (Item) -> DriftFacts, fingerprint: (Item) -> String) {
        let current = Dictionary(new.map { (facts($0).name, $0) }, uniquingKeysWith: { first, _ in first })
        let known = Set(old.map { facts($0).name })
        var lost: [Item] = []
        for item in old {
            if let same = current[facts(item).name] { pairs.append((item, same, .none)) } else { lost.append(item) }
        }
        added = new.filter { !known.contains(facts($0).name) }
        for item in lost {
            let name = facts(item).name
            if let index = added.firstIndex(where: { facts($0).formerName == name }) {
                pairs.append((item, added.remove(at: index), .declared))
            } else {
                removed.append(item)
            }
        }
        for item in removed {
            let own = fingerprint(item)
            let fitting = added.indices.filter { fingerprint(added[$0]) == own && facts(added[$0]).formerName == nil }
            let rivals = removed.filter { fingerprint($0) == own }
            guard let index = fitting.first, fitting.count == 1, rivals.count == 1 else { continue }
            pairs.append((item, added.remove(at: index), .silent))
        }
        let renamed = Set(pairs.filter { $0.renaming == .silent }.map { facts($0.old).name })
        removed.removeAll { renamed.contains(facts($0).name) }
        pairs.sort { VersionHash.precedes(facts($0.old).name, facts($1.old).name) }
        removed.sort { VersionHash.precedes(facts($0).name, facts($1).name) }
        added.sort { VersionHash.precedes(facts($0).name, facts($1).name) }
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
