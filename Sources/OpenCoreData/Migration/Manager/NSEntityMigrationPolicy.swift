public import Foundation

/// A policy that migrates the objects of an entity from an old store to a new one. Subclass it to customize the
/// migration.
///
/// One policy is created for each entity mapping, and is called on the thread that migrates. Objects are processed in
/// batches and may be removed from their context between two calls, so retain their ids rather than the objects.
///
/// ```swift
/// final class FullName: NSEntityMigrationPolicy {
///     override func createDestinationInstances(
///         forSource old: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
///     ) throws {
///         try super.createDestinationInstances(forSource: old, in: mapping, manager: manager)
///         let made = manager.destinationInstances(forEntityMappingName: mapping.name, sourceInstances: [old])
///         let parts = [old.value(forKey: "first"), old.value(forKey: "last")].compactMap { $0 as? String }
///         made.first?.setValue(parts.joined(separator: " "), forKey: "name")
///     }
/// }
/// ```
open class NSEntityMigrationPolicy: NSObject {
    /// Creates a policy. Called by the manager.
    public required override init() { super.init() }

    /// Called before the first object of the entity is migrated.
    ///
    /// - Parameters:
    ///   - mapping: The mapping of the entity.
    ///   - manager: The migration manager.
    open func begin(_ mapping: NSEntityMapping, with manager: NSMigrationManager) throws {}

    /// Creates the new object for an old one, sets its attributes, and associates the two objects in the manager.
    ///
    /// An override that does not call `super` may create any number of objects in the manager's `destinationContext`.
    /// It must associate each of them by calling `associate(sourceInstance:withDestinationInstance:for:)`.
    ///
    /// - Parameters:
    ///   - sInstance: The old object.
    ///   - mapping: The mapping of its entity.
    ///   - manager: The migration manager.
    open func createDestinationInstances(
        forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        guard let name = mapping.destinationEntityName else { return }
        let object = NSEntityDescription.insertNewObject(forEntityName: name, into: manager.destinationContext)
        try throwingCocoaErrors {
            for property in mapping.attributeMappings ?? [] {
                try property.setAttribute(of: object, from: sInstance, manager: manager)
            }
        }
        manager.associate(sourceInstance: sInstance, withDestinationInstance: object, for: mapping)
    }

    /// Called after the new objects of the entity were created.
    ///
    /// - Parameters:
    ///   - mapping: The mapping of the entity.
    ///   - manager: The migration manager.
    open func endInstanceCreation(forMapping mapping: NSEntityMapping, manager: NSMigrationManager) throws {}

    /// Sets the relationships of a new object, after the objects of all entities were created.
    ///
    /// - Parameters:
    ///   - dInstance: The new object.
    ///   - mapping: The mapping of the old object's entity.
    ///   - manager: The migration manager.
    open func createRelationships(
        forDestination dInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        let sources = manager.sourceInstances(forEntityMappingName: mapping.name, destinationInstances: [dInstance])
        try throwingCocoaErrors {
            for property in mapping.relationshipMappings ?? [] where !manager.isSetByInverse(property, in: mapping) {
                try property.setRelationship(of: dInstance, from: sources, manager: manager)
            }
        }
    }

    /// Called after the relationships of all objects of the entity were set.
    ///
    /// - Parameters:
    ///   - mapping: The mapping of the entity.
    ///   - manager: The migration manager.
    open func endRelationshipCreation(forMapping mapping: NSEntityMapping, manager: NSMigrationManager) throws {}

    /// Called after all objects and relationships were written to the new store, and before all objects are validated.
    /// Throw an error if the result is not valid.
    ///
    /// - Parameters:
    ///   - mapping: The mapping of the entity.
    ///   - manager: The migration manager.
    open func performCustomValidation(forMapping mapping: NSEntityMapping, manager: NSMigrationManager) throws {}

    /// Called at the end of the migration.
    ///
    /// - Parameters:
    ///   - mapping: The mapping of the entity.
    ///   - manager: The migration manager.
    open func end(_ mapping: NSEntityMapping, manager: NSMigrationManager) throws {}
}

extension NSEntityMapping {
    /// The class of the policy: the specified class, the class with the specified name, or `NSEntityMigrationPolicy`.
    var policyType: NSEntityMigrationPolicy.Type? {
        if let entityMigrationPolicyType { return entityMigrationPolicyType }
        guard let name = entityMigrationPolicyClassName, !name.isEmpty else { return NSEntityMigrationPolicy.self }
        return NSClassFromString(name) as? NSEntityMigrationPolicy.Type
    }

    /// Whether there can be old objects to migrate.
    var carriesObjects: Bool {
        mappingType != .addEntityMappingType && mappingType != .removeEntityMappingType && sourceEntityName != nil
    }
}
