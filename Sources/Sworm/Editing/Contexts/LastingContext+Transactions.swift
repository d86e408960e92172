import SwormPredicates

// Calls that hold one state of the store, or the write lock.
extension LastingContext {
    /// Runs a closure that reads one state of the store, and cannot change it.
    func snapshot<R>(_ body: (ManagedObjectContext) throws -> R) throws -> R {
        if isInTransaction { return try permission.limited(to: .read) { try body(context) } }
        let admission = try translatingErrors { try instance.enterStores(isWriting: false, until: nil) }
        defer { admission.leave() }
        try translatingErrors { try instance.pin(true) }
        do {
            try translatingErrors { try instance.beginPinnedSessions() }
        } catch {
            try? instance.pin(false)
            throw error
        }
        isInTransaction = true
        // After the snapshot has begun, so that the objects that are held are not older than it. The commits may also be
        // newer, and are merged again after it.
        let merged = mergeCommits()
        defer {
            isInTransaction = false
            try? instance.pin(false)
            if let merged { news.note(merged) }
        }
        return try permission.limited(to: .read) { try body(context) }
    }

    /// Runs a closure that holds the write lock, and saves its changes with the other unsaved changes. After an error,
    /// everything is as it was before.
    func transaction<R>(_ body: (ManagedObjectContext) throws -> R) throws -> R {
        try throwFailure()
        guard !isInTransaction else {
            guard permission.isGranted else {
                throw StoreError(.readOnly, "A transaction cannot run inside a snapshot. Write after the snapshot.")
            }
            return try nested(body)
        }
        let admission = try translatingErrors { try instance.enterStores(isWriting: true, until: nil) }
        defer { admission.leave() }
        return try writeTurn.withTurn {
            try news.ignoringOwnCommits { try write(body) }
        }
    }

    private func write<R>(_ body: (ManagedObjectContext) throws -> R) throws -> R {
        (isInTransaction, permission.allowsBulkWrites) = (true, true)
        instance.keepTransactions(true)
        defer {
            instance.keepTransactions(false)
            (isInTransaction, permission.allowsBulkWrites) = (false, false)
        }
        try translatingErrors { try instance.beginWriting() }
        // Under the write lock, so that nothing is committed afterwards.
        noticeCommits()
        mergeCommits()
        let unsaved = Checkpoint(of: instance)
        do {
            let result = try body(context)
            try throwFailure()
            if instance.hasChanges { try translatingErrors { try instance.save() } }
            try translatingErrors { try instance.commitTransactions() }
            return result
        } catch {
            _ = scope.takeFailure()
            instance.undoTransactions { instance.restore(unsaved) }
            throw error
        }
    }

    /// Runs a transaction inside another one, which is undone separately.
    private func nested<R>(_ body: (ManagedObjectContext) throws -> R) throws -> R {
        let checkpoint = Checkpoint(of: instance)
        let marks = TransactionMarks(of: instance)
        let failure = takeFailure()
        defer { restoreFailure(failure) }
        do {
            let result = try body(context)
            try throwFailure()
            try translatingErrors { try instance.release(marks) }
            return result
        } catch {
            _ = takeFailure()
            try translatingErrors { try instance.undoTransactions(to: marks) { instance.restore(checkpoint) } }
            throw error
        }
    }
}
