// Not there: these say what to write instead.
extension ManagedObjectContext {
    /// Not there: a context deletes one object, or all that a request finds.
    @available(
        *, unavailable,
        message: "delete each object by itself, or all that a request finds: `delete(Book.all.where { … })`"
    )
    @_disfavoredOverload
    public func delete<PlainObject>(_ objects: some Sequence<ManagedObject<PlainObject>>) throws {}

    /// Not there: requests find objects.
    @available(*, unavailable, message: "requests find objects: `fetch(Book.all)`")
    public func fetch<PlainObject: ManagedObjectConvertible>(
        _ type: PlainObject.Type
    ) throws -> [ManagedObject<PlainObject>] { [] }

    /// Not there: requests find objects.
    @available(*, unavailable, message: "requests find objects: `decode(Book.all)`")
    public func decode<PlainObject: ManagedObjectConvertible>(_ type: PlainObject.Type) throws -> [PlainObject] { [] }

    /// Not there: changes are pairs.
    @available(*, unavailable, message: "changes are pairs: `set: (\\.year, 1869)`")
    public func update<PlainObject, Value>(
        _ request: Request<PlainObject>, set keyPath: WritableKeyPath<PlainObject, Value>, _ value: Value
    ) throws -> Int { 0 }

    /// Not there: a call saves by itself.
    @available(*, unavailable, message: "the changes of a `perform` are saved when its closure returns")
    public func save() throws {}
}
