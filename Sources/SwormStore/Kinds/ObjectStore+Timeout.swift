extension ObjectStore {
    /// The longest time to wait for the running work before the store is closed, in seconds.
    package var timeout: Double {
        if let file = self as? SQLiteStore { return file.options.busyTimeout }
        #if PostgreSQL
        if let server = self as? PostgresStore { return min(server.options.busyTimeout, StoreOptions.longestTimeout) }
        #endif
        return 0
    }
}
