package import Foundation
package import SwormSQLite
package import SwormRows

/// The options for opening a store.
package struct StoreOptions: Sendable {
    package var isReadOnly = false
    /// Whether a store is created if the file is missing or empty.
    var createsMissingFile = true
    /// The longest time to wait for another connection or another process, in seconds.
    package var busyTimeout = 10.0
    /// The largest value of ``busyTimeout``, about three years: the clock has no instant after an infinite time.
    package static let longestTimeout = 1e8
    /// The synchronization of saves to the disk. With `normal`, a loss of power may undo the last saves, but does not
    /// damage the store. Only a store with a write-ahead log can use less than `full`.
    package var synchronous = Connection.Synchronous.normal
    /// The kind of journal: a write-ahead log, or a rollback journal (`delete`, `truncate`). The file stores the mode.
    package var journalMode = Connection.JournalMode.wal
    /// The number of idle connections that are retained for reading.
    package var idleReaders = 4
    /// The number of calls of the process that may read the file at the same time, or nil for the default.
    package var slotLimit: Int?
    /// The length in bytes to which the write-ahead log is limited. It may temporarily be longer, by one transaction,
    /// or while a snapshot is held.
    package var logLimit: Int64 = 16 << 20
    /// The size of a connection's page cache.
    package var cacheSizeKiB = 16 * 1024
    /// The maximum number of pages in the file, or nil for SQLite's own limit.
    package var maximumPageCount: Int?
    /// Whether a store without a history starts one. An existing history is continued regardless of this option.
    package var tracksHistory = false
    /// Whether a store that is mirrored to CloudKit is opened for writing. Otherwise it is opened read-only.
    package var writesMirroredStores = false
    /// Whether a store is opened for writing with a model that was inferred from its tables.
    package var writesWithInferredModel = false
    /// Whether a store of another version of the model is opened, if it has the tables and columns that the model needs.
    package var ignoresVersion = false
    /// Whether the file is rebuilt without unused space when the store is opened for writing.
    package var vacuumsFile = false
    /// Whether SQLite gathers statistics about the indexes when the store is opened for writing.
    package var analyzesFile = false
    /// Whether a store of another model is migrated when it is opened.
    package var migratesAutomatically = false
    /// Whether the mapping for the migration is inferred from the two models.
    package var infersMapping = false
    /// Returns the free space on the volume of a folder, in bytes, or nil if unknown. Checked before a migration.
    var freeRoom: @Sendable (_ folder: String) -> Int64? = { StoreFiles.freeRoom(in: $0) }
    /// The interface through which the store's files are changed.
    package var disk = StoreDisk.system
    /// The copy of the model to write into a new store, or nil for none.
    package var modelCache: Data?
    /// The identifier of a new store, or nil for a random one.
    package var identifier: UUID?
    /// The observer of the statements of the store's connections, starting when the store is opened.
    package var watch: StatementWatch?
    /// The external files that are shared with another store.
    package var lentFiles: SharedExternalFiles?
    /// The limits for the removal of external data files that no row refers to.
    var externalData = ExternalDataLimits()
    /// The table that shows that the store is mirrored, if the store was opened read-only for that reason.
    var mirroringTable: String?
    /// The maximum size of files that an inspection copies. Larger files are read in place, which may leave a `-shm`
    /// file.
    var largestInspectionCopy: Int64 = 64 << 20
    #if PostgreSQL
    /// The options of a store on a server, or nil for those of its URL.
    package var postgres: PostgresOptions?
    /// Infers the mapping from the model of a store on a server, or nil if such a store is not migrated.
    package var serverMapping: ServerModelMapping?
    #endif

    package init() {}
}
