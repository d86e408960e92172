import SwormStore

extension NSPersistentStore {
    /// A type of stores.
    public struct StoreType: RawRepresentable, Sendable, Hashable {
        /// The type as a string, as in ``NSPersistentStore/type``.
        public let rawValue: String

        /// Creates a type from a string.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The type of stores in SQLite files.
        public static let sqlite = StoreType(rawValue: NSSQLiteStoreType)
        /// The type of stores in memory.
        public static let inMemory = StoreType(rawValue: NSInMemoryStoreType)
        #if PostgreSQL
        /// The type of stores on PostgreSQL servers.
        public static let postgreSQL = StoreType(rawValue: SwormPostgreSQLStoreType)
        #endif
    }
}
