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
/// The option that lets a store be written that is mirrored to CloudKit: `true`. Without it such a store is opened read-only.
///
/// Core Data has no such option: it mirrors these stores itself.
public let SwormWritesMirroredStoresOption: String = "SwormWritesMirroredStoresOption"
/// The option that lets a store be written with a model that was inferred from its tables; `true`.
///
/// Without it, the store is opened read-only. A save throws where the tables do not determine what to write: for links whose
/// inverse is unknown, for data that may belong in external files, and for the deletion of objects that rows may refer to.
/// Rules that are only in the real model, such as required values, are neither known nor enforced. Core Data has no such
/// option: it does not infer models.
public let SwormWritesWithInferredModelOption: String = "SwormWritesWithInferredModelOption"
/// The option that holds a `StatementWatch`, which is told what the store's connections run from the opening on.
package let SwormStatementWatchOption: String = "SwormStatementWatchOption"
/// The option that holds the number of calls that may read the store at the same time, in all of the process.
package let SwormReadersOption: String = "SwormReadersOption"
/// The option that holds the `LentFiles` by which stores hand on the content of external files.
package let SwormLentFilesOption: String = "SwormLentFilesOption"
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
