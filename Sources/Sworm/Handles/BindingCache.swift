import SwormPredicates

/// How the tables of types lie in the model of one context: worked out once a type, and kept for the next `perform`.
final class BindingCache {
    let context: NSManagedObjectContext
    private let shared: Locked<[ObjectIdentifier: AnyBinding]>
    private var bindings: [ObjectIdentifier: AnyObject] = [:]
    /// The type that was asked for last, which is mostly asked for again.
    private var last: (key: ObjectIdentifier, binding: AnyObject)?

    init(_ context: NSManagedObjectContext, _ shared: Locked<[ObjectIdentifier: AnyBinding]>) {
        self.context = context
        self.shared = shared
    }

    /// - Throws: A ``StoreError`` when the type's tables do not fit the model.
    func binding<T: ManagedObjectConvertible>(for type: T.Type) throws -> EngineBinding<T> {
        let key = ObjectIdentifier(type)
        // What is kept for a type is of that type: a cast would look types up, for each request.
        if let last, last.key == key { return unsafeDowncast(last.binding, to: EngineBinding<T>.self) }
        if let known = bindings[key] {
            last = (key, known)
            return unsafeDowncast(known, to: EngineBinding<T>.self)
        }
        let binding = try sharedBinding(T.self, key)
        bindings[key] = binding
        return binding
    }

    private func sharedBinding<T: ManagedObjectConvertible>(
        _ type: T.Type, _ key: ObjectIdentifier
    ) throws -> EngineBinding<T> {
        if let known = shared.withLock({ $0[key] })?.object as? EngineBinding<T>, known.fits(context) { return known }
        let plan = T.plan
        if let fault = plan.faults.first {
            throw StoreError(.invalidTable, fault.description, entity: plan.entityName)
        }
        let binding = try EngineBinding(plan, in: context)
        shared.withLock { $0[key] = AnyBinding(object: binding) }
        return binding
    }
}

/// A binding whose type is not known here.
struct AnyBinding: @unchecked Sendable {
    // It is an `EngineBinding`, which never changes, and refers to the descriptions of a model that is in use and may not
    // change either. Hence the unchecked conformance.
    let object: AnyObject
}
