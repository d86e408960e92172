/// A condition that prevents a store from working, with a name that is stable across versions.
package enum StoreCondition: String, Sendable, Hashable {
    /// A write was attempted while only reading is allowed.
    case readOnly
    /// A lock or a turn did not become available in time.
    case timedOut
    /// The calling thread waits for a turn that it holds itself, or as part of a cycle of waiting threads.
    case wouldDeadlock
    /// The store was closed.
    case storeClosed
    /// The store is suspended and does nothing until it is resumed.
    case suspended
    /// Another transaction was committed after the snapshot from which a write has to start.
    case conflict
    /// The store does not support the operation, or the kind of call does not allow it.
    case unsupported
    /// The file is not a store.
    case notAStore
    /// The server or a connection to it is not available. Nothing of an open transaction was committed.
    case serverUnavailable
    /// The connection was lost after a commit had begun, so that it is unknown whether the changes were saved.
    case outcomeUnknown
    /// The tables on the server are not those that the model needs.
    case schemaDiffers

    /// The key of the condition in an error's user information.
    static var userInfoKey: String { "SwormStoreCondition" }
}
