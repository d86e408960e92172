import Foundation
import SwormSQLite
import SwormRows
import SwormStore
import SwormPredicates

/// Lets another thread stop what a context does with its stores, at once or at a moment that is set before.
final class Interruption: Sendable {
    /// Looked at by every connection that works for the context.
    let token = InterruptToken()
    // There are few of them: one for each store.
    private let reads = Locked<[(session: ObjectIdentifier, interrupt: @Sendable () -> Void)]>([])

    /// The name of the context, for messages.
    var name: String? {
        get { token.name }
        set { token.name = newValue }
    }

    /// Notes a view that reads begin on.
    ///
    /// - Throws: An error when the context was interrupted.
    func enter(_ session: any StoreSession) throws {
        let interrupt = session.interrupt
        reads.withLock { $0.append((ObjectIdentifier(session), interrupt)) }
        try check()
    }

    /// Throws when the context was interrupted, or when its deadline has passed.
    func check() throws {
        if let failure = token.failure { throw failure }
    }

    func leave(_ session: any StoreSession) {
        reads.withLock { reads in reads.removeAll { $0.session == ObjectIdentifier(session) } }
    }

    func interrupt() {
        token.interrupt(.cancelled)
        // Some of SQLite's longer steps look at nothing but its own mark.
        let reads = self.reads.withLock { $0.map(\.interrupt) }
        for interrupt in reads { interrupt() }
    }

    /// Lets reads begin again.
    func clear() { token.clear() }
}
