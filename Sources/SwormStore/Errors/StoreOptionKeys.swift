/// The type of a store that keeps its objects in an SQLite file.
public let NSSQLiteStoreType: String = "SQLite"
/// The type of a store that keeps its objects in memory.
public let NSInMemoryStoreType: String = "InMemory"
#if PostgreSQL
/// The type of a store that keeps its objects in a schema of a database on a PostgreSQL server.
///
/// The URL of such a store is that of the database, with the name of the schema:
/// `postgres://user@host/database?schema=shop`. Core Data has no such type.
public let SwormPostgreSQLStoreType: String = "PostgreSQL"
/// The option that holds the boxed `PostgresOptions` of a store on a server, which contain what its URL does not.
package let SwormPostgresOptionsOption: String = "SwormPostgresOptionsOption"
#endif
/// The option that opens a store for reading only.
public let NSReadOnlyPersistentStoreOption: String = "NSReadOnlyPersistentStoreOption"
/// The option that sets the number of seconds to wait for a locked store.
public let NSPersistentStoreTimeoutOption: String = "NSPersistentStoreTimeoutOption"
/// The option that lets `destroyPersistentStore` remove a regular file that is not a store: `true`.
public let NSPersistentStoreForceDestroyOption: String = "NSPersistentStoreForceDestroyOption"
/// The option that holds a dictionary of SQLite pragmas.
public let NSSQLitePragmasOption: String = "NSSQLitePragmasOption"
/// The option that lets SQLite gather statistics about the indexes when the store is added to a coordinator, for better
/// query plans: `true`.
public let NSSQLiteAnalyzeOption: String = "NSSQLiteAnalyzeOption"
/// The option that rebuilds the file without unused space when the store is added to a coordinator: `true`.
public let NSSQLiteManualVacuumOption: String = "NSSQLiteManualVacuumOption"
/// The option that opens a store of another version of the model without a migration: `true`.
///
/// The version hashes of the model and of the store are not compared. The store must nevertheless have the tables and
/// columns that the model needs, and the same numbers of its entities.
public let NSIgnorePersistentStoreVersioningOption: String = "NSIgnorePersistentStoreVersioningOption"
/// The option that limits the number of calls of the process that read the store at the same time: a number.
public let NSPersistentStoreConnectionPoolMaxSizeKey: String = "NSPersistentStoreConnectionPoolMaxSizeKey"
/// The option that lets a lightweight migration postpone a part of its work: `true`.
///
/// It has no effect: a migration is complete when the store is open.
public let NSPersistentStoreDeferredLightweightMigrationOptionKey: String =
    "NSPersistentStoreDeferredLightweightMigrationOptionKey"
/// The option that sets the class of file protection of the store's files: a `FileProtectionType`.
///
/// It has no effect: file systems outside Apple's platforms have no such classes, and the files are not encrypted.
public let NSPersistentStoreFileProtectionKey: String = "NSPersistentStoreFileProtectionKey"
/// The option that lets a binary store contain objects of any class: `true`.
///
/// It has no effect: there are no binary stores outside Apple's platforms.
public let NSBinaryStoreInsecureDecodingCompatibilityOption: String = "NSBinaryStoreInsecureDecodingCompatibilityOption"
/// The option that enables automatic migration: a store of another model is migrated when it is opened for writing.
public let NSMigratePersistentStoresAutomaticallyOption: String = "NSMigratePersistentStoresAutomaticallyOption"
/// The option that enables an inferred mapping in an automatic migration. The store's own copy of its model is the
/// source.
public let NSInferMappingModelAutomaticallyOption: String = "NSInferMappingModelAutomaticallyOption"
/// The option that enables a store's history.
///
/// If the value is `true`, a new store, or one without a history, starts to record who inserted, updated and deleted
/// which object, and when. A store with a history continues it, whatever the value. Opening a store without a history
/// with this option throws an error if the store is read-only.
public let NSPersistentHistoryTrackingKey: String = "NSPersistentHistoryTrackingKey"
/// The option that allows writing to a store that is mirrored to CloudKit: `true`.
///
/// Without it, such a store is opened read-only, is not migrated, and is not replaced. Core Data has no such option: it
/// mirrors these stores itself.
public let SwormWritesMirroredStoresOption: String = "SwormWritesMirroredStoresOption"
/// The option that allows writing to a store with a model that was inferred from its tables: `true`.
///
/// Without it, the store is opened read-only. A save throws an error if the tables do not determine what to write: for
/// links whose inverse is unknown, for data that may belong in external files, and for the deletion of objects that
/// rows may refer to. Rules that are only in the real model, such as required values, are neither known nor enforced.
/// Core Data has no such option: it does not infer models.
public let SwormWritesWithInferredModelOption: String = "SwormWritesWithInferredModelOption"
/// The option that holds a `StatementWatch`, which observes the statements of the store's connections from the time of
/// opening.
package let SwormStatementWatchOption: String = "SwormStatementWatchOption"
/// The option that holds the number of calls in the process that may read the store at the same time.
package let SwormReadersOption: String = "SwormReadersOption"
/// The option that holds the `SharedExternalFiles` by which stores pass on the content of external files.
package let SwormLentFilesOption: String = "SwormLentFilesOption"
/// The option that holds the `StoreDisk` that changes the files of a store.
package let SwormDiskOption: String = "SwormDiskOption"
/// The metadata key of a store's type.
public let NSStoreTypeKey: String = "NSStoreType"
/// The metadata key of a store's identifier.
public let NSStoreUUIDKey: String = "NSStoreUUID"
/// The metadata key of the version hashes by entity name.
public let NSStoreModelVersionHashesKey: String = "NSStoreModelVersionHashes"
/// The metadata key of the model's version identifiers.
public let NSStoreModelVersionIdentifiersKey: String = "NSStoreModelVersionIdentifiers"
/// The metadata key of the checksum of the model's version hashes.
public let NSPersistentStoreModelVersionChecksumKey: String = "NSStoreModelVersionChecksumKey"
