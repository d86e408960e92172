public import Foundation
import SwormStore

/// A token for the state of the stores that a context reads.
///
/// There is one token, ``current``: the state at the time of the first read after it was set.
public final class NSQueryGenerationToken: NSObject, Sendable {
    private override init() {}

    /// The newest state at the time of the context's next read.
    public static let current = NSQueryGenerationToken()
}

/// The store sessions that a context holds open.
struct PinnedGeneration {
    var isOn = false
    private var sessions: [(store: ObjectIdentifier, session: any StoreSession, keepsFiles: Bool)] = []
    private var parked: [any StoreSession] = []

    /// Returns the session of a store. A context has few sessions, so a linear search is fastest.
    func session(of store: any ObjectStore) -> (any StoreSession)? {
        for held in sessions where held.store == ObjectIdentifier(store) { return held.session }
        return nil
    }

    mutating func hold(_ session: any StoreSession, of store: any ObjectStore) {
        sessions.append((ObjectIdentifier(store), session, store.viewsKeepFiles))
    }

    /// Forgets a session that is ended elsewhere.
    mutating func forget(_ session: any StoreSession) { sessions.removeAll { $0.session === session } }

    /// Ends the sessions. Those that preserve the files that their rows name stay open until ``endParked()``. The next
    /// read starts new sessions.
    mutating func park(_ leaving: (any StoreSession) -> Void) {
        let ending = takeSessions()
        for (_, session, keepsFiles) in ending {
            leaving(session)
            if keepsFiles { parked.append(session) } else { session.end() }
        }
    }

    mutating func endParked() {
        for session in parked { session.end() }
        parked.removeAll()
    }

    /// Ends the sessions, after a closure is called with each. The next read starts new sessions.
    mutating func end(_ leaving: (any StoreSession) -> Void = { _ in }) {
        for (_, session, _) in takeSessions() {
            leaving(session)
            session.end()
        }
    }

    private mutating func takeSessions() -> [(store: ObjectIdentifier, session: any StoreSession, keepsFiles: Bool)] {
        defer { sessions = [] }
        return sessions
    }
}

extension NSManagedObjectContext {
    /// Pins the context to one state of its stores: all subsequent reads see that state.
    ///
    /// A save of the context moves it to the state after that save. Setting the token again moves it to the newest
    /// state. Unpin the context (with nil) as soon as it has read what it needs: a store in write-ahead log mode cannot
    /// shorten its log while an old state is in use.
    ///
    /// - Parameter generation: ``NSQueryGenerationToken/current``, or nil to read the newest state at each read.
    public final func setQueryGenerationFrom(_ generation: NSQueryGenerationToken?) throws {
        endPinnedViews()
        pinned.isOn = generation != nil
        forgetReadAhead()
    }

    final func endPinnedViews() { pinned.end { interruption.leave($0) } }

    /// Lets the next read start new sessions. The content of rows that the current sessions see can be read until
    /// ``endParkedViews()``.
    final func parkPinnedViews() { pinned.park { interruption.leave($0) } }

    final func endParkedViews() { pinned.endParked() }

    /// The token that the context is pinned to.
    public final var queryGenerationToken: NSQueryGenerationToken? {
        pinned.isOn ? .current : nil
    }
}
