public import Foundation

/// What a mapping does with the objects of an entity.
public enum NSEntityMappingType: UInt, Sendable {
    /// It is not said. The objects are carried over as the property mappings say.
    case undefinedEntityMappingType = 0
    /// A migration policy of the application carries the objects over.
    case customEntityMappingType = 1
    /// The entity is new, so there are no objects to carry over.
    case addEntityMappingType = 2
    /// The entity goes, with its objects.
    case removeEntityMappingType = 3
    /// The entity is the same in both models.
    case copyEntityMappingType = 4
    /// The entity was changed.
    case transformEntityMappingType = 5
}

/// Says what the objects of an entity become.
open class NSEntityMapping: NSObject {
    /// The name, by which what the objects have become is asked for; unique in its mapping model.
    open var name: String!

    /// What is done with the objects.
    open var mappingType: NSEntityMappingType = .undefinedEntityMappingType

    /// The name of the entity in the old model; nil when it is new. Sub-entities have mappings of their own.
    open var sourceEntityName: String?

    /// The version hash of the entity in the old model. When it is set, the mapping is refused for any other version.
    open var sourceEntityVersionHash: Data?

    /// The name of the entity in the new model; nil when it goes.
    open var destinationEntityName: String?

    /// The version hash of the entity in the new model. When it is set, the mapping is refused for any other version.
    open var destinationEntityVersionHash: Data?

    /// What the attributes of the new objects are set to. Those that are not named keep their default values.
    open var attributeMappings: [NSPropertyMapping]?

    /// What the relationships of the new objects are set to. Those that are not named stay empty.
    open var relationshipMappings: [NSPropertyMapping]?

    /// Which of the old objects are carried over; nil for all.
    ///
    /// It stands for the `sourceExpression` of Core Data, an expression that fetches the objects.
    open var sourcePredicate: NSPredicate?

    /// The class of the policy that carries the objects over; nil for `NSEntityMigrationPolicy` itself.
    open var entityMigrationPolicyType: NSEntityMigrationPolicy.Type?

    /// The name of that class with its module, as `MyApp.BookPolicy`, for a class that was not given as a type.
    open var entityMigrationPolicyClassName: String?

    /// Whether the policy, which is one of our own then, sets relationships as the mapping says, whatever else it does.
    package final var setsRelationshipsAsMapped = false

    /// Whether the policy calls nobody else's code while relationships are set.
    package final var setsRelationshipsAlone = false

    /// Any information that the application attaches.
    open var userInfo: [AnyHashable: Any]?

    /// Makes a mapping of no entity yet.
    public override init() { super.init() }

    /// The mapping's name, for messages and logs.
    open override var description: String { "NSEntityMapping \(name ?? "without name")" }
}
