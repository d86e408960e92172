import SwormPredicates

/// The destinations of an ordered relation to many in the closure form of a condition.
///
/// In addition to the operations of unordered relations to many, you can access rows by their index.
public struct OrderedManyPath<Root: ManagedObjectConvertible, D: ManagedObjectConvertible>: Sendable {
    private let rows: ManyPath<Root, D>

    init(_ operand: Operand) {
        rows = ManyPath(operand)
    }

    /// The first row, which may be missing.
    public var first: OptionalPath<Root, D> { row(.first) }

    /// The last row, which may be missing.
    public var last: OptionalPath<Root, D> { row(.last) }

    /// Returns the row at the given index, starting at zero, which may be missing.
    public subscript(place: Int) -> OptionalPath<Root, D> {
        guard place < 0 else { return row(.expression(.value(.int(Int64(place))))) }
        let failure = StoreError(
            .invalidCondition, "\(D.entityName): the index \(place) of an ordered relation is negative.",
            entity: D.entityName)
        return OptionalPath(Operand(.value(.null), failure: rows.operand.failure ?? failure))
    }

    private func row(_ place: Subscript) -> OptionalPath<Root, D> {
        OptionalPath(rows.operand.wrapped { .index($0, place) })
    }
}

// The operations that do not depend on the order.

extension OrderedManyPath {
    /// At least one of the rows.
    ///
    /// Each use may refer to a different row; use ``contains(where:)`` for several comparisons about the same row.
    public var any: OptionalPath<Root, D> { rows.any }

    /// All of the rows.
    ///
    /// A comparison is also true if there are no rows.
    public var all: OptionalPath<Root, D> { rows.all }

    /// None of the rows.
    public var none: OptionalPath<Root, D> { rows.none }

    /// The number of rows.
    public var count: Term<Root, Int, Int> { rows.count }

    /// A condition that there are no rows.
    public var isEmpty: Condition<Root> { rows.isEmpty }

    /// Returns the rows that fulfill a condition.
    ///
    /// The closure can also refer to the outer row.
    public func filter(_ body: (EntityPath<Root, D>) -> Condition<Root>) -> ManyPath<Root, D> { rows.filter(body) }

    /// Returns a condition that at least one row fulfills the condition of the closure.
    public func contains(where body: (EntityPath<Root, D>) -> Condition<Root>) -> Condition<Root> {
        rows.contains(where: body)
    }

    /// Returns a condition that the given object is one of the rows.
    public func contains(_ id: ManagedObjectID<D>) -> Condition<Root> { rows.contains(id) }

    /// Returns the largest value of the rows, or a missing value if there are no values.
    public func max<Base, Value>(
        _ keyPath: KeyPath<EntityPath<D, D>, Term<D, Base, Value>>
    ) -> Term<Root, Base, Base?> where Base.PrimitiveAttributeType: Comparable { rows.max(keyPath) }

    /// Returns the smallest value of the rows, or a missing value if there are no values.
    public func min<Base, Value>(
        _ keyPath: KeyPath<EntityPath<D, D>, Term<D, Base, Value>>
    ) -> Term<Root, Base, Base?> where Base.PrimitiveAttributeType: Comparable { rows.min(keyPath) }

    /// Returns the sum of the values of the rows, or zero if there are no values.
    public func sum<Base: Numeric, Value>(
        _ keyPath: KeyPath<EntityPath<D, D>, Term<D, Base, Value>>
    ) -> Term<Root, Base, Base> { rows.sum(keyPath) }

    /// Returns the average of the values of the rows, or a missing value if there are no values.
    public func average<Base: Numeric, Value>(
        _ keyPath: KeyPath<EntityPath<D, D>, Term<D, Base, Value>>
    ) -> Term<Root, Double, Double?> { rows.average(keyPath) }
}
