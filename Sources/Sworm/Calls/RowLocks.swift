/// The rows that a write locks instead of all rows of the store.
final class RowLocks: Sendable {
    private let begin: @Sendable (NSManagedObjectContext, BindingCache) throws -> Void
    private let add: @Sendable (NSManagedObjectContext, BindingCache) throws -> Void

    init<PlainObject: ManagedObjectConvertible>(_ request: Request<PlainObject>) {
        func locking(
            _ lock: @escaping @Sendable (NSManagedObjectContext, RequestContent, ModelEntity) throws -> Void
        ) -> @Sendable (NSManagedObjectContext, BindingCache) throws -> Void {
            { context, bindings in
                let entity = try bindings.binding(for: PlainObject.self).entity
                try request.validate()
                try translatingErrors { try lock(context, request.content, entity) }
            }
        }
        begin = locking { try $0.beginWriting(locking: $1, of: $2) }
        add = locking { try $0.lock($1, of: $2) }
    }

    /// Starts the transaction of a write, in which the rows are locked.
    func beginWriting(in context: NSManagedObjectContext, _ bindings: BindingCache) throws {
        try begin(context, bindings)
    }

    /// Locks the rows in the transaction that a context has.
    func lock(in context: NSManagedObjectContext, _ bindings: BindingCache) throws { try add(context, bindings) }
}
