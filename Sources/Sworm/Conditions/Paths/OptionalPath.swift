import SwormPredicates

/// The destination of a relation in the closure form of a condition.
///
/// It may be missing, so its attributes may be missing too.
@dynamicMemberLookup
public struct OptionalPath<Root: ManagedObjectConvertible, T: ManagedObjectConvertible>: Sendable {
    let operand: Operand

    init(_ operand: Operand) {
        self.operand = operand
    }

    /// Returns an attribute.
    public subscript<V: SupportedAttributeType>(
        dynamicMember keyPath: any KeyPath<T, V> & Sendable
    ) -> Term<Root, V, V?> {
        Term(operand.attribute(keyPath))
    }

    /// Returns an attribute that may be nil.
    public subscript<V: SupportedAttributeType>(
        dynamicMember keyPath: any KeyPath<T, V?> & Sendable
    ) -> Term<Root, V, V?> {
        Term(operand.attribute(keyPath))
    }

    /// Returns the destination of a relation, which may be missing.
    public subscript<D>(
        dynamicMember keyPath: any KeyPath<T.Relations, ToOneRelation<D>> & Sendable
    ) -> OptionalPath<Root, D> {
        OptionalPath<Root, D>(operand.key(T.relations[keyPath: keyPath].name))
    }

    /// Returns the destinations of a relation.
    public subscript<D>(
        dynamicMember keyPath: any KeyPath<T.Relations, ToManyRelation<D>> & Sendable
    ) -> ManyPath<Root, D> {
        ManyPath(operand.key(T.relations[keyPath: keyPath].name))
    }

    /// Returns the destinations of an ordered relation.
    public subscript<D>(
        dynamicMember keyPath: any KeyPath<T.Relations, ToManyOrderedRelation<D>> & Sendable
    ) -> OrderedManyPath<Root, D> {
        OrderedManyPath(operand.key(T.relations[keyPath: keyPath].name))
    }
}

extension OptionalPath {
    /// Returns a condition that the row is the given object.
    ///
    /// With nil, the row must be missing.
    public static func == (left: OptionalPath, right: ManagedObjectID<T>?) -> Condition<Root> {
        Condition(left.operand, by: .equal, with: Operand(id: right))
    }

    /// Returns a condition that the row is not the given object.
    ///
    /// With nil, the row must not be missing.
    public static func != (left: OptionalPath, right: ManagedObjectID<T>?) -> Condition<Root> {
        Condition(left.operand, by: .notEqual, with: Operand(id: right))
    }

    /// Returns a condition that the two rows are the same.
    public static func == (left: OptionalPath, right: OptionalPath) -> Condition<Root> {
        Condition(left.operand, by: .equal, with: right.operand)
    }

    /// Returns a condition that the two rows differ.
    public static func != (left: OptionalPath, right: OptionalPath) -> Condition<Root> {
        Condition(left.operand, by: .notEqual, with: right.operand)
    }

    /// Returns a condition that the two rows are the same.
    public static func == (left: OptionalPath, right: EntityPath<Root, T>) -> Condition<Root> {
        Condition(left.operand, by: .equal, with: right.operand)
    }

    /// Returns a condition that the two rows differ.
    public static func != (left: OptionalPath, right: EntityPath<Root, T>) -> Condition<Root> {
        Condition(left.operand, by: .notEqual, with: right.operand)
    }

    /// Returns a condition that the row is one of the given objects.
    public func isIn(_ ids: some Sequence<ManagedObjectID<T>>) -> Condition<Root> {
        Condition(operand, by: .in, with: Operand(ids: ids))
    }
}
