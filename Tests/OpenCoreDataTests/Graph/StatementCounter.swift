import Foundation
import SwormSQLite
import Testing

@testable import OpenCoreData
@testable import SwormStore
import SwormRows

/// Counts the statements that stores run for requests and saves.
///
/// @unchecked: what changes is only touched while the lock is held.
final class StatementCounter: @unchecked Sendable {
    private let lock = NSLock()
    private var number = 0
    private var workDone = 0

    /// For the options of a store.
    var options: [AnyHashable: Any] {
        [
            SwormStatementWatchOption: StatementWatch { statement in
                let isUpkeep = SQLiteStore.isUpkeep(statement.sql)
                self.lock.withLock {
                    self.workDone += statement.steps
                    if !isUpkeep { self.number += 1 }
                }
            }
        ]
    }

    /// The number of statements that a closure makes run.
    func count(_ body: () throws -> Void) rethrows -> Int {
        let before = lock.withLock { number }
        try body()
        return lock.withLock { number } - before
    }

    /// How many instructions of SQLite's machine the statements of a closure take, those that stores run for themselves too.
    func work(_ body: () throws -> Void) rethrows -> Int {
        let before = lock.withLock { workDone }
        try body()
        return lock.withLock { workDone } - before
    }

    /// Runs a closure that must make so many statements run.
    func expect<R>(
        _ expected: Int, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> R
    ) rethrows -> R {
        let before = lock.withLock { number }
        let result = try body()
        let count = lock.withLock { number } - before
        #expect(count == expected, sourceLocation: sourceLocation)
        return result
    }
}
