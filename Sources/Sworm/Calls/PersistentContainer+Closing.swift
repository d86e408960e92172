import SwormPredicates

extension PersistentContainer {
    /// Closes the store: new calls throw an error, running calls finish, and then the files are closed.
    ///
    /// A container closes its files when it is deallocated. Call this method if the moment matters, for example before
    /// the file is moved. It blocks the calling thread. The stores are removed from the container's coordinator, even
    /// if you provided the coordinator: writes and running reads of other containers over the same coordinator finish
    /// first. Closing a closed container has no effect.
    ///
    /// - Parameter deadline: The time at which to stop waiting for running calls; nil for no deadline.
    /// - Throws: A ``StoreError``: `timedOut` if calls did not end in time (the files are still open then, and no new
    ///   call starts: call the method again), `wouldDeadlock` if the calling thread itself uses the store.
    public func close(deadline: ContinuousClock.Instant? = nil) throws {
        try logging {
            try requireOutside("closed")
            try gate.changing("closed", until: deadline) {
                guard gate.phase != .closed else { return }
                let context = try makeContext()
                gate.turn(.closing)
                guard gate.waitForCalls(until: deadline) else {
                    let running = gate.running
                    throw StoreError(
                        .timedOut,
                        "The store was not closed in time: \(running) \(running == 1 ? "call is" : "calls are") still running. New calls are not accepted. Call `close()` again."
                    )
                }
                try translatingErrors { try context.closeStores(until: deadline) }
                gate.turn(.closed)
                live.close(with: ContainerState.closed)
                feeds.set()
            }
        }
    }

    /// Releases the store's files until ``resume()`` is called. When the method has returned, this container holds no
    /// lock on them in this process.
    ///
    /// Call it before the process is suspended: on Apple's platforms, the system terminates a suspended app that holds
    /// a lock on a file in a shared container. Until ``resume()``, new calls throw a ``StoreError`` with the code
    /// `suspended`. Running calls may continue for the grace period; then they are stopped and rolled back, and throw
    /// that error. Contexts that you provide lose their snapshots. Stores in memory keep their content. A store on a server
    /// closes all its connections, also those that follow the commits of other processes.
    ///
    /// The method blocks the calling thread. A second container over the same file has to be suspended separately. A
    /// second container over the same coordinator shares its connections, and is stopped with this one.
    ///
    /// - Parameters:
    ///   - grace: How long running calls may continue.
    ///   - deadline: The time at which to give up; nil for two seconds after the grace period.
    /// - Throws: A ``StoreError``: `timedOut` if a closure does not release the rows that it reads (no new call starts
    ///   then), `wouldDeadlock` if the calling thread itself reads rows or is inside a call, `storeClosed`.
    public func suspend(grace: Duration = .seconds(1), deadline: ContinuousClock.Instant? = nil) throws {
        try logging {
            try requireOutside("suspended")
            let stop = ContinuousClock.now + grace
            let end = deadline ?? stop + .seconds(2)
            try gate.changing("suspended", until: end) {
                if gate.phase == .closing || gate.phase == .closed { try gate.check() }
                let context = try makeContext()
                gate.turn(.suspending)
                // Calls that have not started to read or write hold nothing of the store, and find it suspended when
                // they do.
                _ = gate.waitForCalls(until: min(stop, end))
                try suspended.withLock { stores in
                    try translatingErrors { try context.suspendStores(&stores, stoppingAt: stop, until: end) }
                }
                gate.turn(.suspended)
            }
        }
    }

    /// Makes the store usable again after ``suspend(grace:deadline:)``. A suspension in progress ends first.
    ///
    /// - Throws: A ``StoreError`` if the file can no longer be opened, was replaced, or contains another store; if the server
    ///   cannot be reached, or its schema contains another store; and `storeClosed`. The store stays suspended then.
    public func resume() throws {
        try logging {
            try gate.changing("resumed") {
                guard gate.phase == .suspending || gate.phase == .suspended else { return try gate.check() }
                let context = try makeContext()
                try suspended.withLock { stores in
                    try translatingErrors { try context.resumeStores(&stores) }
                }
                gate.turn(.open)
                live.resume()
                feeds.set()
                news.resume()
            }
        }
    }

    /// Throws an error inside a call of this container on the calling thread.
    private func requireOutside(_ action: String) throws {
        guard !calls.areOnThread else {
            throw StoreError(
                .wouldDeadlock, "The store cannot be \(action) inside a call that uses it. Do so after the call.")
        }
    }

    func logging<R>(_ body: () throws -> R) throws -> R {
        do {
            return try body()
        } catch {
            logError?(error)
            throw error
        }
    }
}
