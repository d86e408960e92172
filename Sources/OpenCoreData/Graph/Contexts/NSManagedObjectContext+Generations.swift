public import Foundation
import SwormStore

/// Stands for a state of the stores that a context reads.
///
/// There is one token here, ``current``: the state at the time of the first read after it was set.
public final class NSQueryGenerationToken: NSObject, Sendable {
    private override init() {}

    /// The newest state at the time of the context's next read.
    public static let current = NSQueryGenerationToken()
}

/// The views of stores that a context holds on to.
struct PinnedGeneration {
    var isOn = false
    private var sessions: [(store: ObjectIdentifier, session: any StoreSession, keepsFiles: Bool)] = []
    private var parked: [any StoreSession] = []

    /// The view of a store. A context has few of them: they are found sooner by going through them.
    func session(of store: any ObjectStore) -> (any StoreSession)? {
        for held in sessions where held.store == ObjectIdentifier(store) { return held.session }
        return nil
    }

    mutating func hold(_ session: any StoreSession, of store: any ObjectStore) {
        sessions.append((ObjectIdentifier(store), session, store.viewsKeepFiles))
    }

    /// Lets go of a view that somebody else ends.
    mutating func forget(_ session: any StoreSession) { sessions.removeAll { $0.session === session } }

    /// Ends the views, but keeps those open until ``endParked()`` that keep the files which their rows name. The next read
    /// begins new ones.
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

    /// Ends the views, each after a closure has got it; the next read begins new ones.
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
    /// Pins the context to one state of its stores: everything that it reads from now on is of one moment.
    ///
    /// The context's own save moves it on to the state that the save made. Setting the token again moves it on too.
    /// A pinned context must be let go (with nil) as soon as it has read what it needs: a store of write-ahead log kind
    /// cannot shorten its log while an old state is in use.
    ///
    /// - Parameter generation: ``NSQueryGenerationToken/current``, or nil to read the newest state at each read.
    public final func setQueryGenerationFrom(_ generation: NSQueryGenerationToken?) throws {
        endPinnedViews()
        pinned.isOn = generation != nil
        forgetReadAhead()
    }

    final func endPinnedViews() { pinned.end { interruption.leave($0) } }

    /// Lets the next read begin new views. The content of rows that the present ones see can be read until
    /// ``endParkedViews()``.
    final func parkPinnedViews() { pinned.park { interruption.leave($0) } }

    final func endParkedViews() { pinned.endParked() }

    /// The token that the context is pinned with.
    public final var queryGenerationToken: NSQueryGenerationToken? {
        pinned.isOn ? .current : nil
    }
}
