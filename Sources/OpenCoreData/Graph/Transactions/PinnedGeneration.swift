import SwormStore

/// The store sessions that a context holds open.
struct PinnedGeneration {
    var isOn = false
    private var sessions: [(store: ObjectIdentifier, session: any StoreSession, keepsFiles: Bool)] = []
    private var parked: [any StoreSession] = []
    /// The token of the state that the sessions see, once it was asked for.
    private(set) var token: NSQueryGenerationToken?

    /// Returns the session of a store. A context has few sessions, so a linear search is fastest.
    func session(of store: any ObjectStore) -> (any StoreSession)? {
        for held in sessions where held.store == ObjectIdentifier(store) { return held.session }
        return nil
    }

    mutating func hold(_ session: any StoreSession, of store: any ObjectStore) {
        sessions.append((ObjectIdentifier(store), session, store.viewsKeepFiles))
        token = nil
    }

    /// Forgets a session that is ended elsewhere.
    mutating func forget(_ session: any StoreSession) {
        sessions.removeAll { $0.session === session }
        token = nil
    }

    /// Returns the token of the state that the sessions see. Other contexts can then use the sessions too.
    ///
    /// - Parameter replacing: Called with each session, and with the one that replaces it.
    mutating func share(_ replacing: (any StoreSession, any StoreSession) -> Void) -> NSQueryGenerationToken {
        if let token { return token }
        var views: [ObjectIdentifier: SharedView] = [:]
        for index in sessions.indices {
            let session = sessions[index].session
            if let view = (session as? SharedSession)?.view {
                views[sessions[index].store] = view
                continue
            }
            let view = SharedView(session)
            let shared = SharedSession(view)
            replacing(session, shared)
            sessions[index].session = shared
            views[sessions[index].store] = view
        }
        let made = NSQueryGenerationToken(views)
        token = made
        return made
    }

    /// Notes the token of the state that the sessions see.
    mutating func note(_ token: NSQueryGenerationToken) { self.token = token }

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
        defer { (sessions, token) = ([], nil) }
        return sessions
    }
}
