#if PostgreSQL && !canImport(CoreData)
extension PersistentContainer {
    /// Does the work on the tables of a store on a server that its last migration has left, and returns when it is done.
    ///
    /// Opening a store migrates it as far as ``PostgresConfiguration/changes`` allows. Indexes, the validation of foreign keys
    /// and the declaration of required columns need no exclusive locks, and are done while the store is used. A store that was
    /// opened with `never` leaves them to this method.
    ///
    /// ```swift
    /// for statement in try store.migrationPlan() { print(statement) }
    /// try store.migrate()
    /// ```
    ///
    /// - Throws: A ``StoreError`` with the steps that failed, such as a unique index over rows with equal values; the other
    ///   steps are done. `wouldDeadlock` inside a call, for whose end an index would wait; `readOnly`; `unsupported` for a
    ///   container without a store on a server.
    public func migrate() throws {
        try logging {
            try gate.enter()
            defer { gate.leave() }
            guard !calls.areOnThread else {
                throw StoreError(
                    .wouldDeadlock, "The store cannot be migrated inside a call that uses it. Do so after the call.")
            }
            let context = try makeContext()
            try translatingErrors { try context.migrateServerStores() }
        }
    }

    /// Returns the SQL statements of the work that the last migration has left: those that ``migrate()`` runs.
    ///
    /// - Throws: A ``StoreError``: `unsupported` for a container without a store on a server.
    public func migrationPlan() throws -> [String] {
        try logging {
            try gate.enter()
            defer { gate.leave() }
            let context = try makeContext()
            return try translatingErrors { try context.serverMigrationPlan() }
        }
    }
}
#endif
