// Unavailable declarations whose messages suggest an alternative.
extension ManagedObjectContext {
    /// Unavailable: a context deletes either one object, or all objects that a request finds.
    @available(
        *, unavailable,
        message: "delete each object by itself, or all objects of a request: `delete(Book.all.where { … })`"
    )
    @_disfavoredOverload
    public func delete<PlainObject>(_ objects: some Sequence<ManagedObject<PlainObject>>) throws {}

    /// Unavailable: use a request to find objects.
    @available(*, unavailable, message: "requests fetch objects: `fetch(Book.all)`")
    public func fetch<PlainObject: ManagedObjectConvertible>(
        _ type: PlainObject.Type
    ) throws -> [ManagedObject<PlainObject>] { [] }

    /// Unavailable: use a request to find objects.
    @available(*, unavailable, message: "requests fetch objects: `decode(Book.all)`")
    public func decode<PlainObject: ManagedObjectConvertible>(_ type: PlainObject.Type) throws -> [PlainObject] { [] }

    /// Unavailable: pass each change as a pair of a key path and a value.
    @available(*, unavailable, message: "changes are pairs: `set: (\\.year, 1869)`")
    public func update<PlainObject, Value>(
        _ request: Request<PlainObject>, set keyPath: WritableKeyPath<PlainObject, Value>, _ value: Value
    ) throws -> Int { 0 }

    /// Unavailable: the changes are saved automatically.
    @available(*, unavailable, message: "the changes of a `perform` are saved when its closure returns")
    public func save() throws {}
}
