import SwormPredicates

/// A row in the closure form of a condition: its members are the attributes and relations of the entity.
///
/// `Root` is the entity that the condition is about, `T` the entity of this row.
@dynamicMemberLookup
public struct EntityPath<Root: ManagedObjectConvertible, T: ManagedObjectConvertible>: Sendable {
    @usableFromInline let operand: Operand

    @usableFromInline
    init(_ operand: Operand) {
        self.operand = operand
    }

    /// An attribute.
    @inlinable
    public subscript<V: SupportedAttributeType>(
        dynamicMember keyPath: any KeyPath<T, V> & Sendable
    ) -> Term<Root, V, V> {
        Term(operand.attribute(keyPath))
    }

    /// An attribute that may be nil.
    @inlinable
    public subscript<V: SupportedAttributeType>(
        dynamicMember keyPath: any KeyPath<T, V?> & Sendable
    ) -> Term<Root, V, V?> {
        Term(operand.attribute(keyPath))
    }

    /// The row at the other end of a relation, if there is one.
    public subscript<D>(
        dynamicMember keyPath: any KeyPath<T.Relations, ToOneRelation<D>> & Sendable
    ) -> OptionalPath<Root, D> {
        OptionalPath(operand.key(T.relations[keyPath: keyPath].name))
    }

    /// The rows at the other end of a relation.
    public subscript<D>(
        dynamicMember keyPath: any KeyPath<T.Relations, ToManyRelation<D>> & Sendable
    ) -> ManyPath<Root, D> {
        ManyPath(operand.key(T.relations[keyPath: keyPath].name))
    }

    /// The rows at the other end of a relation.
    public subscript<D>(
        dynamicMember keyPath: any KeyPath<T.Relations, ToManyOrderedRelation<D>> & Sendable
    ) -> OrderedManyPath<Root, D> {
        OrderedManyPath(operand.key(T.relations[keyPath: keyPath].name))
    }
}

extension EntityPath {
    /// The row is this object.
    public static func == (left: EntityPath, right: ManagedObjectID<T>) -> Condition<Root> {
        Condition(left.operand, .equal, Operand(id: right))
    }

    /// The row is another object.
    public static func != (left: EntityPath, right: ManagedObjectID<T>) -> Condition<Root> {
        Condition(left.operand, .notEqual, Operand(id: right))
    }

    /// The row is one of these objects.
    public func isIn(_ ids: some Sequence<ManagedObjectID<T>>) -> Condition<Root> {
        Condition(operand, .in, Operand(ids: ids))
    }
}

extension EntityPath where Root == T {
    /// The row that a condition is about.
    @inlinable
    static var root: EntityPath { EntityPath(.evaluatedObject) }
}
