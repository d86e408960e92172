import Foundation
import SwormStore

// The members that subclasses override must be declared in the bodies of the classes, although their work is done by the
// extensions, which use the classes in turn. These protocols name that work, so that the bodies, and the parts that the
// extensions are built upon, do not depend on the extensions.

/// The work of a context that its basic parts start.
protocol ContextOperations {
    // Reads.
    func results<T>(of request: NSFetchRequest<T>) throws -> [T]
    func resultCount<T>(of request: NSFetchRequest<T>) throws -> Int
    func result(of request: NSPersistentStoreRequest) throws -> NSPersistentStoreResult
    func rowOfParent(_ parent: NSManagedObjectContext, of object: NSManagedObject) throws -> ObjectSnapshot?
    func membersOfParent(
        _ parent: NSManagedObjectContext, of object: NSManagedObject, slot: Int
    ) throws -> [(object: NSManagedObject, orderKey: Int64?)]
    func originOfDestination(_ row: RowID, of object: NSManagedObject, slot: Int) -> ObjectOrigin

    // Changes of objects.
    func applyDeleteRules(of object: NSManagedObject) -> [NSManagedObject]
    func takeBackDeletion(of object: NSManagedObject)
    func refreshObject(_ object: NSManagedObject, mergeChanges flag: Bool)
    func refreshObjects()
    func rollBackChanges()
    func resetObjects()
    func recordSteps(for manager: (any UndoManaging)?)
    func registerStep()

    // Saves and merges.
    func saveChanges() throws
    func assignPermanentIDs(to objects: [NSManagedObject]) throws
    func assignObject(_ object: Any, to store: NSPersistentStore)
    func mergeSave(_ notification: Notification)
    func merge(_ ids: SavedIDs)

    // Settings.
    func setParent(_ new: NSManagedObjectContext?)
    func pin(to generation: NSQueryGenerationToken?) throws
    var defaultMergePolicy: Any { get }

    // Blocks.
    func run(_ block: () -> Void)
    func enqueue(_ block: @escaping @Sendable () -> Void)
}

extension NSManagedObjectContext: ContextOperations {
    /// The context, as its basic parts use it.
    final var operations: some ContextOperations { self }
}

/// The work of an object that its open members start.
protocol ObjectOperations {
    // Values.
    func property(forKey key: String) -> Any?
    func setProperty(_ value: Any?, forKey key: String, marks: Bool)
    func set(forKey key: String) -> NSMutableSet
    func orderedSet(forKey key: String) -> NSMutableOrderedSet
    func storedValues(forKeys keys: [String]?) -> [String: Any]
    func unsavedValues() -> [String: Any]
    func earlierValues() -> [String: Any]

    // Notes about changes.
    func noteChange(of key: String)
    func noteSetting(_ key: String)
    func noteSetting()
    func refuseUnknownKey(_ key: String)

    // Validation.
    func validate(_ value: Any?, forKey key: String) throws
    func validateProperties() throws
    func validateDeleteRules() throws
}

extension NSManagedObject: ObjectOperations {
    /// The object, as its open members use it.
    final var operations: some ObjectOperations { self }
}
