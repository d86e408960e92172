import SwormPredicates

/// A row in the closure form of a condition.
///
/// Its members are the attributes and relations of the entity.
///
/// `Root` is the entity that the condition is about, `T` the entity of this row.
@dynamicMemberLookup
public struct EntityPath<Root: ManagedObjectConvertible, T: ManagedObjectConvertible>: Sendable {
    @usableFromInline let operand: Operand

    @usableFromInline
    init(_ operand: Operand) {
        self.operand = operand
    }

    /// Returns an attribute.
    @inlinable
    public subscript<V: SupportedAttributeType>(
        dynamicMember keyPath: any KeyPath<T, V> & Sendable
    ) -> Term<Root, V, V> {
        Term(operand.attribute(keyPath))
    }

    /// Returns an attribute that may be nil.
    @inlinable
    public subscript<V: SupportedAttributeType>(
        dynamicMember keyPath: any KeyPath<T, V?> & Sendable
    ) -> Term<Root, V, V?> {
        Term(operand.attribute(keyPath))
    }

    /// Returns the destination of a relation, which may be missing.
    public subscript<D>(
        dynamicMember keyPath: any KeyPath<T.Relations, ToOneRelation<D>> & Sendable
    ) -> OptionalPath<Root, D> {
        OptionalPath(operand.key(T.relations[keyPath: keyPath].name))
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

extension EntityPath {
    /// Returns a condition that the row is the given object.
    public static func == (left: EntityPath, right: ManagedObjectID<T>) -> Condition<Root> {
        Condition(left.operand, by: .equal, with: Operand(id: right))
    }

    /// Returns a condition that the row is not the given object.
    public static func != (left: EntityPath, right: ManagedObjectID<T>) -> Condition<Root> {
        Condition(left.operand, by: .notEqual, with: Operand(id: right))
    }

    /// Returns a condition that the row is one of the given objects.
    public func isIn(_ ids: some Sequence<ManagedObjectID<T>>) -> Condition<Root> {
        Condition(operand, by: .in, with: Operand(ids: ids))
    }
}

extension EntityPath where Root == T {
    /// The row that a condition is about.
    @inlinable
    static var root: EntityPath { EntityPath(.evaluatedObject) }
}
