public import Foundation

extension PersistentContainer {
    /// Copies the store to a file while others read and write.
    ///
    /// The file holds one state of the store, everything in it, and its external data is beside it, as with any store. The
    /// copy is made next to the target, checked, and brought to the disk; then it takes the target's name at once. Whatever
    /// stops it, the target is the old file or the new one.
    ///
    /// ```swift
    /// try store.backup(to: folder.appendingPathComponent("backup.sqlite"))
    /// ```
    ///
    /// It blocks the calling thread for about the time that the file takes to be copied and read once. While it copies, the
    /// log of the store cannot be shortened.
    ///
    /// - Parameters:
    ///   - url: The target. A store that is there is replaced; nobody may have it open.
    ///   - deadline: When to give up; nil for never.
    /// - Throws: A ``StoreError`` when the copy cannot be made, or is not sound; `timedOut` when the target is in use for too long
    ///   or the deadline has passed, `wouldDeadlock` for a store with a single connection (in memory, or without a log) inside of
    ///   a call that writes it on the same thread, `unsupported` for a container with several stores and on Apple's platforms, where
    ///   `NSPersistentStoreCoordinator` copies stores.
    public func backup(to url: URL, deadline: ContinuousClock.Instant? = nil) throws {
        try logging {
            try gate.enter()
            defer { gate.leave() }
            let context = try makeContext()
            try Engine.translating { try Engine.backup(context, to: url, deadline: deadline) }
        }
    }
}
