/// A path of relations in a key path: `\.author.publisher`.
///
/// It names the relations that ``Request/prefetch(_:_:)`` reads. `T` is the destination of the last relation.
@dynamicMemberLookup
public struct RelationPath<T: ManagedObjectConvertible>: Sendable {
    let names: [String]

    /// Returns the path extended by a relation of its destination.
    public subscript<R: Relation>(
        dynamicMember keyPath: any KeyPath<T.Relations, R> & Sendable
    ) -> RelationPath<R.Destination> {
        RelationPath<R.Destination>(names: names + [T.relations[keyPath: keyPath].name])
    }
}
