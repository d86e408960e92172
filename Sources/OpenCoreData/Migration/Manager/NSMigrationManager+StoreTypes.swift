public import Foundation

extension NSMigrationManager {
    /// Migrates a store.
    ///
    /// - Parameters:
    ///   - sourceURL: The URL of the old store, which is not changed.
    ///   - sourceType: The type of the old store.
    ///   - sourceOptions: The options to open the old store with.
    ///   - mapping: The mapping model.
    ///   - destinationURL: The URL of the new store. The file must not exist yet.
    ///   - destinationType: The type of the new store.
    ///   - destinationOptions: The options to create the new store with.
    /// - Throws: The errors of
    ///   ``migrateStore(from:sourceType:options:with:toDestinationURL:destinationType:destinationOptions:)``.
    public final func migrateStore(
        from sourceURL: URL, type sourceType: NSPersistentStore.StoreType,
        options sourceOptions: [AnyHashable: Any]? = nil, mapping: NSMappingModel, to destinationURL: URL,
        type destinationType: NSPersistentStore.StoreType, options destinationOptions: [AnyHashable: Any]? = nil
    ) throws {
        try migrateStore(
            from: sourceURL, sourceType: sourceType.rawValue, options: sourceOptions, with: mapping,
            toDestinationURL: destinationURL, destinationType: destinationType.rawValue,
            destinationOptions: destinationOptions)
    }
}

/// The name of the variable with the manager in a mapping model's expressions.
public let NSMigrationManagerKey: String = "manager"
/// The name of the variable with the old object in a mapping model's expressions.
public let NSMigrationSourceObjectKey: String = "source"
/// The name of the variable with the new object in a mapping model's expressions.
public let NSMigrationDestinationObjectKey: String = "destination"
/// The name of the variable with the entity mapping in a mapping model's expressions.
public let NSMigrationEntityMappingKey: String = "entityMapping"
/// The name of the variable with the property mapping in a mapping model's expressions.
public let NSMigrationPropertyMappingKey: String = "propertyMapping"
/// The name of the variable with the policy in a mapping model's expressions.
public let NSMigrationEntityPolicyKey: String = "entityPolicy"
