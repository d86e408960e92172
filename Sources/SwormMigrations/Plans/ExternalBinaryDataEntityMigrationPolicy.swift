import Foundation
public import Sworm

/// Carries the objects of an entity over with the values that stand in files of their own.
///
/// It is that of Sworm 1.x, for mappings that name it. Core Data may leave such a value behind with the old store, so there it
/// is read and set anew. This library's own manager carries all values over, with this policy and without it.
#if canImport(Darwin)
@objc(ExternalBinaryDataEntityMigrationPolicy)
#endif
open class ExternalBinaryDataEntityMigrationPolicy: NSEntityMigrationPolicy {
    /// The name that mappings of Sworm 1.x have for it.
    static let formerName = "ExternalBinaryDataEntityMigrationPolicy"

    #if canImport(CoreData)
    /// Makes what an old object becomes, as the mapping says, and sets its external values anew.
    open override func createDestinationInstances(
        forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
        guard let name = mapping.name else { return }
        for object in manager.destinationInstances(forEntityMappingName: name, sourceInstances: [sInstance]) {
            for (key, attribute) in object.entity.attributesByName where attribute.allowsExternalBinaryDataStorage {
                guard let value = object.value(forKey: key) as? Data else { continue }
                object.setValue(value.withUnsafeBytes { Data($0) }, forKey: key)
            }
        }
    }
    #endif
}

extension NSMappingModel {
    /// Has entity mappings find the policy by the name that it had in Sworm 1.x.
    func findExternalBinaryDataPolicy() {
        let name = NSStringFromClass(ExternalBinaryDataEntityMigrationPolicy.self)
        for mapping in entityMappings ?? []
        where mapping.entityMigrationPolicyClassName == ExternalBinaryDataEntityMigrationPolicy.formerName
            && mapping.entityMigrationPolicyClassName != name
        {
            mapping.entityMigrationPolicyClassName = name
        }
    }
}
