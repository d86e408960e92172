public import Foundation
import SwormPredicates
import SwormStore

/// The operation of an entity mapping on the objects of an entity.
public enum NSEntityMappingType: UInt, Sendable {
    /// Not specified. The objects are migrated according to the property mappings.
    case undefinedEntityMappingType = 0
    /// A migration policy of the application migrates the objects.
    case customEntityMappingType = 1
    /// The entity is new, so there are no objects to migrate.
    case addEntityMappingType = 2
    /// The entity is removed, with its objects.
    case removeEntityMappingType = 3
    /// The entity is the same in both models.
    case copyEntityMappingType = 4
    /// The entity changed.
    case transformEntityMappingType = 5
}

/// A mapping that specifies how the objects of an entity are migrated.
open class NSEntityMapping: NSObject {
    /// The name of the mapping, which identifies it when associated objects are requested. It must be unique in the
    /// mapping model.
    open var name: String!

    /// The operation on the objects.
    open var mappingType: NSEntityMappingType = .undefinedEntityMappingType

    /// The name of the entity in the old model; nil if the entity is new. Sub-entities have separate mappings.
    open var sourceEntityName: String?

    /// The version hash of the entity in the old model. If it is set, the mapping is rejected for any other version.
    open var sourceEntityVersionHash: Data?

    /// The name of the entity in the new model; nil if the entity is removed.
    open var destinationEntityName: String?

    /// The version hash of the entity in the new model. If it is set, the mapping is rejected for any other version.
    open var destinationEntityVersionHash: Data?

    /// The mappings of the attributes of the new objects. Attributes without a mapping keep their default values.
    open var attributeMappings: [NSPropertyMapping]?

    /// The mappings of the relationships of the new objects. Relationships without a mapping stay empty.
    open var relationshipMappings: [NSPropertyMapping]?

    /// The expression that fetches the old objects that are migrated; nil for all objects of the source entity.
    ///
    /// It is a fetch of the source entity with a condition:
    ///
    /// ```swift
    /// mapping.sourceExpression = NSExpression(
    ///     format: """
    ///         FETCH(FUNCTION($manager, "fetchRequestForSourceEntityNamed:predicateString:", "Book", "year > 1900"), \
    ///         $manager.sourceContext, NO)
    ///         """)
    /// ```
    open var sourceExpression: NSExpression?

    /// The class of the policy that migrates the objects; nil for `NSEntityMigrationPolicy` itself.
    open var entityMigrationPolicyType: NSEntityMigrationPolicy.Type?

    /// The name of the policy's class with its module, such as `MyApp.BookPolicy`. It is used if
    /// ``entityMigrationPolicyType`` is nil.
    open var entityMigrationPolicyClassName: String?

    /// Whether the policy sets all relationships as the mapping specifies, in addition to any other work. May only be
    /// set for policies of this package.
    package final var setsRelationshipsAsMapped = false

    /// Whether the policy calls no code of the application while it sets relationships. May only be set for policies of
    /// this package.
    package final var setsRelationshipsAlone = false

    /// Custom information of the application.
    open var userInfo: [AnyHashable: Any]?

    /// Creates a mapping without entities.
    public override init() { super.init() }

    /// The mapping's name, for messages and logs.
    open override var description: String { "NSEntityMapping \(name ?? "without name")" }
}

extension NSEntityMapping {
    /// Returns the condition for the old objects that are migrated; nil for all objects.
    ///
    /// - Throws: An error for an expression that a mapping does not support.
    final func sourcePredicate() throws -> NSPredicate? {
        guard let sourceExpression else { return nil }
        guard case .function(fetchFunction, let parts) = try sourceExpression.tree(), parts.count == 3,
            case .function(MigrationMessage.request.rawValue, let request) = parts[0], request.count == 3,
            case .value(.string(let entity)) = request[1], case .value(.string(let format)) = request[2],
            parts[2] == .value(.bool(false)), entity == sourceEntityName
        else {
            throw CoreDataError(
                NSMigrationError,
                "The sourceExpression `\(sourceExpression)` of the entity mapping '\(name ?? "")' is not supported. It must fetch the objects of \(sourceEntityName ?? "the source entity"): FETCH(FUNCTION($manager, \"fetchRequestForSourceEntityNamed:predicateString:\", \"\(sourceEntityName ?? "")\", \"TRUEPREDICATE\"), $manager.sourceContext, NO)."
            )
        }
        let tree = try parsePredicate(format)
        return tree == .constant(true) ? nil : FormatPredicate(tree: tree)
    }
}
