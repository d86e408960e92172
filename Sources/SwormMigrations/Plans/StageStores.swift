public import Sworm

/// The old and the new store in a stage of a migration. It works only in the closure that it is given to.
public struct StageStores {
    /// The old store. What is changed in it goes nowhere.
    public let old: ManagedObjectContext
    /// The new store.
    public let new: ManagedObjectContext

    let manager: NSMigrationManager
    let mapping: NSEntityMapping

    /// What an old object has become.
    ///
    /// - Parameters:
    ///   - object: An object of the old store.
    ///   - type: The type of the new objects; others that it has become, too, are left out.
    /// - Returns: The new objects. While objects are being made, those that are made already.
    /// - Throws: A ``StoreError`` when the object may not be used here.
    public func successors<Old: ManagedObjectConvertible, New: ManagedObjectConvertible>(
        of object: ManagedObject<Old>, as type: New.Type
    ) throws -> [ManagedObject<New>] {
        try old.requireOwn(object)
        return try manager.successors(of: object.instance).filter { $0.entity.name == New.entityName }
            .map { try new.handle($0, as: New.self) }
    }

    /// Tells that an old object has become a new one, so that relations that led to the old one lead to the new one.
    ///
    /// - Parameters:
    ///   - object: An object of the old store.
    ///   - successor: An object of the new store.
    /// - Throws: A ``StoreError`` when one of them may not be used here.
    public func note<Old: ManagedObjectConvertible, New: ManagedObjectConvertible>(
        _ object: ManagedObject<Old>, became successor: ManagedObject<New>
    ) throws {
        try old.requireOwn(object)
        try new.requireOwn(successor)
        manager.associate(
            sourceInstance: object.instance, withDestinationInstance: successor.instance, for: mapping)
    }
}
