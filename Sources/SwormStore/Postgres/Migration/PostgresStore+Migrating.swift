#if PostgreSQL
import Foundation
import SwormPostgres
import SwormRows

extension PostgresStore {
    /// Starts the work that the last migration has left, unless the options allow no changes.
    ///
    /// - Parameter hasOwnIndexes: Whether the store's own tables have their indexes.
    func doPendingWork(of state: ServerMigrationState, hasOwnIndexes: Bool) {
        guard !state.work.isEmpty || !hasOwnIndexes, !isReadOnly, serverOptions.changes != .never else { return }
        let (watch, serverOptions, place, warnings) = (options.watch, serverOptions, place, upkeep.warnings)
        upkeep.start { token in
            do {
                for failure in try ServerWorkRun(options: serverOptions, watch: watch, token: token)(isAsked: false) {
                    warnings.report(failure.description(place: place))
                }
            } catch {
                guard !token.stopsWork else { return }
                let cause = error as? ServerError
                warnings.report(
                    CoreDataError(
                        NSPersistentStoreOperationError,
                        "The work on the tables of the store '\(place)' has not been finished: \(cause?.message ?? "\(error)"). It is continued when the store is opened next.",
                        cause: error))
            }
        }
    }

    /// Does the work that the last migration has left, and returns when it is done. It must not be called inside of a
    /// transaction, for whose end an index would wait.
    ///
    /// - Throws: ``CoreDataError`` with the steps that failed. The remaining steps are done.
    package func migrate() throws {
        try requireWritable()
        let watch = try currentWatch()
        try translating("migrate") {
            let run = ServerWorkRun(options: serverOptions, watch: watch, token: InterruptToken())
            let errors = try run(isAsked: true).map { $0.description(place: place) }
            guard let first = errors.first else { return }
            guard errors.count > 1 else { throw first }
            throw CoreDataError(
                first.errorCode, errors.map(\.message).joined(separator: "\n"), details: errors, cause: first.cause)
        }
    }

    /// Returns the statements of the work that the last migration has left, in their order.
    package func migrationPlan() throws -> [String] {
        let token = InterruptToken()
        let lease = lease(try take(for: "read", token), isWriting: false)
        defer { lease.end() }
        let connection = try lease.beginUse()
        defer { lease.endUse() }
        return try translating("read", token: token) {
            let record = try connection.transaction(TransactionOptions(.readCommitted, isReadOnly: true)) {
                try ServerRecord(connection, schema: serverOptions.schema, place: place)
            }
            return record.migration.work.flatMap { $0.sql(in: schema.prefix) }
        }
    }

    /// Adds a listener for failures of the work on the tables.
    ///
    /// - Returns: A closure that removes the listener.
    package func addWarningListener(_ listener: @escaping @Sendable (CoreDataError) -> Void) -> @Sendable () -> Void {
        let number = upkeep.warnings.add(listener)
        return { [warnings = upkeep.warnings] in warnings.remove(number) }
    }
}

extension ServerWorkRun.Failure {
    /// The error for the user of a store.
    func description(place: String) -> CoreDataError {
        let (code, reason): (Int, String) =
            switch work.task {
            case .index(let name, _, true) where error.kind == .uniqueViolation:
                (
                    NSManagedObjectConstraintMergeError,
                    "the unique index \"\(name)\" cannot be created, because rows have equal values. Until it exists, the store does not enforce the constraint. Change the rows, and open the store again"
                )
            case .index(let name, _, _):
                (NSPersistentStoreOperationError, "the index \"\(name)\" was not created: \(error.message)")
            case .reference(let table, let name, _, _):
                (
                    NSPersistentStoreOperationError,
                    "the foreign key \"\(name)\" of the table \"\(table)\" was not validated: \(error.message)"
                )
            case .required(let table, let column):
                (
                    NSPersistentStoreOperationError,
                    "the column \"\(column)\" of the table \"\(table)\" could not be declared as required: \(error.message)"
                )
            }
        let wayOut =
            error.kind == .permission
            ? " Let a user who owns the tables open the store, or run 'sworm-tool migrate' as that user." : ""
        return CoreDataError(
            code, "The migration of the store '\(place)' is not complete: \(reason).\(wayOut)", cause: error)
    }
}
#endif
