#if PostgreSQL
import Dispatch

extension PostgresPool {
    /// Closes all connections, and waits for the calls that use one. Calls that wait for a connection end, and later ones are
    /// rejected. Several threads may close.
    ///
    /// - Parameter limit: The time after which the calls are stopped: their running statements fail, and so do their later
    ///   ones. Their connections close when the calls return them.
    /// - Throws: ``ServerError`` of the kind `timeout` if calls were still using connections, or `misuse` if the calling
    ///   thread itself uses one.
    package func close(within limit: Duration) throws {
        let closer = Closer(semaphore: DispatchSemaphore(value: 0), deadline: clock.now.advanced(by: limit))
        let thread = PooledConnection.thread
        var idle: [PostgresConnection] = []
        let (actions, isDone, isHolder) = withLock { () -> ([@Sendable () -> Void], Bool, Bool) in
            // A connection that is reserved and not used closes as an idle one does, and its call finds the pool closed.
            let isHolder = state.holders.contains { $0.value.thread == thread && isInUse($0.key) }
            guard !isHolder else { return ([], false, true) }
            let actions = state.close().compactMap { decide($0, as: .closed) }
            for pooled in all where !isInUse(pooled.number) {
                if let connection = pooled.connection { idle.append(connection) }
                pooled.connection = nil
                pooled.canceller = nil
            }
            let isDone = usedCount == 0
            if !isDone { closers.append(closer) }
            return (actions, isDone, false)
        }
        guard !isHolder else {
            var error = ServerError(
                .misuse, "the calling thread uses a connection; end that call before the connections are closed")
            error.waitsForItself = true
            throw error
        }
        // Each sends a message to the server.
        idle = []
        for action in actions { action() }
        for pooled in all { pooled.worker.stop() }
        if isDone { return }
        setAlarm(for: closer.deadline)
        closer.semaphore.wait()
        let (cancellers, count, slowest) = withLock { () -> ([StatementCanceller], Int, PoolState.Call?) in
            closers.removeAll { $0.semaphore === closer.semaphore }
            let count = usedCount
            if count > 0 { stopsCalls = true }
            let cancellers = all.compactMap { isInUse($0.number) ? $0.canceller : nil }
            return (cancellers, count, slowestUse)
        }
        guard let slowest else { return }
        for canceller in cancellers { canceller.stopAll() }
        throw ServerError(
            .timeout,
            "after \(Self.text(limit)), \(count) calls still used connections to \(address), the slowest one for \(slowest.purpose); their statements were stopped"
        )
    }

    /// Accepts calls again after ``close(within:)``.
    package func reopen() {
        for pooled in all { pooled.worker.resume() }
        withLock {
            stopsCalls = false
            state.reopen()
        }
    }
}
#endif
