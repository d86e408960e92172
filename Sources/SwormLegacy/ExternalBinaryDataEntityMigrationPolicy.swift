import Foundation
public import Sworm

/// A migration policy that carries over the objects of an entity together with their external values.
///
/// This is the policy of Sworm 1.x, for mappings that name it. Core Data may leave such a value behind with the old
/// store; there, the policy reads the value and sets it again. This library's own migration manager carries all values
/// over, with or without this policy.
#if canImport(Darwin)
@objc(ExternalBinaryDataEntityMigrationPolicy)
#endif
open class ExternalBinaryDataEntityMigrationPolicy: NSEntityMigrationPolicy {
    #if canImport(CoreData)
    /// Creates the successors of an old object according to the mapping, and sets their external values again.
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
