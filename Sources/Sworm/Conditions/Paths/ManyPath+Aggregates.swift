import SwormPredicates

extension ManyPath {
    /// Returns the largest value of the rows, or a missing value if there are no values.
    public func max<Base, Value>(
        _ keyPath: KeyPath<EntityPath<D, D>, Term<D, Base, Value>>
    ) -> Term<Root, Base, Base?> where Base.PrimitiveAttributeType: Comparable {
        aggregate("@max", of: keyPath)
    }

    /// Returns the smallest value of the rows, or a missing value if there are no values.
    public func min<Base, Value>(
        _ keyPath: KeyPath<EntityPath<D, D>, Term<D, Base, Value>>
    ) -> Term<Root, Base, Base?> where Base.PrimitiveAttributeType: Comparable {
        aggregate("@min", of: keyPath)
    }

    /// Returns the sum of the values of the rows, or zero if there are no values.
    public func sum<Base: Numeric, Value>(
        _ keyPath: KeyPath<EntityPath<D, D>, Term<D, Base, Value>>
    ) -> Term<Root, Base, Base> {
        aggregate("@sum", of: keyPath)
    }

    /// Returns the average of the values of the rows, or a missing value if there are no values.
    public func average<Base: Numeric, Value>(
        _ keyPath: KeyPath<EntityPath<D, D>, Term<D, Base, Value>>
    ) -> Term<Root, Double, Double?> {
        aggregate("@avg", of: keyPath)
    }

    private func aggregate<Base, Value, ResultBase, ResultValue>(
        _ name: String, of keyPath: KeyPath<EntityPath<D, D>, Term<D, Base, Value>>
    ) -> Term<Root, ResultBase, ResultValue> {
        let column = EntityPath<D, D>.root[keyPath: keyPath].operand
        var result = operand.key(name)
        result.failure = operand.failure ?? column.failure
        if let keys = column.expression.pathKeys, column.scopes.isEmpty, !keys.contains(where: { $0.hasPrefix("@") }) {
            result.expression = keys.reduce(result.expression) { .key($0, $1) }
        } else {
            result.failure =
                result.failure
                ?? StoreError(
                    .invalidCondition,
                    "\(D.entityName): '\(name.dropFirst())' takes an attribute, also through to-one relations, but "
                        + "not a count or a computed value.",
                    entity: D.entityName)
        }
        return Term(result)
    }
}
