import SwormPredicates

/// The plans of all types that were requested, one for each type, retained for the lifetime of the process.
///
/// Each object is the plan of the type that is its key. They are stored as `AnyObject`, because a cast to the plan's
/// class then only compares classes.
private let registry = Locked<[ObjectIdentifier: AnyObject]>([:])

extension ManagedObjectConvertible {
    /// The plan of this type's tables, built on first access.
    package static var plan: EntityPlan<Self> {
        let key = ObjectIdentifier(Self.self)
        if let known = registry.withLock({ $0[key] }) { return plan(known) }
        // The plan is built without the lock, because this runs the user's code, which may request plans. If two
        // threads build it at the same time, the first one is kept.
        let built = EntityPlan<Self>()
        let kept = registry.withLock { plans in
            let kept = plans[key] ?? built
            plans[key] = kept
            return kept
        }
        return plan(kept)
    }

    /// Returns a plan of the registry with its type. The key determines the type, so an unchecked cast avoids a slow
    /// lookup of types.
    private static func plan(_ known: AnyObject) -> EntityPlan<Self> {
        unsafeDowncast(known, to: EntityPlan<Self>.self)
    }

    /// The plan, for use where the type is not statically known.
    package static var anyPlan: any AnyEntityPlan { plan }
}
