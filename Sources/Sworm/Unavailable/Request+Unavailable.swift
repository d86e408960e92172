public import Foundation

// Unavailable declarations whose messages suggest an alternative.
extension Request {
    /// Unavailable: use `where` for conditions.
    @available(*, unavailable, renamed: "where(_:)")
    public func filter(_ condition: Condition<PlainObject.Entity>) -> Request { self }

    /// Unavailable: use `where` for conditions.
    @available(*, unavailable, renamed: "where(_:)")
    public func filter(
        _ condition: (EntityPath<PlainObject.Entity, PlainObject.Entity>) -> Condition<PlainObject.Entity>
    ) -> Request { self }

    /// Unavailable: use `sort` for sort orders.
    @available(*, unavailable, renamed: "sort(_:ascending:)")
    public func sorted<Base, Value>(
        by keyPath: KeyPath<EntityPath<PlainObject.Entity, PlainObject.Entity>, Term<PlainObject.Entity, Base, Value>>
    ) -> Request { self }

    /// Unavailable: use `sort` for sort orders.
    @available(*, unavailable, renamed: "sort(_:ascending:)")
    public func sort<Base, Value>(
        by keyPath: KeyPath<EntityPath<PlainObject.Entity, PlainObject.Entity>, Term<PlainObject.Entity, Base, Value>>
    ) -> Request { self }

    /// Unavailable: use `sort` for sort orders.
    @available(*, unavailable, renamed: "sort(_:ascending:)")
    public func order<Base, Value>(
        by keyPath: KeyPath<EntityPath<PlainObject.Entity, PlainObject.Entity>, Term<PlainObject.Entity, Base, Value>>
    ) -> Request { self }

    /// Unavailable: use a context to read the first object.
    @available(*, unavailable, message: "a context reads the first object: `try context.fetchOne(request)`")
    public var first: ManagedObject<PlainObject.Entity>? { nil }

    /// Unavailable: the predicate must be about the entity of the request, or about its rows.
    @available(
        *, unavailable,
        message: "the predicate is for another entity: write `#Predicate<Book>` or `#Predicate<Row<Book>>`"
    )
    @_disfavoredOverload
    public func `where`<Other>(_ predicate: Foundation.Predicate<Other>) -> Request { self }
}
