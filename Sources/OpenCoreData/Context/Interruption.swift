import Foundation

/// Lets another thread stop what a context is reading.
final class Interruption: Sendable {
    private struct State: Sendable {
        var reads: [ObjectIdentifier: StoreInterruption] = [:]
        var isInterrupted = false
    }

    private let state = Guarded(State())

    /// Notes a view that reads begin on.
    ///
    /// - Throws: An error when the context was interrupted.
    func enter(_ session: any StoreSession) throws {
        let read = session.interruption
        state.withLock { $0.reads[ObjectIdentifier(session)] = read }
        try check()
    }

    /// Throws when the context was interrupted. Interrupting stops the statement that runs, and not the next one.
    func check() throws {
        if state.withLock({ $0.isInterrupted }) {
            throw CoreDataError(
                CocoaError.Code.userCancelled.rawValue, "The context was interrupted; nothing was read.")
        }
    }

    func leave(_ session: any StoreSession) {
        state.withLock { $0.reads[ObjectIdentifier(session)] = nil }
    }

    func interrupt() {
        let reads = state.withLock { state in
            state.isInterrupted = true
            return Array(state.reads.values)
        }
        for read in reads { read.interrupt() }
    }

    /// Lets reads begin again.
    func clear() { state.withLock { $0.isInterrupted = false } }
}
