public import Foundation

/// Carries the objects of an entity over from an old store to a new one. Override to do it otherwise.
///
/// One policy is made for each entity mapping, and called on the thread that migrates. The objects are worked on in batches:
/// between two calls an object may have left its context, so keep ids rather than objects.
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
    /// Makes a policy. The manager does that.
    public required override init() { super.init() }

    /// Called before the first object of the entity.
    ///
    /// - Parameters:
    ///   - mapping: The mapping of the entity.
    ///   - manager: What migrates.
    open func begin(_ mapping: NSEntityMapping, with manager: NSMigrationManager) throws {}

    /// Makes what an old object becomes, sets its attributes, and tells the manager that the two belong together.
    ///
    /// An override that does not call `super` makes as many objects in the manager's `destinationContext` as it likes, and
    /// hands them to `associate(sourceInstance:withDestinationInstance:for:)`.
    ///
    /// - Parameters:
    ///   - sInstance: The old object.
    ///   - mapping: The mapping of its entity.
    ///   - manager: What migrates.
    open func createDestinationInstances(
        forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        guard let name = mapping.destinationEntityName else { return }
        let object = NSEntityDescription.insertNewObject(forEntityName: name, into: manager.destinationContext)
        for property in mapping.attributeMappings ?? [] {
            try property.setAttribute(of: object, from: sInstance, manager: manager)
        }
        manager.associate(sourceInstance: sInstance, withDestinationInstance: object, for: mapping)
    }

    /// Called when there is an object for each old one of the entity.
    ///
    /// - Parameters:
    ///   - mapping: The mapping of the entity.
    ///   - manager: What migrates.
    open func endInstanceCreation(forMapping mapping: NSEntityMapping, manager: NSMigrationManager) throws {}

    /// Sets the relationships of a new object, when all objects of all entities are there.
    ///
    /// - Parameters:
    ///   - dInstance: The new object.
    ///   - mapping: The mapping of the entity of the old one.
    ///   - manager: What migrates.
    open func createRelationships(
        forDestination dInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        let sources = manager.sourceInstances(forEntityMappingName: mapping.name, destinationInstances: [dInstance])
        for property in mapping.relationshipMappings ?? [] where !manager.isSetByInverse(property, in: mapping) {
            try property.setRelationship(of: dInstance, from: sources, manager: manager)
        }
    }

    /// Called when the relationships of all objects of the entity are set.
    ///
    /// - Parameters:
    ///   - mapping: The mapping of the entity.
    ///   - manager: What migrates.
    open func endRelationshipCreation(forMapping mapping: NSEntityMapping, manager: NSMigrationManager) throws {}

    /// Called when everything is in the new store, before all objects are validated. Throw what is not as it should be.
    ///
    /// - Parameters:
    ///   - mapping: The mapping of the entity.
    ///   - manager: What migrates.
    open func performCustomValidation(forMapping mapping: NSEntityMapping, manager: NSMigrationManager) throws {}

    /// Called at the very end.
    ///
    /// - Parameters:
    ///   - mapping: The mapping of the entity.
    ///   - manager: What migrates.
    open func end(_ mapping: NSEntityMapping, manager: NSMigrationManager) throws {}
}

extension NSEntityMapping {
    /// The class of the policy: the one that was given, the one with the name that was given, or the plain one.
    var policyType: NSEntityMigrationPolicy.Type? {
        if let entityMigrationPolicyType { return entityMigrationPolicyType }
        guard let name = entityMigrationPolicyClassName, !name.isEmpty else { return NSEntityMigrationPolicy.self }
        return NSClassFromString(name) as? NSEntityMigrationPolicy.Type
    }

    /// Whether there can be old objects to carry over.
    var carriesObjects: Bool {
        mappingType != .addEntityMappingType && mappingType != .removeEntityMappingType && sourceEntityName != nil
    }
}
