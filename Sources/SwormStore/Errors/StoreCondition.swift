/// A condition that keeps a store from doing its work, as a name that stays the same from version to version.
package enum StoreCondition: String, Sendable, Hashable {
    /// Writing was tried where only reading is allowed.
    case readOnly
    /// A lock or a turn did not become free in time.
    case timedOut
    /// The calling thread waits for a turn that it holds itself, or in a circle of waiting threads.
    case wouldDeadlock
    /// The store was closed.
    case storeClosed
    /// The store does nothing until it is resumed.
    case suspended
    /// Another transaction was committed after the snapshot that a write has to begin from.
    case conflict
    /// The store, or the kind of call, does not allow it.
    case unsupported
    /// The file is not a store.
    case notAStore

    /// The key of the condition in an error's user information.
    package static var userInfoKey: String { "SwormStoreCondition" }
}
