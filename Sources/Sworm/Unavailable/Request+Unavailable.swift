public import Foundation

// Not there: these say what to write instead.
extension Request {
    /// Not there: conditions are given to `where`.
    @available(*, unavailable, renamed: "where(_:)")
    public func filter(_ condition: Condition<PlainObject>) -> Request { self }

    /// Not there: conditions are given to `where`.
    @available(*, unavailable, renamed: "where(_:)")
    public func filter(
        _ condition: (EntityPath<PlainObject, PlainObject>) -> Condition<PlainObject>
    ) -> Request { self }

    /// Not there: orders are given to `sort`.
    @available(*, unavailable, renamed: "sort(_:ascending:)")
    public func sorted<Base, Value>(
        by keyPath: KeyPath<EntityPath<PlainObject, PlainObject>, Term<PlainObject, Base, Value>>
    ) -> Request { self }

    /// Not there: orders are given to `sort`.
    @available(*, unavailable, renamed: "sort(_:ascending:)")
    public func sort<Base, Value>(
        by keyPath: KeyPath<EntityPath<PlainObject, PlainObject>, Term<PlainObject, Base, Value>>
    ) -> Request { self }

    /// Not there: orders are given to `sort`.
    @available(*, unavailable, renamed: "sort(_:ascending:)")
    public func order<Base, Value>(
        by keyPath: KeyPath<EntityPath<PlainObject, PlainObject>, Term<PlainObject, Base, Value>>
    ) -> Request { self }

    /// Not there: a context reads the first object.
    @available(*, unavailable, message: "a context reads the first object: `try context.fetchOne(request)`")
    public var first: ManagedObject<PlainObject>? { nil }

    /// Not there: a predicate is of the entity, or of its rows.
    @available(
        *, unavailable,
        message: "the predicate is of another entity: write `#Predicate<Book>` or `#Predicate<Row<Book>>`"
    )
    @_disfavoredOverload
    public func `where`<Other>(_ predicate: Foundation.Predicate<Other>) -> Request { self }
}
