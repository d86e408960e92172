import SwormPredicates

/// A row behind a relation in the closure form of a condition. There may be none, so its attributes may be missing.
@dynamicMemberLookup
public struct OptionalPath<Root: ManagedObjectConvertible, T: ManagedObjectConvertible>: Sendable {
    let operand: Operand

    init(_ operand: Operand) {
        self.operand = operand
    }

    /// An attribute.
    public subscript<V: SupportedAttributeType>(
        dynamicMember keyPath: any KeyPath<T, V> & Sendable
    ) -> Term<Root, V, V?> {
        Term(operand.attribute(keyPath))
    }

    /// An attribute that may be nil.
    public subscript<V: SupportedAttributeType>(
        dynamicMember keyPath: any KeyPath<T, V?> & Sendable
    ) -> Term<Root, V, V?> {
        Term(operand.attribute(keyPath))
    }

    /// The row at the other end of a relation, if there is one.
    public subscript<D>(
        dynamicMember keyPath: any KeyPath<T.Relations, ToOneRelation<D>> & Sendable
    ) -> OptionalPath<Root, D> {
        OptionalPath<Root, D>(operand.key(T.relations[keyPath: keyPath].name))
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

extension OptionalPath {
    /// The row is this object; with nil, there is none.
    public static func == (left: OptionalPath, right: ManagedObjectID<T>?) -> Condition<Root> {
        Condition(left.operand, .equal, Operand(id: right))
    }

    /// The row is another object; with nil, there is one.
    public static func != (left: OptionalPath, right: ManagedObjectID<T>?) -> Condition<Root> {
        Condition(left.operand, .notEqual, Operand(id: right))
    }

    /// The two rows are the same.
    public static func == (left: OptionalPath, right: OptionalPath) -> Condition<Root> {
        Condition(left.operand, .equal, right.operand)
    }

    /// The two rows differ.
    public static func != (left: OptionalPath, right: OptionalPath) -> Condition<Root> {
        Condition(left.operand, .notEqual, right.operand)
    }

    /// The row is this one.
    public static func == (left: OptionalPath, right: EntityPath<Root, T>) -> Condition<Root> {
        Condition(left.operand, .equal, right.operand)
    }

    /// The row is another one than this.
    public static func != (left: OptionalPath, right: EntityPath<Root, T>) -> Condition<Root> {
        Condition(left.operand, .notEqual, right.operand)
    }

    /// The row is one of these objects.
    public func isIn(_ ids: some Sequence<ManagedObjectID<T>>) -> Condition<Root> {
        Condition(operand, .in, Operand(ids: ids))
    }
}
