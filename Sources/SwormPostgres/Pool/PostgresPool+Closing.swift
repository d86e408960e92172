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
            guard !state.holders.values.contains(where: { $0.thread == thread }) else { return ([], false, true) }
            let actions = state.close().compactMap { decide($0, as: .closed) }
            for pooled in all where state.holders[pooled.number] == nil {
                if let connection = pooled.connection { idle.append(connection) }
                pooled.connection = nil
                pooled.canceller = nil
            }
            if !state.holders.isEmpty { closers.append(closer) }
            return (actions, state.holders.isEmpty, false)
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
            if !state.holders.isEmpty { stopsCalls = true }
            let cancellers = all.compactMap { state.holders[$0.number] == nil ? nil : $0.canceller }
            return (cancellers, state.holders.count, state.slowest?.call)
        }
        guard let slowest else { return }
        for canceller in cancellers { canceller.stopAll() }
        throw ServerError(
            .timeout,
            "after \(Self.text(limit)), \(count) calls still used connections to \(address), the slowest one for \(slowest.purpose); their statements were stopped"
        )
    }
}
#endif
