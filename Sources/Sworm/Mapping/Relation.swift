/// A relation of an entity to another one: a property of ``ManagedObjectConvertible/Relations``.
///
/// Declare relations with ``ToOneRelation``, ``ToManyRelation`` and ``ToManyOrderedRelation``.
public protocol Relation<Destination>: Sendable {
    /// The type at the other end.
    associatedtype Destination: ManagedObjectConvertible

    /// Which kind of relation it is.
    static var kind: RelationKind { get }

    /// The name of the relation in the model.
    var name: String { get }

    /// The relation back from the destination, where this end names it.
    var inverse: RelationInverse? { get }

    /// What happens to the destination when the object at this end is deleted.
    var deleteRule: DeleteRule { get }

    /// What the table says beyond that.
    var options: [RelationOption] { get }
}

/// The relation that leads back. It is looked up when it is asked for, so that two tables can name each other.
public struct RelationInverse: Sendable {
    private let lookUp: @Sendable () -> (name: String, destination: any ManagedObjectConvertible.Type)

    init<Origin: ManagedObjectConvertible, R: Relation>(
        _ keyPath: any KeyPath<Origin.Relations, R> & Sendable, from origin: Origin.Type
    ) {
        lookUp = { (Origin.relations[keyPath: keyPath].name, R.Destination.self) }
    }

    /// The name of the inverse relation in the model.
    public var name: String { lookUp().name }

    /// Where the inverse relation leads to. It ought to be the type whose relation this is the inverse of.
    package var destination: any ManagedObjectConvertible.Type { lookUp().destination }
}
