// Unavailable declarations whose messages suggest an alternative.
extension PersistentContainer {
    /// Unavailable: a closure that uses a context must be synchronous.
    @available(
        *, unavailable,
        message: "the closure holds a context and cannot wait: call asynchronous code before or after it"
    )
    public func perform<R>(action: (ManagedObjectContext) async throws -> R) throws -> R { throw StoreError.noResult }

    /// Unavailable: use a context to read.
    @available(*, unavailable, message: "a context reads: `try store.perform { try $0.fetch(Book.all) }`")
    public func fetch<PlainObject>(_ request: Request<PlainObject>) throws -> [ManagedObject<PlainObject>] { [] }

    /// Unavailable: use a context to read.
    @available(*, unavailable, message: "a context reads: `try store.perform { try $0.decode(Book.all) }`")
    public func decode<PlainObject>(_ request: Request<PlainObject>) throws -> [PlainObject] { [] }
}
