import SwormPredicates

/// The mappings of types to the model of one context, computed once for each type and reused by later `perform` calls.
final class BindingCache {
    let context: NSManagedObjectContext
    private let shared: Locked<[ObjectIdentifier: any AnyObject & Sendable]>
    private var bindings: [ObjectIdentifier: AnyObject] = [:]
    /// The recorder of the reads of a live request's closure.
    var recorder: RequestRecorder?
    /// The type that was requested last, because it is usually requested again.
    private var last: (key: ObjectIdentifier, binding: AnyObject)?

    init(_ context: NSManagedObjectContext, _ shared: Locked<[ObjectIdentifier: any AnyObject & Sendable]>) {
        self.context = context
        self.shared = shared
    }

    /// - Throws: A ``StoreError`` if the type's tables do not fit the model.
    func binding<T: ManagedTreeConvertible>(for type: T.Type) throws -> EntityBinding<T> {
        let key = ObjectIdentifier(type)
        // The entry of a type always has that type. A checked cast would look types up for each request.
        if let last, last.key == key { return unsafeDowncast(last.binding, to: EntityBinding<T>.self) }
        if let known = bindings[key] {
            last = (key, known)
            return unsafeDowncast(known, to: EntityBinding<T>.self)
        }
        let binding = try sharedBinding(for: T.self, key: key)
        bindings[key] = binding
        return binding
    }

    private func sharedBinding<T: ManagedTreeConvertible>(
        for type: T.Type, key: ObjectIdentifier
    ) throws -> EntityBinding<T> {
        if let known = shared.withLock({ $0[key] }) as? EntityBinding<T>, known.fits(context) { return known }
        let mapping = T.mapping
        if let issue = mapping.issues.first ?? subentityIssues(mapping).first {
            throw StoreError(.invalidTable, issue.description, entity: mapping.entityName)
        }
        let binding = try EntityBinding(mapping, in: context)
        shared.withLock { $0[key] = binding }
        return binding
    }
}
