import SwormPredicates

/// A matching of old items to new items by names and renaming identifiers, as an inferred mapping does it.
struct FormerNames {
    typealias Item = RenamingMatcher.Item

    /// Several items that claim the same match, or one item with several possible matches.
    struct Clash {
        let identifier: String
        let old: [String]
        let new: [String]
    }

    /// The name of the old item for the name of each matched new item.
    let sources: [String: String]
    let clashes: [Clash]

    /// - Parameter fits: A closure that returns whether a new item, whose identifier matches no old item, can
    ///   nevertheless match the old item with the same name. This way values survive an identifier that refers to a
    ///   version long ago.
    init(from old: [Item], to new: [Item], fits: (String) -> Bool = { _ in true }) {
        let matcher = RenamingMatcher(from: old, to: new) { number, _ in fits(new[number].name) }
        let pairs = zip(new, matcher.sources).compactMap { item, source in source.map { (item.name, old[$0].name) } }
        sources = Dictionary(pairs, uniquingKeysWith: { first, _ in first })
        clashes = matcher.clashes.map { clash in
            // Items that matched before are only rivals of these, and need no change.
            let open = clash.destinations.filter { matcher.sources[$0] == nil }
            return Clash(
                identifier: clash.identifier, old: clash.sources.map { old[$0].name }.sorted(),
                new: open.map { new[$0].name }.sorted())
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
            "The old \(kind) of \(list(open, "and")) is ambiguous: the renaming identifier '\(identifier)' is "
            + "shared by \(olds), or used by several new ones. Give each new one an identifier of its own, or "
            + "add a change that migrates the old one."
    }
}
