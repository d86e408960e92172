import Foundation
import SwormSQLite
import SwormRows
import SwormStore
import SwormPredicates

/// A means for another thread to stop the work of a context with its stores, either at once or at a deadline.
final class Interruption: Sendable {
    /// The token that every connection that works for the context checks.
    let token = InterruptToken()
    // The list is short: it has one entry for each store.
    private let reads = Locked<[(session: ObjectIdentifier, interrupt: @Sendable () -> Void)]>([])

    /// The name of the context, for messages.
    var name: String? {
        get { token.name }
        set { token.name = newValue }
    }

    /// Records a session that is about to read.
    ///
    /// - Throws: An error if the context was interrupted.
    func enter(_ session: any StoreSession) throws {
        let interrupt = session.interrupt
        reads.withLock { $0.append((ObjectIdentifier(session), interrupt)) }
        try check()
    }

    /// Throws an error if the context was interrupted or its deadline has passed.
    func check() throws {
        if let failure = token.failure { throw failure }
    }

    func leave(_ session: any StoreSession) {
        reads.withLock { reads in reads.removeAll { $0.session == ObjectIdentifier(session) } }
    }

    func interrupt() {
        token.interrupt(.cancelled)
        // Some long steps of SQLite check only SQLite's own interrupt flag.
        let reads = self.reads.withLock { $0.map(\.interrupt) }
        for interrupt in reads { interrupt() }
    }

    /// Allows new reads to start.
    func clear() { token.clear() }
}
