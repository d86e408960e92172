import Foundation
import SwormSQLite

/// A connection on its way between threads.
///
/// @unchecked: a connection is not for several threads at once. The pool hands it to one user and gets it back from that
/// user before anybody else sees it, under a lock, so two threads never use it at the same time.
final class StoreConnection: @unchecked Sendable {
    let base: Connection
    /// The statements of requests that come again.
    let shapes = StatementShapes()
    /// What triggers have changed since it was last asked for.
    let changes = TriggerChanges()

    init(_ base: Connection) { self.base = base }

    /// Runs one statement to its end.
    func run(_ sql: String, _ values: [StoredValue] = []) throws {
        var statement = try base.statement(sql)
        try statement.bind(values)
        while try statement.step() {}
    }

    /// Runs a query and hands each row over.
    func rows(_ sql: String, _ values: [StoredValue] = [], _ body: (borrowing Statement) throws -> Void) throws {
        var statement = try base.statement(sql)
        try statement.bind(values)
        while try statement.step() { try body(statement) }
    }

    /// The first column of the first row as an integer; nil for no row and for NULL.
    func integer(_ sql: String, _ values: [StoredValue] = []) throws -> Int64? {
        var statement = try base.statement(sql)
        try statement.bind(values)
        guard try statement.step(), !statement.isNull(0) else { return nil }
        return statement.int64(0)
    }

    /// Starts a read transaction and reads, so that what follows sees one state of the file.
    func pin() throws {
        try base.begin(.deferred)
        do {
            _ = try integer("SELECT Z_VERSION FROM Z_METADATA LIMIT 1")
        } catch {
            unpin()
            throw error
        }
    }

    /// Ends a read transaction. It has nothing to lose, so an error has nothing to say.
    func unpin() {
        guard base.isInTransaction else { return }
        do { try base.commit() } catch { try? base.rollback() }
    }
}
