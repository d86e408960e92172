public import Foundation

/// A description of a store: its type, its location, and the options to open it with.
open class NSPersistentStoreDescription: NSObject, NSCopying {
    /// The type of the store: `NSSQLiteStoreType` or `NSInMemoryStoreType`.
    open var type: String = NSSQLiteStoreType
    /// The name of the model configuration whose entities the store contains; nil for all entities.
    open var configuration: String?
    /// The URL of the file. `/dev/null` means an in-memory store.
    open var url: URL?
    /// Whether the store is opened read-only.
    open var isReadOnly = false
    /// The number of seconds to wait for a locked store.
    open var timeout: TimeInterval = 240
    /// Whether the store is opened on a background queue.
    open var shouldAddStoreAsynchronously = false
    /// Whether a store with a different model version is migrated when it is opened.
    open var shouldMigrateStoreAutomatically = true
    /// Whether the mapping of such a migration is inferred from the two models.
    open var shouldInferMappingModelAutomatically = true
    /// The options by key.
    open private(set) var options: [String: NSObject] = [:]
    /// The SQLite pragmas by name.
    open private(set) var sqlitePragmas: [String: NSObject] = [:]

    /// Creates a description of an SQLite store.
    ///
    /// - Parameter url: The URL of the file.
    public init(url: URL) {
        self.url = url
        super.init()
    }

    /// Creates a description of a store without a URL.
    public override init() { super.init() }

    /// Sets an option.
    ///
    /// - Parameters:
    ///   - option: The value; nil removes the option.
    ///   - key: The option's key.
    open func setOption(_ option: NSObject?, forKey key: String) { options[key] = option }

    /// Sets a pragma of the SQLite connection.
    ///
    /// - Parameters:
    ///   - value: The value; nil removes the pragma.
    ///   - name: The name of the pragma: `synchronous` (`NORMAL` or `FULL`), `journal_mode` (`WAL`, `DELETE` or
    ///     `TRUNCATE`), `journal_size_limit`, `cache_size`, or `max_page_count`. A store with any other pragma cannot
    ///     be opened.
    open func setValue(_ value: NSObject?, forPragmaNamed name: String) { sqlitePragmas[name] = value }

    /// Returns an independent copy of the description.
    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSPersistentStoreDescription()
        copy.type = type
        copy.configuration = configuration
        copy.url = url
        copy.isReadOnly = isReadOnly
        copy.timeout = timeout
        copy.shouldAddStoreAsynchronously = shouldAddStoreAsynchronously
        copy.shouldMigrateStoreAutomatically = shouldMigrateStoreAutomatically
        copy.shouldInferMappingModelAutomatically = shouldInferMappingModelAutomatically
        copy.options = options
        copy.sqlitePragmas = sqlitePragmas
        return copy
    }

    /// The options for the coordinator, including those that the other properties specify.
    final var allOptions: [AnyHashable: Any] {
        var all: [AnyHashable: Any] = options
        all[NSReadOnlyPersistentStoreOption] = NSNumber(
            value: isReadOnly || (options[NSReadOnlyPersistentStoreOption] as? Bool ?? false))
        // An option that was set explicitly takes precedence.
        for (key, value) in [
            (NSMigratePersistentStoresAutomaticallyOption, shouldMigrateStoreAutomatically),
            (NSInferMappingModelAutomaticallyOption, shouldInferMappingModelAutomatically),
        ] where options[key] == nil {
            all[key] = NSNumber(value: value)
        }
        all[NSPersistentStoreTimeoutOption] = NSNumber(value: timeout)
        if !sqlitePragmas.isEmpty { all[NSSQLitePragmasOption] = sqlitePragmas }
        return all
    }
}
