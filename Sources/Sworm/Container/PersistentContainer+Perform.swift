extension PersistentContainer {
    /// Runs a closure that reads and writes the store, on the calling thread, and saves what it changed.
    ///
    /// The closure holds its context alone. What it reads is one state of the store; what it changes is saved together when
    /// it returns. When it throws, or the save fails, nothing is saved, and the error is thrown.
    ///
    /// ```swift
    /// let titles = try store.perform { context in
    ///     try context.decode(Book.all.where { $0.year > 1800 }).map(\.title)
    /// }
    /// ```
    ///
    /// Handles belong to the closure: return values, or ids. A `perform` inside a `perform` of the same container on the same
    /// thread joins it: it sees its changes, is undone alone when it throws, and is saved with the outer one.
    ///
    /// - Parameter action: What to do.
    /// - Returns: What the closure returns.
    /// - Throws: What the closure throws, and a ``StoreError`` when the store cannot be read or the changes cannot be saved.
    @discardableResult
    public func perform<R>(action: (ManagedObjectContext) throws -> sending R) throws -> sending R {
        var result: R?
        try run { context in result = try action(context) }
        guard let result else { throw Error.noResult }
        // Made by the closure, which gives it away; only this frame has it on its way to the caller. The compiler cannot see
        // that through the layers below.
        nonisolated(unsafe) let given = result
        return given
    }

    /// Runs a closure that reads and writes the store: the form for functions and generic wrappers without `sending`.
    ///
    /// - Parameter action: What to do.
    /// - Returns: What the closure returns.
    /// - Throws: What the closure throws, and a ``StoreError`` when the store cannot be read or the changes cannot be saved.
    @discardableResult
    public func perform<R: Sendable>(action: (ManagedObjectContext) throws -> R) throws -> R {
        var result: R?
        try run { context in result = try action(context) }
        guard let result else { throw Error.noResult }
        return result
    }

    /// Runs a closure that reads and writes the store and returns nothing.
    ///
    /// - Parameter action: What to do.
    /// - Throws: What the closure throws, and a ``StoreError`` when the store cannot be read or the changes cannot be saved.
    public func perform(action: (ManagedObjectContext) throws -> Void) throws {
        try run(action)
    }

    /// Runs a closure that ends in a managed object, or in an optional one, and returns the object's id.
    ///
    /// ```swift
    /// let id = try store.perform { try $0.insert(Book(title: "War and Peace")) }
    /// try store.perform { try $0.fetchOne(Book.all.where(\.year == 1868))?.encode(\.year, 1869) }
    /// ```
    ///
    /// - Parameter action: What to do.
    /// - Returns: The id of the object, permanent once the changes were saved.
    /// - Throws: What the closure throws, and a ``StoreError`` when the store cannot be read or the changes cannot be saved.
    @discardableResult
    public func perform<R: ManagedObjectResult>(
        action: (ManagedObjectContext) throws -> R
    ) throws -> R.ResultID {
        var object: R?
        var id: R.ResultID?
        try run { context in
            object = try action(context)
        } afterwards: {
            id = object?.resultID
        }
        guard let id else { throw Error.noResult }
        return id
    }

    /// Runs a closure in a scope of its own.
    ///
    /// - Parameters:
    ///   - context: The context; nil for the one that the container gives.
    ///   - cancellation: Whether what was done must not be saved any more.
    ///   - action: What to do.
    ///   - afterwards: Called after the save, before the context is cleaned up.
    func run(
        in context: NSManagedObjectContext? = nil, cancellation: Cancellation? = nil,
        _ action: (ManagedObjectContext) throws -> Void, afterwards: () -> Void = {}
    ) throws {
        if let outer = running.withLock({ $0[Engine.threadNumber] }) {
            try join(outer, action)
            afterwards()
            return
        }
        do {
            let context = try context ?? makeContext()
            // The engine may run the block on another thread than this one.
            try context.performAndWait {
                try runOutermost(in: context, cancellation, action, afterwards)
            }
        } catch {
            let error = cancellation?.isCancelled ?? false ? CancellationError() : error
            logError?(error)
            throw error
        }
    }

    private func runOutermost(
        in context: NSManagedObjectContext, _ cancellation: Cancellation?,
        _ action: (ManagedObjectContext) throws -> Void, _ afterwards: () -> Void
    ) throws {
        let thread = Engine.threadNumber
        let scope = Scope(thread: thread, container: self)
        let bindings = BindingCache(context, self.bindings)
        // A context that others use too may have changes of theirs, which are not this scope's to undo.
        let unsaved = context.hasChanges ? Engine.checkpoint(context) : nil
        running.withLock { $0[thread] = RunningScopes(context: context, bindings: bindings, scopes: [scope]) }
        defer {
            scope.close()
            running.withLock { $0[thread] = nil }
            try? Engine.pin(false, context)
            Engine.keepTransactions(false, context)
            cancellation?.end()
            if cleansUp, context.concurrencyType == .privateQueueConcurrencyType { context.reset() }
        }
        do {
            try cancellation?.begin()
            try Engine.translating { try Engine.pin(true, context) }
            Engine.keepTransactions(true, context)
            try perform(action, in: context, bindings, scope)
            try cancellation?.check()
            if context.hasChanges { try Engine.translating { try context.save() } }
            try Engine.translating { try Engine.commit(context) }
            afterwards()
        } catch {
            Engine.undo(context)
            if let unsaved { Engine.restore(unsaved, in: context) } else { context.rollback() }
            throw error
        }
    }

    /// Runs a closure inside another one that runs on this thread already.
    private func join(_ outer: RunningScopes, _ action: (ManagedObjectContext) throws -> Void) throws {
        let thread = Engine.threadNumber
        let scope = Scope(thread: thread, container: self)
        let checkpoint = Engine.checkpoint(outer.context)
        let marks = try Engine.translating { try Engine.mark(outer.context) }
        running.withLock { $0[thread]?.scopes.append(scope) }
        defer {
            scope.close()
            running.withLock { _ = $0[thread]?.scopes.popLast() }
        }
        do {
            try perform(action, in: outer.context, outer.bindings, scope)
            try Engine.translating { try Engine.release(marks, outer.context) }
        } catch {
            do {
                try Engine.translating { try Engine.undo(to: marks, outer.context) }
            } catch let failure {
                // What was not undone must not be saved.
                scope.fail(failure, outer.scopes.first)
            }
            Engine.restore(checkpoint, in: outer.context)
            logError?(error)
            throw error
        }
    }

    /// Runs a closure, and throws what it throws, or else what went wrong in it in places that cannot throw.
    private func perform(
        _ action: (ManagedObjectContext) throws -> Void, in context: NSManagedObjectContext, _ bindings: BindingCache,
        _ scope: Scope
    ) throws {
        let context = ManagedObjectContext(context, scope, bindings)
        defer { context.end() }
        do {
            try action(context)
        } catch {
            scope.logFailure()
            throw error
        }
        try scope.throwFailure()
    }
}
