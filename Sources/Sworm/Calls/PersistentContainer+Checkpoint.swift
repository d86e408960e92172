extension PersistentContainer {
    /// The mode of a checkpoint: the part of the write-ahead log that is moved into the file, and the connections to
    /// wait for.
    public enum CheckpointMode: Sendable, Hashable, CaseIterable {
        /// Moves as much as possible without waiting for readers and writers.
        case passive
        /// Moves the whole log. Waits for readers of older snapshots.
        case full
        /// Moves the whole log, so that the next transaction starts the log again from its beginning. Waits for all
        /// readers.
        case restart
        /// Does the same as `restart`, and truncates the log file to zero bytes.
        case truncate
    }

    /// The result of a checkpoint.
    public struct CheckpointResult: Sendable, Hashable {
        /// The number of frames (changed pages) in the log before the checkpoint; zero for a store without a log.
        public var frames: Int
        /// The number of those frames that the file now contains.
        public var moved: Int

        init(frames: Int, moved: Int) {
            self.frames = frames
            self.moved = moved
        }
    }

    /// Moves committed changes from the write-ahead log (the `-wal` file) into the file of the store.
    ///
    /// Calling this method is never required for correctness: the store moves pages by itself, and keeps the log at
    /// about 16 MB. It is useful before the file is copied by other means, or at a moment of little load. To copy a
    /// store, prefer ``backup(to:deadline:)``.
    ///
    /// `full`, `restart` and `truncate` block new readers until they are done, and wait for those that are reading. A server
    /// moves the pages of its log by itself: with a store on a server the method does nothing, and both numbers are zero.
    ///
    /// - Parameters:
    ///   - mode: The part of the log to move, and the connections to wait for.
    ///   - deadline: The time at which to give up; nil for the container's timeout.
    /// - Returns: The number of frames in the log, and the number of frames that were moved, summed over all stores of
    ///   the container.
    /// - Throws: A ``StoreError``: `timedOut` if readers or writers did not end in time, `wouldDeadlock` inside a call
    ///   on the same thread, `readOnly`, and `unsupported` on Apple's platforms, where Core Data decides when pages are
    ///   moved.
    @discardableResult
    public func checkpoint(
        _ mode: CheckpointMode = .truncate, deadline: ContinuousClock.Instant? = nil
    ) throws -> CheckpointResult {
        try logging {
            try gate.enter()
            defer { gate.leave() }
            let context = try makeContext()
            let (frames, moved) = try translatingErrors {
                try context.checkpointStores(mode.ofStore, until: deadline)
            }
            return CheckpointResult(frames: frames, moved: moved)
        }
    }
}

extension PersistentContainer.CheckpointMode {
    fileprivate var ofStore: StoreCheckpointMode {
        switch self {
        case .passive: .passive
        case .full: .full
        case .restart: .restart
        case .truncate: .truncate
        }
    }
}
