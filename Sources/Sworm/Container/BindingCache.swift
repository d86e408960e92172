/// How the tables of types lie in the model of one context: worked out once a type.
final class BindingCache {
    private let context: NSManagedObjectContext
    private var bindings: [ObjectIdentifier: AnyObject] = [:]

    init(_ context: NSManagedObjectContext) { self.context = context }

    /// - Throws: A ``StoreError`` when the type's tables do not fit the model.
    func binding<T: ManagedObjectConvertible>(for type: T.Type) throws -> EngineBinding<T> {
        if let known = bindings[ObjectIdentifier(type)] as? EngineBinding<T> { return known }
        let plan = T.plan
        if let fault = plan.faults.first {
            throw StoreError(.invalidTable, fault.description, entity: plan.entityName)
        }
        let binding = try EngineBinding(plan, in: context)
        bindings[ObjectIdentifier(type)] = binding
        return binding
    }
}
