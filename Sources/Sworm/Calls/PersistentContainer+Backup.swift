public import Foundation

extension PersistentContainer {
    /// Copies the store to a file, concurrently with reads and writes.
    ///
    /// The file contains one complete state of the store. External data is stored beside it, as with any store. The
    /// copy is created next to the target, checked and flushed to disk; then it replaces the target atomically.
    /// Whenever the backup is interrupted, the target is either the old file or the new one.
    ///
    /// ```swift
    /// try store.backup(to: folder.appendingPathComponent("backup.sqlite"))
    /// ```
    ///
    /// The copy of a store that is mirrored to CloudKit is mirrored too: an app that opens it mirrors as if it were the
    /// original. This is reported to `logError`. See <doc:MirroredStores>.
    ///
    /// The method blocks the calling thread for about the time that it takes to copy the file and to read it once.
    /// While it copies, the store's write-ahead log cannot be truncated.
    ///
    /// - Parameters:
    ///   - url: The target. An existing store is replaced; it must not be open anywhere, and not be mirrored to CloudKit.
    ///   - deadline: The time at which to give up; nil for no deadline.
    /// - Throws: A ``StoreError`` if the copy cannot be created, or is corrupt; `timedOut` if the target is in use for
    ///   too long or the deadline has passed; `wouldDeadlock` for a store with a single connection (in memory, or
    ///   without a write-ahead log) inside a call that writes it on the same thread; `unsupported` for a container with
    ///   several stores, and on Apple's platforms, where `NSPersistentStoreCoordinator` copies stores.
    public func backup(to url: URL, deadline: ContinuousClock.Instant? = nil) throws {
        try logging {
            try gate.enter()
            defer { gate.leave() }
            let context = try makeContext()
            try translatingErrors { try context.backUpStore(to: url, until: deadline) }
        }
    }
}
