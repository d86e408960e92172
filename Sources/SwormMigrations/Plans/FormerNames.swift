/// A matching of old items to new items by names and renaming identifiers, as an inferred mapping does it.
///
/// Two items match if they have the same identifier, which is the name if none is set, or if the identifier of the new
/// item is the name of the old one. An identifier may therefore remain in later versions, or be the same in all
/// versions.
struct FormerNames {
    struct Item {
        let name: String
        let identifier: String

        init(_ name: String, identifier: String?) {
            self.name = name
            self.identifier = identifier ?? name
        }
    }

    /// Several items that claim the same match, or one item with several possible matches.
    struct Clash {
        let identifier: String
        let old: [String]
        let new: [String]
    }

    /// The name of the old item for the name of each matched new item.
    private(set) var sources: [String: String] = [:]
    private(set) var clashes: [Clash] = []
    private var claimed: Set<String> = []
    private var clashing: Set<String> = []

    /// - Parameter fits: A closure that returns whether a new item, whose identifier matches no old item, can
    ///   nevertheless match the old item with the same name. This way values survive an identifier that refers to a
    ///   version long ago.
    init(from old: [Item], to new: [Item], fits: (String) -> Bool = { _ in true }) {
        let identifiers = Dictionary(old.map { ($0.name, $0.identifier) }, uniquingKeysWith: { first, _ in first })
        // An item with unchanged name and identifier matches itself, whatever other items claim.
        for item in new where identifiers[item.name] == item.identifier { claim(item.name, for: item.name) }
        match(new, to: Dictionary(grouping: old, by: \.identifier).mapValues { $0.map(\.name) })
        match(new, to: Dictionary(identifiers.keys.map { ($0, [$0]) }, uniquingKeysWith: { first, _ in first }))
        for item in new where isOpen(item) && identifiers[item.name] != nil && !claimed.contains(item.name) {
            if fits(item.name) { claim(item.name, for: item.name) }
        }
    }

    private func isOpen(_ item: Item) -> Bool { sources[item.name] == nil && !clashing.contains(item.name) }

    private mutating func claim(_ old: String, for new: String) {
        sources[new] = old
        claimed.insert(old)
    }

    private mutating func match(_ new: [Item], to candidates: [String: [String]]) {
        for (identifier, members) in Dictionary(grouping: new.filter(isOpen), by: \.identifier)
            .sorted(by: { $0.key < $1.key })
        {
            let all = candidates[identifier] ?? []
            let free = all.filter { !claimed.contains($0) }
            // An item whose identifier is only its name yields to an item with an explicit identifier.
            let explicit = members.filter { $0.identifier != $0.name }
            if free.count == 1,
                let only = members.count == 1 ? members.first : explicit.count == 1 ? explicit.first : nil
            {
                claim(free[0], for: only.name)
            } else if !free.isEmpty || !all.isEmpty && !explicit.isEmpty {
                let names = (free.isEmpty ? explicit : members).map(\.name)
                clashing.formUnion(names)
                clashes.append(Clash(identifier: identifier, old: all.sorted(), new: names.sorted()))
            }
        }
    }
}

extension FormerNames.Clash {
    /// Describes the ambiguity, for the new items that have no change of their own.
    func text(_ kind: String, of owner: String?, open: [String]) -> String {
        func list(_ names: [String], _ word: String) -> String {
            names.map { "'\(owner.map { "\($0)." } ?? "")\($0)'" }.joined(separator: " \(word) ")
        }
        let olds = old.map { "'\($0)'" }.joined(separator: " or ")
        return
            "Which of the old \(kind) \(list(open, "and")) was cannot be told: the renaming identifier '\(identifier)' is "
            + "that of \(olds), and not of one alone or claimed by several. Give what is new an identifier of its own, or "
            + "add a change that says what becomes of the old."
    }
}
