public import Foundation

/// The type of a store that keeps its objects in an SQLite file.
public let NSSQLiteStoreType: String = "SQLite"
/// The type of a store that keeps its objects in memory.
public let NSInMemoryStoreType: String = "InMemory"
/// The option that opens a store for reading only.
public let NSReadOnlyPersistentStoreOption: String = "NSReadOnlyPersistentStoreOption"
/// The option that gives seconds to wait for a locked store.
public let NSPersistentStoreTimeoutOption: String = "NSPersistentStoreTimeoutOption"
/// Lets `destroyPersistentStore` remove a regular file that is no store: `true`.
public let NSPersistentStoreForceDestroyOption: String = "NSPersistentStoreForceDestroyOption"
/// The option that holds a dictionary of SQLite pragmas.
public let NSSQLitePragmasOption: String = "NSSQLitePragmasOption"
/// The option that asks for automatic migration: a store of another model is migrated when it is opened for writing.
public let NSMigratePersistentStoresAutomaticallyOption: String = "NSMigratePersistentStoresAutomaticallyOption"
/// The option that asks for an inferred mapping in an automatic migration. The store's own copy of its model is the source.
public let NSInferMappingModelAutomaticallyOption: String = "NSInferMappingModelAutomaticallyOption"
/// The option that turns a store's history on.
///
/// With `true` a new store, or one without a history, begins to record who inserted, updated and deleted which object, and
/// when. A store that has a history goes on with it, whatever the option says. One without a history that is opened
/// read-only is refused with this option.
public let NSPersistentHistoryTrackingKey: String = "NSPersistentHistoryTrackingKey"
/// The option that lets a store be written that is mirrored to CloudKit; without it such a store is opened read-only.
/// Core Data has none: it mirrors such stores itself.
package let SwormWritesMirroredStoresOption: String = "SwormWritesMirroredStoresOption"
/// The option that lets a store be written with a model that was inferred from its tables; without it such a model only reads.
///
/// What the tables leave open is refused at the save, with the reason: links whose other side is not known, data that may
/// belong into files, the deletion of objects to which rows may lead. Rules that stand in the real model alone, as which
/// values are required, are not known and not kept. Core Data has no such option: it does not infer models.
package let SwormWritesWithInferredModelOption: String = "SwormWritesWithInferredModelOption"
/// The option that holds a `StatementWatch`, which is told what the store's connections run from the opening on.
package let SwormStatementWatchOption: String = "SwormStatementWatchOption"
/// The option that holds the number of calls that may read the store at the same time, in all of the process.
package let SwormReadersOption: String = "SwormReadersOption"
/// The option that holds the `LentFiles` by which stores hand on the content of external files.
let SwormLentFilesOption: String = "SwormLentFilesOption"
/// The option that holds the `StoreDisk` by which the files of a store are changed.
package let SwormDiskOption: String = "SwormDiskOption"
/// The metadata key of a store's type.
public let NSStoreTypeKey: String = "NSStoreType"
/// The metadata key of a store's identifier.
public let NSStoreUUIDKey: String = "NSStoreUUID"
/// The metadata key of the version hashes by entity name.
public let NSStoreModelVersionHashesKey: String = "NSStoreModelVersionHashes"
/// The metadata key of the model's version identifiers.
public let NSStoreModelVersionIdentifiersKey: String = "NSStoreModelVersionIdentifiers"

/// A store that a coordinator has opened.
open class NSPersistentStore: NSObject, @unchecked Sendable {
    // What can change is guarded by `lock`; the store behind it does its own locking. Hence the unchecked conformance.

    /// The store itself.
    package let objectStore: any ObjectStore
    /// The type of the store.
    public let type: String
    /// The configuration of the model that the store holds.
    public let configurationName: String
    /// The options that the store was opened with.
    public let options: [AnyHashable: Any]?
    private let lock = NSLock()
    private var place: URL?
    private weak var owner: NSPersistentStoreCoordinator?
    package private(set) final var origin: ObjectOrigin?

    init(
        _ objectStore: any ObjectStore, type: String, configurationName: String, url: URL?,
        options: [AnyHashable: Any]?,
        coordinator: NSPersistentStoreCoordinator
    ) {
        self.objectStore = objectStore
        self.type = type
        self.configurationName = configurationName
        self.options = options
        place = url
        owner = coordinator
        super.init()
        origin = ObjectOrigin(
            storeIdentifier: objectStore.identifier, compiled: coordinator.compiledModel,
            model: coordinator.managedObjectModel, store: self)
    }

    /// The identifier in the URIs of the store's objects.
    public final var identifier: String { objectStore.identifier }

    /// Whether the store was opened for reading only.
    public final var isReadOnly: Bool { objectStore.isReadOnly }

    /// The place of the store's file; nil for a store in memory.
    open var url: URL? {
        lock.lock()
        defer { lock.unlock() }
        return place
    }

    /// The coordinator that has opened the store; nil after it was removed.
    open var persistentStoreCoordinator: NSPersistentStoreCoordinator? {
        lock.lock()
        defer { lock.unlock() }
        return owner
    }

    /// The metadata. What is set is written with the next save; values that a property list cannot hold are passed over.
    open var metadata: [String: Any] {
        get { objectStore.metadata }
        set {
            let valid = newValue.filter { PropertyListSerialization.propertyList($0.value, isValidFor: .binary) }
            try? objectStore.setMetadata(valid)
        }
    }

    final func leave() {
        lock.lock()
        owner = nil
        lock.unlock()
        objectStore.close()
    }
}
