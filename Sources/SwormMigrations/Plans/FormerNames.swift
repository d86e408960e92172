/// Finds out which of the old things each of the new ones is, by names and renaming identifiers, as an inferred mapping does.
///
/// Two things are the same when they have the same identifier, which is the name where none was set; or when the new one's
/// identifier is the old one's name. So an identifier may be left standing in later versions, and all versions may have one
/// in common.
struct FormerNames {
    struct Item {
        let name: String
        let identifier: String

        init(_ name: String, _ identifier: String?) {
            self.name = name
            self.identifier = identifier ?? name
        }
    }

    /// Several things that say to be one, or one that may be several.
    struct Clash {
        let identifier: String
        let old: [String]
        let new: [String]
    }

    /// By the name of the new thing, that of the old one.
    private(set) var sources: [String: String] = [:]
    private(set) var clashes: [Clash] = []
    private var claimed: Set<String> = []
    private var clashing: Set<String> = []

    /// - Parameter fits: Whether a new thing, whose identifier is that of none of the old ones, can be the old one with its own
    ///   name all the same. So values outlive an identifier that names a version long gone.
    init(_ old: [Item], _ new: [Item], fits: (String) -> Bool = { _ in true }) {
        let identifiers = Dictionary(old.map { ($0.name, $0.identifier) }, uniquingKeysWith: { first, _ in first })
        // What has both its name and its identifier still is itself, whatever others claim.
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
            // One that has the identifier only because that is its name makes way for one that says so.
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
    /// Says what cannot be told, for those of the new things that nothing else is said about.
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
