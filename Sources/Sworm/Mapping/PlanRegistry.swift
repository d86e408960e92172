import SwormPredicates

/// The plans of all types that were asked for, one a type, for as long as the process lives.
///
/// They are plans, each of the type that is its key; held as objects, a cast to the plan's class is a comparison of classes.
private let registry = Locked<[ObjectIdentifier: AnyObject]>([:])

extension ManagedObjectConvertible {
    /// What the tables of this type come to. It is built when it is first asked for.
    package static var plan: EntityPlan<Self> {
        let key = ObjectIdentifier(Self.self)
        if let known = registry.withLock({ $0[key] }) { return plan(known) }
        // Built without the lock, because it runs the user's code, which may ask for plans. Of two that were built at
        // the same time the first stays.
        let built = EntityPlan<Self>()
        let kept = registry.withLock { plans in
            let kept = plans[key] ?? built
            plans[key] = kept
            return kept
        }
        return plan(kept)
    }

    /// A plan of the registry. Its type is that of its key, so that no cast is needed, which would look types up.
    private static func plan(_ known: AnyObject) -> EntityPlan<Self> {
        unsafeDowncast(known, to: EntityPlan<Self>.self)
    }

    /// The plan, where the type is not known at the place of use.
    package static var anyPlan: any AnyEntityPlan { plan }
}
