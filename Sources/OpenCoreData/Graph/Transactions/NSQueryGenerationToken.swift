public import Foundation
import SwormStore

/// A token for the state of the stores that a context reads.
///
/// ``current`` is the state at the time of the first read after it was set. A context that is pinned to a state has a
/// token of this state, to which other contexts of its coordinator can be pinned. Such a token keeps the state: release it
/// soon, because a store in write-ahead log mode cannot shorten its log while an old state is in use.
public final class NSQueryGenerationToken: NSObject, Sendable {
    /// The views of the state, by store; nil for a token of the newest state.
    let views: [ObjectIdentifier: SharedView]?
    /// Whether a context is pinned to the newest state as soon as the token is set, and not by its next read.
    let isImmediate: Bool

    private init(isImmediate: Bool) {
        views = nil
        self.isImmediate = isImmediate
        super.init()
    }

    /// Creates the token of a state that contexts share.
    init(_ views: [ObjectIdentifier: SharedView]) {
        self.views = views
        isImmediate = true
        super.init()
    }

    /// The newest state at the time of the context's next read.
    public static let current = NSQueryGenerationToken(isImmediate: false)

    /// Returns a token of the state after a save, for the observers of the save. It does not hold the state, because few
    /// observers use it, and some of them keep their notifications.
    static func afterSave() -> NSQueryGenerationToken { NSQueryGenerationToken(isImmediate: true) }
}
