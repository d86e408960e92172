import SwormPredicates

/// The mappings of all types that were requested, one for each type, retained for the lifetime of the process.
///
/// Each object is the mapping of the type that is its key. They are stored as `AnyObject`, because a cast to the mapping's
/// class then only compares classes.
private let registry = Locked<[ObjectIdentifier: AnyObject]>([:])

extension ManagedTreeConvertible {
    /// The mapping of this type's tables, built on first access.
    static var mapping: EntityMapping<Self> {
        let key = ObjectIdentifier(Self.self)
        if let known = registry.withLock({ $0[key] }) { return mapping(known) }
        // The mapping is built without the lock, because this runs the user's code, which may request mappings. If two
        // threads build it at the same time, the first one is kept.
        let built = EntityMapping<Self>()
        let kept = registry.withLock { mappings in
            let kept = mappings[key] ?? built
            mappings[key] = kept
            return kept
        }
        return mapping(kept)
    }

    /// Returns a mapping of the registry with its type. The key determines the type, so an unchecked cast avoids a slow
    /// lookup of types.
    private static func mapping(_ known: AnyObject) -> EntityMapping<Self> {
        unsafeDowncast(known, to: EntityMapping<Self>.self)
    }

    /// The mapping, for use where the type is not statically known.
    static var anyMapping: any AnyEntityMapping { mapping }
}
