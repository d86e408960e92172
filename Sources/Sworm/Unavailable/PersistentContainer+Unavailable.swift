// Not there: these say what to write instead.
extension PersistentContainer {
    /// Not there: a closure that holds a context runs without a pause.
    @available(
        *, unavailable,
        message: "the closure holds a context and cannot wait: call asynchronous code before or after it"
    )
    public func perform<R>(action: (ManagedObjectContext) async throws -> R) throws -> R { throw Error.noResult }

    /// Not there: contexts read.
    @available(*, unavailable, message: "a context reads: `try store.perform { try $0.fetch(Book.all) }`")
    public func fetch<PlainObject>(_ request: Request<PlainObject>) throws -> [ManagedObject<PlainObject>] { [] }

    /// Not there: contexts read.
    @available(*, unavailable, message: "a context reads: `try store.perform { try $0.decode(Book.all) }`")
    public func decode<PlainObject>(_ request: Request<PlainObject>) throws -> [PlainObject] { [] }
}
