extension PersistentContainer {
    /// How much of the write-ahead log a checkpoint moves into the file, and what it waits for.
    public enum CheckpointMode: Sendable, Hashable, CaseIterable {
        /// What can be moved while others read and write.
        case passive
        /// All of it. Readers of older snapshots are waited for.
        case full
        /// All of it, and the next transaction begins the log anew. All readers are waited for.
        case restart
        /// The same, and the log's file is cut to nothing.
        case truncate
    }

    /// The result of a checkpoint.
    public struct CheckpointResult: Sendable, Hashable {
        /// The frames (changed pages) of the log before the checkpoint; zero for a store without a log.
        public var frames: Int
        /// Those of them that are in the file now.
        public var moved: Int

        init(frames: Int, moved: Int) {
            self.frames = frames
            self.moved = moved
        }
    }

    /// Moves what was committed from the write-ahead log (the `-wal` file) into the file of the store.
    ///
    /// Nothing needs it to be correct: the store moves pages by itself, and keeps the log at about 16 MB. It is of use before
    /// the file is copied by other means, or at a moment of little load. For a copy, ``backup(to:deadline:)`` is better.
    ///
    /// `full`, `restart` and `truncate` keep new readers waiting until they are done, and wait for those that read.
    ///
    /// - Parameters:
    ///   - mode: How much is moved, and what is waited for.
    ///   - deadline: When to give up; nil for the container's timeout.
    /// - Returns: The frames of the log, and those that were moved, of all stores of the container together.
    /// - Throws: A ``StoreError``: `timedOut` when readers or writers did not end in time, `wouldDeadlock` inside of a call on
    ///   the same thread, `readOnly`, and `unsupported` on Apple's platforms, where Core Data moves pages as it likes.
    @discardableResult
    public func checkpoint(
        _ mode: CheckpointMode = .truncate, deadline: ContinuousClock.Instant? = nil
    ) throws -> CheckpointResult {
        try logging {
            try gate.enter()
            defer { gate.leave() }
            let context = try makeContext()
            let (frames, moved) = try Engine.translating {
                try Engine.checkpoint(context, mode.ofEngine, deadline: deadline)
            }
            return CheckpointResult(frames: frames, moved: moved)
        }
    }
}

extension PersistentContainer.CheckpointMode {
    fileprivate var ofEngine: Engine.CheckpointMode {
        switch self {
        case .passive: .passive
        case .full: .full
        case .restart: .restart
        case .truncate: .truncate
        }
    }
}
