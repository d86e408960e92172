import SwormStore

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
