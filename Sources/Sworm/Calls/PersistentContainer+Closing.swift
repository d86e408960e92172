import SwormPredicates

extension PersistentContainer {
    /// Ends the use of the store: calls that begin later throw, those that run end, and then the files are closed.
    ///
    /// A container that is no longer referred to closes its files too; call this where the moment matters, as before the file
    /// is moved. It blocks the calling thread. The stores of the container's coordinator are removed from it, also where the
    /// coordinator is your own: writes of other containers over it, and reads that run, end first. To close twice does nothing.
    ///
    /// - Parameter deadline: When to give up waiting for them; nil for never.
    /// - Throws: A ``StoreError``: `timedOut` when calls did not end in time (the files are open then, and nothing new
    ///   begins: call it again), `wouldDeadlock` where the calling thread itself uses the store.
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
                        "The store was not closed in time: \(running) of its calls \(running == 1 ? "is" : "are") still running. Nothing new begins. Call close again."
                    )
                }
                try Engine.translating { try Engine.close(context, until: deadline) }
                gate.turn(.closed)
            }
        }
    }

    /// Lets go of the store's files until ``resume()``: when it has returned, the process holds no lock on them by this
    /// container.
    ///
    /// Call it before the process is put to sleep: on Apple's platforms an app that holds a lock on a file in a shared
    /// container then is ended by the system. Calls that begin until ``resume()`` throw a ``StoreError`` with the code
    /// `suspended`. Calls that run may go on for the time of grace; then they are stopped and undone, and throw that error.
    /// Contexts of your own lose their snapshots. Stores in memory keep their content.
    ///
    /// It blocks the calling thread. A second container over the same file is suspended by a call of its own; one over the same
    /// coordinator has the same connections, and is stopped with this one.
    ///
    /// - Parameters:
    ///   - grace: How long calls that run may go on.
    ///   - deadline: When to give up; nil for two seconds after the time of grace.
    /// - Throws: A ``StoreError``: `timedOut` when a closure does not let go of the rows that it reads (nothing new begins
    ///   then), `wouldDeadlock` where the calling thread itself does, or is inside of a call, `storeClosed`.
    public func suspend(grace: Duration = .seconds(1), deadline: ContinuousClock.Instant? = nil) throws {
        try logging {
            try requireOutside("suspended")
            let stop = ContinuousClock.now + grace
            let end = deadline ?? stop + .seconds(2)
            try gate.changing("suspended", until: end) {
                if gate.phase == .closing || gate.phase == .closed { try gate.check() }
                let context = try makeContext()
                gate.turn(.suspending)
                // Calls that have not begun to read or write hold nothing of the store, and find it suspended when they do.
                _ = gate.waitForCalls(until: min(stop, end))
                try suspended.withLock { stores in
                    try Engine.translating { try Engine.suspend(&stores, of: context, stoppingAt: stop, until: end) }
                }
                gate.turn(.suspended)
            }
        }
    }

    /// Lets the store be used again after ``suspend(grace:deadline:)``, one that is running included: it ends first.
    ///
    /// - Throws: A ``StoreError`` when the file cannot be opened any more, is another one, or holds another store, and
    ///   `storeClosed`. The store stays suspended then.
    public func resume() throws {
        try logging {
            try gate.changing("resumed") {
                guard gate.phase == .suspending || gate.phase == .suspended else { return try gate.check() }
                let context = try makeContext()
                try suspended.withLock { stores in
                    try Engine.translating { try Engine.resume(&stores, of: context) }
                }
                gate.turn(.open)
            }
        }
    }

    /// Throws inside of a call of this container on the calling thread.
    private func requireOutside(_ action: String) throws {
        guard calls.scopes.withLock({ $0[Engine.threadNumber] }) == nil else {
            throw StoreError(
                .wouldDeadlock, "The store cannot be \(action) inside of a call that uses it. Do so after the call.")
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
