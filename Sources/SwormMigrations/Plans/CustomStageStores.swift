public import Sworm

/// The old and the new store in a stage of a migration. Valid only inside the closure that receives it.
public struct CustomStageStores {
    /// The old store. Changes to it are discarded.
    public let old: ManagedObjectContext
    /// The new store.
    public let new: ManagedObjectContext

    let manager: NSMigrationManager
    let mapping: NSEntityMapping

    /// Returns the successors of an old object.
    ///
    /// - Parameters:
    ///   - object: An object of the old store.
    ///   - type: The type of the new objects. Successors of other types are omitted.
    /// - Returns: The new objects. While objects are still being created, those that exist already.
    /// - Throws: A `StoreError` if the object does not belong to the old store or its handle is no longer valid.
    public func successors<Old: ManagedObjectConvertible, New: ManagedObjectConvertible>(
        of object: ManagedObject<Old>, as type: New.Type
    ) throws -> [ManagedObject<New>] {
        try old.requireOwn(object)
        return try manager.successors(of: object.instance).filter { $0.entity.name == New.entityName }
            .map { try new.handle($0, as: New.self) }
    }

    /// Records that an old object has become a new one, so that relations to the first now point to the second.
    ///
    /// - Parameters:
    ///   - object: An object of the old store.
    ///   - successor: An object of the new store.
    /// - Throws: A `StoreError` if one of the objects does not belong to its store or its handle is no longer valid.
    public func note<Old: ManagedObjectConvertible, New: ManagedObjectConvertible>(
        _ object: ManagedObject<Old>, became successor: ManagedObject<New>
    ) throws {
        try old.requireOwn(object)
        try new.requireOwn(successor)
        manager.associate(
            sourceInstance: object.instance, withDestinationInstance: successor.instance, for: mapping)
    }
}

/// The former name of ``CustomStageStores``.
@available(*, deprecated, renamed: "CustomStageStores")
public typealias StageStores = CustomStageStores
