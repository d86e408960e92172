package import Foundation
package import SwormSQLite
package import SwormRows

/// How a store is opened.
package struct StoreOptions: Sendable {
    package var isReadOnly = false
    /// Whether a store is made where there is no file, or an empty one.
    var createsMissingFile = true
    /// The longest time in seconds that anything waits for another connection or another process.
    package var busyTimeout = 10.0
    /// How a save is synchronized to disk. With `normal` a loss of power may cost the last saves, but not the store. Only
    /// a store with a write-ahead log can have less than `full`.
    package var synchronous = Connection.Synchronous.normal
    /// The kind of journal: a write-ahead log, or one to roll back from (`delete`, `truncate`). The file keeps it.
    package var journalMode = Connection.JournalMode.wal
    /// The number of idle connections that are kept for reading.
    package var idleReaders = 4
    /// The number of calls of the process that may read the file at the same time; nil for the standard.
    package var slotLimit: Int?
    /// The length in bytes that the write-ahead log is kept at. It may be longer for a while: by one transaction, or while a
    /// snapshot is held.
    package var logLimit: Int64 = 16 << 20
    /// The page cache of one connection.
    package var cacheSizeKiB = 16 * 1024
    /// The largest number of pages that the file may grow to; nil for SQLite's own limit.
    package var maximumPageCount: Int?
    /// Whether a store that keeps no history begins to. One that has a history goes on with it in either case.
    package var tracksHistory = false
    /// Whether a store that is mirrored to CloudKit is opened for writing. Without this it is opened read-only.
    package var writesMirroredStores = false
    /// Whether a store is opened for writing with a model that was inferred from its tables.
    package var writesWithInferredModel = false
    /// Whether a store of another model is migrated when it is opened.
    package var migratesAutomatically = false
    /// Whether the mapping of such a migration is inferred from the two models.
    package var infersMapping = false
    /// Returns the free bytes on the volume of a folder; nil if unknown. A migration checks it before it begins.
    var freeRoom: @Sendable (_ folder: String) -> Int64? = { StoreFiles.freeRoom(in: $0) }
    /// How the files of the store are changed.
    package var disk = StoreDisk.system
    /// The copy of the model that is written into a new store; nil for none.
    package var modelCache: Data?
    /// The observer of the statements of the store's connections, from the time it is opened.
    package var watch: StatementWatch?
    /// The external files that are shared with another store.
    package var lentFiles: SharedExternalFiles?
    /// When files of external data are removed that no row names.
    var externalData = ExternalDataLimits()
    /// The table that shows that the store is mirrored, when it was opened read-only for that reason.
    var mirroringTable: String?
    /// A copy of files up to this size is preferred to leaving a `-shm` file beside a store that is only looked at.
    var largestInspectionCopy: Int64 = 64 << 20

    package init() {}
}
