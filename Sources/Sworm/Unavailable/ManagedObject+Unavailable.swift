// Not there: these say what to write instead.
extension ManagedObject {
    /// Not there: a handle has relations; values are decoded and encoded.
    @available(
        *, unavailable,
        message:
            "a handle has no values: read them with `decode(\\.…)` or `decode()`, write them with `encode(\\.…, value)`"
    )
    @_disfavoredOverload
    public subscript<Value>(dynamicMember keyPath: KeyPath<PlainObject, Value>) -> Value {
        get { PlainObject()[keyPath: keyPath] }
        set {}
    }

    /// Not there: the id of an object is its ``id``.
    @available(*, unavailable, renamed: "id")
    public var objectID: ManagedObjectID<PlainObject> { id }

    /// Not there: a context deletes objects.
    @available(*, unavailable, message: "a context deletes objects: `context.delete(handle)`")
    public func delete() throws {}
}

extension Optional {
    /// Not there: a handle that may be nil is unwrapped first.
    @available(*, unavailable, message: "the handle may be nil: write `handle?.encode(…)`, or unwrap it")
    public func encode<PlainObject, Value>(_ keyPath: WritableKeyPath<PlainObject, Value>, _ value: Value) throws
    where Wrapped == ManagedObject<PlainObject> {}

    /// Not there: a handle that may be nil is unwrapped first.
    @available(*, unavailable, message: "the handle may be nil: write `handle?.encode(…)`, or unwrap it")
    public func encode<PlainObject>(_ value: PlainObject) throws where Wrapped == ManagedObject<PlainObject> {}
}

extension ManagedObjectSet {
    /// Not there: members are added.
    @available(*, unavailable, renamed: "add(_:)")
    public func append(_ object: ManagedObject<PlainObject>) throws {}

    /// Not there: members are added.
    @available(*, unavailable, renamed: "add(_:)")
    public func insert(_ object: ManagedObject<PlainObject>) throws {}
}

extension ManagedObjectOrderedSet {
    /// Not there: members are added.
    @available(*, unavailable, renamed: "add(_:)")
    public func append(_ object: ManagedObject<PlainObject>) throws {}
}
