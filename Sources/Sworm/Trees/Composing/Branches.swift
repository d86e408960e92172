/// The relations and attributes of the objects of a request, for ``Request/with(_:_:)``.
@dynamicMemberLookup
public struct Branches<T: ManagedObjectConvertible>: Sendable {
    init() {}

    /// The object behind a relation, or nil if it is missing.
    public subscript<D>(
        dynamicMember keyPath: any KeyPath<T.Relations, ToOneRelation<D>> & Sendable
    ) -> OneBranch<T, D, D> {
        OneBranch(T.relations[keyPath: keyPath].name, maker: .plain)
    }

    /// The objects behind a relation.
    public subscript<D>(
        dynamicMember keyPath: any KeyPath<T.Relations, ToManyRelation<D>> & Sendable
    ) -> ManyBranch<T, D, D> {
        ManyBranch(T.relations[keyPath: keyPath].name, kind: .toMany, maker: .plain)
    }

    /// The objects behind an ordered relation.
    public subscript<D>(
        dynamicMember keyPath: any KeyPath<T.Relations, ToManyOrderedRelation<D>> & Sendable
    ) -> ManyBranch<T, D, D> {
        ManyBranch(T.relations[keyPath: keyPath].name, kind: .toManyOrdered, maker: .plain)
    }

    /// An attribute.
    public subscript<V: SupportedAttributeType>(
        dynamicMember keyPath: any KeyPath<T, V> & Sendable
    ) -> Term<T, V, V> {
        EntityPath<T, T>.root[dynamicMember: keyPath]
    }

    /// An attribute that may be nil.
    public subscript<V: SupportedAttributeType>(
        dynamicMember keyPath: any KeyPath<T, V?> & Sendable
    ) -> Term<T, V, V?> {
        EntityPath<T, T>.root[dynamicMember: keyPath]
    }
}
