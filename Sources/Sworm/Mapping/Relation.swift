/// A relation of an entity to another entity: a property of ``ManagedObjectConvertible/Relations``.
///
/// Declare relations with ``ToOneRelation``, ``ToManyRelation`` and ``ToManyOrderedRelation``.
public protocol Relation<Destination>: Sendable {
    /// The type at the other end.
    associatedtype Destination: ManagedObjectConvertible

    /// The kind of the relation.
    static var kind: RelationKind { get }

    /// The name of the relation in the model.
    var name: String { get }

    /// The inverse relation of the destination, if this end names it.
    var inverse: RelationInverse? { get }

    /// The rule that decides what happens to the destination when the object at this end is deleted.
    var deleteRule: DeleteRule { get }

    /// The additional options of the relation.
    var options: [RelationOption] { get }
}

/// A relation to any number of objects, with or without an order.
public protocol ManyRelation<Destination>: Relation {}

/// An inverse relation.
///
/// It is looked up on access, so that two tables can refer to each other.
public struct RelationInverse: Sendable {
    private let lookUp: @Sendable () -> (name: String, destination: any ManagedObjectConvertible.Type)

    init<Origin: ManagedObjectConvertible, R: Relation>(
        _ keyPath: any KeyPath<Origin.Relations, R> & Sendable, from origin: Origin.Type
    ) {
        lookUp = { (Origin.relations[keyPath: keyPath].name, R.Destination.self) }
    }

    /// The name of the inverse relation in the model.
    public var name: String { lookUp().name }

    /// The destination of the inverse relation. It must be the type that declares the original relation.
    var destination: any ManagedObjectConvertible.Type { lookUp().destination }
}
