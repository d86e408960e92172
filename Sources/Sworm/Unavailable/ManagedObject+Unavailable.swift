// Unavailable declarations whose messages suggest an alternative.
extension ManagedObject {
    /// Unavailable: a handle provides relations.
    ///
    /// Its values must be decoded and encoded.
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

    /// Unavailable: use ``id``.
    @available(*, unavailable, renamed: "id")
    public var objectID: ManagedObjectID<PlainObject> { id }

    /// Unavailable: use a context to delete objects.
    @available(*, unavailable, message: "a context deletes objects: `context.delete(handle)`")
    public func delete() throws {}
}

extension Optional {
    /// Unavailable: unwrap the optional handle first.
    @available(*, unavailable, message: "the handle may be nil: write `handle?.encode(…)`, or unwrap it")
    public func encode<PlainObject, Value>(_ keyPath: WritableKeyPath<PlainObject, Value>, _ value: Value) throws
    where Wrapped == ManagedObject<PlainObject> {}

    /// Unavailable: unwrap the optional handle first.
    @available(*, unavailable, message: "the handle may be nil: write `handle?.encode(…)`, or unwrap it")
    public func encode<PlainObject>(_ value: PlainObject) throws where Wrapped == ManagedObject<PlainObject> {}
}

extension ManagedObjectSet {
    /// Unavailable: use `add(_:)`.
    @available(*, unavailable, renamed: "add(_:)")
    public func append(_ object: ManagedObject<PlainObject>) throws {}

    /// Unavailable: use `add(_:)`.
    @available(*, unavailable, renamed: "add(_:)")
    public func insert(_ object: ManagedObject<PlainObject>) throws {}
}

extension ManagedObjectOrderedSet {
    /// Unavailable: use `add(_:)`.
    @available(*, unavailable, renamed: "add(_:)")
    public func append(_ object: ManagedObject<PlainObject>) throws {}
}
