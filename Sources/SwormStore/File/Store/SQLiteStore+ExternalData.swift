import Foundation

// Files of external data that no row names any more. Readers of older states, in any process, keep theirs.
extension SQLiteStore {
    /// Removes the files that were replaced, if every reader of the file sees its newest state. Waits for nobody: otherwise
    /// they stay for a later call, for closing, or for the next opening.
    ///
    /// In a store with a write-ahead log this makes a checkpoint of the kind RESTART.
    func removeUnusedExternalData() {
        guard let open = openFiles else { return }
        let files = pendingRemovals.files(before: oldestView)
        guard !files.isEmpty else { return }
        let unused = try? open.pool.withFreeWriter { connection in
            try connection.atNewestState { () throws -> Set<UUID>? in
                try open.pool.checkFile()
                var unused = files
                // A file may be named by several rows, though not by any that we write.
                try FileReferences(connection).removeNamed(from: &unused)
                return unused
            }
        }
        guard let unused else { return }
        // A commit that a journal may still undo would need the files again.
        if takesTurns, (try? self.files?.synchronizeCommits()) == nil { return }
        // No row can come to name them again, so that this needs no lock.
        external.remove(unused)
        pendingRemovals.remove(files)
    }

    /// The same, not more often than the limits say where it takes a checkpoint.
    func removeUnusedExternalDataSometimes() {
        if pendingRemovals.isEmpty { return }
        let limits = options.externalData
        let interval = takesTurns ? Duration.zero : limits.attemptInterval
        if pendingRemovals.beginsAttempt(limits, before: oldestView, every: interval) { removeUnusedExternalData() }
    }

    /// Takes note of files that no row names since a commit.
    ///
    /// - Parameter view: The number of the last view that may have begun before the commit.
    func replaced(_ replaced: Set<UUID>, seenUntil view: Int) {
        guard !replaced.isEmpty, let files else { return }
        pendingRemovals.add(replaced, seenUntil: view)
        removeUnusedExternalDataSometimes()
        let left = pendingRemovals.among(replaced)
        guard !left.isEmpty else { return }
        external.markUnused(left)
        SearchProgress.forget(files)
    }

    /// Removes files that no row names, as far as one opening may go. If something prevents that, the next opening tries it.
    func searchExternalData() {
        // Whoever migrates a store has the files of another one to take care of.
        guard let open = openFiles, let files, !isReadOnly, options.lentFiles == nil else { return }
        let search = ExternalDataSearch(
            files: files, folder: external, store: identifier, limits: options.externalData)
        try? search.run(open)
    }
}
