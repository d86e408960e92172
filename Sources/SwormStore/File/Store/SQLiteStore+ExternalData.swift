import Foundation

// External data files that are no longer referenced by any row. They are retained while readers, in any process, see
// older states.
extension SQLiteStore {
    /// Removes the files that were replaced, if every reader of the file sees its newest state. If another connection
    /// is in use, the method does not wait: the files remain for a later call, for closing, or for the next opening.
    ///
    /// In a store with a write-ahead log, this runs a checkpoint of the kind RESTART.
    func removeUnusedExternalData() {
        guard let open = openFiles else { return }
        let files = pendingRemovals.files(before: oldestView)
        guard !files.isEmpty else { return }
        let unused = try? open.pool.withFreeWriter { connection in
            try connection.atNewestState { () throws -> Set<UUID>? in
                try open.pool.checkFile()
                var unused = files
                // Several rows may refer to one file, although this library never writes such rows.
                try FileReferences(connection).removeNamed(from: &unused)
                return unused
            }
        }
        guard let unused else { return }
        // The files are needed again if a journal rolls the commit back.
        if takesTurns, (try? self.files?.synchronizeCommits()) == nil { return }
        // No row can refer to these files again, so no lock is needed.
        external.remove(unused)
        pendingRemovals.remove(files)
    }

    /// Calls ``removeUnusedExternalData()``. If that requires a checkpoint, it is called at most once per attempt
    /// interval.
    func removeUnusedExternalDataSometimes() {
        if pendingRemovals.isEmpty { return }
        let limits = options.externalData
        let interval = takesTurns ? Duration.zero : limits.attemptInterval
        if pendingRemovals.beginsAttempt(limits, before: oldestView, every: interval) { removeUnusedExternalData() }
    }

    /// Records the files that no row refers to since a commit.
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

    /// Removes files that no row refers to, within the limits of one opening. After an error, the next opening tries
    /// again.
    func searchExternalData() {
        // During a migration, the store shares external files with another store.
        guard let open = openFiles, let files, !isReadOnly, options.lentFiles == nil else { return }
        let search = ExternalDataSearch(
            files: files, folder: external, store: identifier, limits: options.externalData)
        try? search.run(open)
    }
}
