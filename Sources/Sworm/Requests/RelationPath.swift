/// Relations, one behind another, in a key path: `\.author.publisher`.
///
/// It names what ``Request/prefetch(_:_:)`` reads. `T` is the type at the end of the last relation.
@dynamicMemberLookup
public struct RelationPath<T: ManagedObjectConvertible>: Sendable {
    let names: [String]

    /// A relation of the type at the end.
    public subscript<R: Relation>(
        dynamicMember keyPath: any KeyPath<T.Relations, R> & Sendable
    ) -> RelationPath<R.Destination> {
        RelationPath<R.Destination>(names: names + [T.relations[keyPath: keyPath].name])
    }
}
