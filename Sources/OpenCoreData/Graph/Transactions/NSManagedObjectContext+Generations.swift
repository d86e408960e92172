public import Foundation

/// A token for the state of the stores that a context reads.
///
/// There is one token, ``current``: the state at the time of the first read after it was set.
public final class NSQueryGenerationToken: NSObject, Sendable {
    private override init() {}

    /// The newest state at the time of the context's next read.
    public static let current = NSQueryGenerationToken()
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
        transactions.pin(generation != nil)
        forgetReadAhead()
    }

    /// The token that the context is pinned to.
    public final var queryGenerationToken: NSQueryGenerationToken? {
        transactions.isPinned ? .current : nil
    }
}
