import SwormPredicates

/// The rows behind an ordered relation to many in the closure form of a condition.
///
/// Beside what every relation to many can be asked, single rows are found by their places.
public struct OrderedManyPath<Root: ManagedObjectConvertible, D: ManagedObjectConvertible>: Sendable {
    private let rows: ManyPath<Root, D>

    init(_ operand: Operand) {
        rows = ManyPath(operand)
    }

    /// The first row, if there is one.
    public var first: OptionalPath<Root, D> { row(.first) }

    /// The last row, if there is one.
    public var last: OptionalPath<Root, D> { row(.last) }

    /// The row at a place, counted from zero, if there are so many.
    public subscript(place: Int) -> OptionalPath<Root, D> {
        guard place < 0 else { return row(.expression(.value(.int(Int64(place))))) }
        let failure = StoreError(
            .invalidCondition, "\(D.entityName): the place \(place) of an ordered relation is below zero.",
            entity: D.entityName)
        return OptionalPath(Operand(.value(.null), failure: rows.operand.failure ?? failure))
    }

    private func row(_ place: Subscript) -> OptionalPath<Root, D> {
        OptionalPath(rows.operand.wrapped { .index($0, place) })
    }
}

// What does not depend on the order.

extension OrderedManyPath {
    /// At least one of the rows. Each use may mean another row; use ``contains(where:)`` to ask several things of one.
    public var any: OptionalPath<Root, D> { rows.any }

    /// Every row; also true when there is none.
    public var all: OptionalPath<Root, D> { rows.all }

    /// None of the rows.
    public var none: OptionalPath<Root, D> { rows.none }

    /// How many rows there are.
    public var count: Term<Root, Int, Int> { rows.count }

    /// There are no rows.
    public var isEmpty: Condition<Root> { rows.isEmpty }

    /// The rows that fulfil a condition; the outer row can be named in the closure too.
    public func filter(_ body: (EntityPath<Root, D>) -> Condition<Root>) -> ManyPath<Root, D> { rows.filter(body) }

    /// There is a row that fulfils a condition.
    public func contains(where body: (EntityPath<Root, D>) -> Condition<Root>) -> Condition<Root> {
        rows.contains(where: body)
    }

    /// This object is among the rows.
    public func contains(_ id: ManagedObjectID<D>) -> Condition<Root> { rows.contains(id) }

    /// The largest value among the rows, if there is any.
    public func max<Base, Value>(
        _ keyPath: KeyPath<EntityPath<D, D>, Term<D, Base, Value>>
    ) -> Term<Root, Base, Base?> where Base.PrimitiveAttributeType: Comparable { rows.max(keyPath) }

    /// The smallest value among the rows, if there is any.
    public func min<Base, Value>(
        _ keyPath: KeyPath<EntityPath<D, D>, Term<D, Base, Value>>
    ) -> Term<Root, Base, Base?> where Base.PrimitiveAttributeType: Comparable { rows.min(keyPath) }

    /// The sum of the values of the rows; zero when there is none.
    public func sum<Base: Numeric, Value>(
        _ keyPath: KeyPath<EntityPath<D, D>, Term<D, Base, Value>>
    ) -> Term<Root, Base, Base> { rows.sum(keyPath) }

    /// The average of the values of the rows, if there is any.
    public func average<Base: Numeric, Value>(
        _ keyPath: KeyPath<EntityPath<D, D>, Term<D, Base, Value>>
    ) -> Term<Root, Double, Double?> { rows.average(keyPath) }
}
