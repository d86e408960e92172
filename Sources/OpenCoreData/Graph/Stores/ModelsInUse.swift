import SwormPredicates

/// The models of all live coordinators, in which a class looks up its entity without a context.
enum ModelsInUse {
    /// Returns the entity of a class in one model.
    typealias Search = @Sendable (AnyClass) -> NSEntityDescription?

    private struct Entry: Sendable {
        weak let owner: (any AnyObject & Sendable)?
        let search: Search
    }

    private static let entries = Locked<[Entry]>([])

    /// Adds the search of a model, which is used as long as its owner exists.
    static func note(_ owner: any AnyObject & Sendable, _ search: @escaping Search) {
        entries.withLock { entries in
            entries.removeAll { $0.owner == nil }
            entries.append(Entry(owner: owner, search: search))
        }
    }

    /// Returns the entity of a class in the most recently loaded model that has one.
    static func entity(of type: AnyClass) -> NSEntityDescription? {
        for entry in entries.withLock({ $0 }).reversed() where entry.owner != nil {
            if let found = entry.search(type) { return found }
        }
        return nil
    }
}
