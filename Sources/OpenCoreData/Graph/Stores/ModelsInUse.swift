import SwormPredicates

/// The models of all live coordinators, in which a class looks up its entity without a context.
enum ModelsInUse {
    private struct Entry: Sendable {
        weak let origin: ObjectOrigin?
    }

    private static let entries = Locked<[Entry]>([])

    static func note(_ origin: ObjectOrigin) {
        entries.withLock { entries in
            entries.removeAll { $0.origin == nil }
            entries.append(Entry(origin: origin))
        }
    }

    /// Returns the entity of a class in the most recently loaded model that has one.
    static func entity(of type: NSManagedObject.Type) -> NSEntityDescription? {
        let origins = entries.withLock { $0.compactMap(\.origin) }
        for origin in origins.reversed() {
            if let found = origin.description(ofClass: type) { return found }
        }
        return nil
    }
}
