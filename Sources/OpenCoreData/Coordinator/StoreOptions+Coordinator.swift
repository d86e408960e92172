import Foundation
import SwormSQLite
import SwormRows
import SwormStore

extension StoreOptions {
    /// Creates store options from a coordinator's options. Unknown options are ignored.
    ///
    /// - Throws: A ``CoreDataError`` that names an option whose value is invalid.
    init(coordinatorOptions options: [AnyHashable: Any]) throws {
        self.init()
        isReadOnly = try Self.flag(NSReadOnlyPersistentStoreOption, in: options) ?? isReadOnly
        tracksHistory = try Self.flag(NSPersistentHistoryTrackingKey, in: options) ?? tracksHistory
        writesMirroredStores = try Self.flag(SwormWritesMirroredStoresOption, in: options) ?? writesMirroredStores
        writesWithInferredModel =
            try Self.flag(SwormWritesWithInferredModelOption, in: options) ?? writesWithInferredModel
        ignoresVersion = try Self.flag(NSIgnorePersistentStoreVersioningOption, in: options) ?? ignoresVersion
        vacuumsFile = try Self.flag(NSSQLiteManualVacuumOption, in: options) ?? vacuumsFile
        analyzesFile = try Self.flag(NSSQLiteAnalyzeOption, in: options) ?? analyzesFile
        let stages = options[NSPersistentStoreStagedMigrationManagerOptionKey]
        if let stages, !(stages is NSStagedMigrationManager) {
            throw Self.wrong(NSPersistentStoreStagedMigrationManagerOptionKey, value: stages)
        }
        // Stages imply automatic migration.
        migratesAutomatically =
            try Self.flag(NSMigratePersistentStoresAutomaticallyOption, in: options) ?? (stages != nil)
        infersMapping = try Self.flag(NSInferMappingModelAutomaticallyOption, in: options) ?? infersMapping
        watch = .all([SQLDebug.watch, options[SwormStatementWatchOption] as? StatementWatch].compactMap { $0 })
        lentFiles = options[SwormLentFilesOption] as? SharedExternalFiles
        disk = StoreDisk(coordinatorOptions: options)
        #if PostgreSQL
        postgres = Self.postgres(in: options)
        #endif
        if let value = options[NSPersistentStoreTimeoutOption] {
            guard let seconds = (value as? NSNumber)?.doubleValue, seconds >= 0 else {
                throw Self.wrong(NSPersistentStoreTimeoutOption, value: value)
            }
            busyTimeout = min(seconds, Self.longestTimeout)
        }
        for key in [NSPersistentStoreConnectionPoolMaxSizeKey, SwormReadersOption] {
            guard let value = options[key] else { continue }
            guard let number = value as? Int, number > 0 else { throw Self.wrong(key, value: value) }
            slotLimit = number
            idleReaders = number
        }
        if let value = options[NSSQLitePragmasOption] {
            guard let pragmas = value as? [String: Any] else { throw Self.wrong(NSSQLitePragmasOption, value: value) }
            for (name, value) in pragmas { try apply(pragma: name.lowercased(), "\(value)") }
        }
    }

    /// Creates the options for a store that is not opened: only those that say how the store is reached.
    static func reaching(_ options: [AnyHashable: Any]?) -> StoreOptions {
        var result = StoreOptions()
        result.disk = StoreDisk(coordinatorOptions: options)
        #if PostgreSQL
        result.postgres = postgres(in: options ?? [:])
        #endif
        return result
    }

    #if PostgreSQL
    private static func postgres(in options: [AnyHashable: Any]) -> PostgresOptions? {
        (options[SwormPostgresOptionsOption] as? PostgresOptionsBox)?.options
    }
    #endif

    private mutating func apply(pragma name: String, _ value: String) throws {
        switch (name, value.lowercased()) {
        case ("synchronous", "full"), ("synchronous", "2"): synchronous = .full
        case ("synchronous", "normal"), ("synchronous", "1"): synchronous = .normal
        case ("journal_mode", "wal"): journalMode = .wal
        case ("journal_mode", "delete"): journalMode = .delete
        case ("journal_mode", "truncate"): journalMode = .truncate
        case ("journal_size_limit", let text):
            guard let number = Int64(text), number > 0 else { throw Self.wrong("journal_size_limit", value: value) }
            logLimit = number
        case ("cache_size", let text):
            // In SQLite a positive number is a number of pages, here of 4 KiB, and a negative one a number of KiB.
            guard let number = Int(text) else { throw Self.wrong("cache_size", value: value) }
            let (size, isTooLarge) = number.multipliedReportingOverflow(by: number < 0 ? -1 : 4)
            cacheSizeKiB = isTooLarge ? .max : size
        case ("max_page_count", let text):
            guard let number = Int(text), number > 0 else { throw Self.wrong("max_page_count", value: value) }
            maximumPageCount = number
        default:
            throw CoreDataError(
                NSPersistentStoreOpenError,
                "The pragma '\(name) = \(value)' is not supported. The supported pragmas are: synchronous (NORMAL, FULL), journal_mode (WAL, DELETE, TRUNCATE), journal_size_limit, cache_size, max_page_count."
            )
        }
    }

    private static func flag(_ name: String, in options: [AnyHashable: Any]) throws -> Bool? {
        guard let value = options[name] else { return nil }
        guard let flag = value as? Bool else { throw wrong(name, value: value) }
        return flag
    }

    private static func wrong(_ name: String, value: Any) -> CoreDataError {
        CoreDataError(NSPersistentStoreOpenError, "The option '\(name)' cannot have the value '\(value)'.")
    }
}
