import SwormPredicates

// The implementation of `read`, `perform` and `write`.
extension PersistentContainer {
    /// Runs a closure in a separate scope, on the calling thread, and repeats it as the call requires.
    ///
    /// - Parameters:
    ///   - call: The options of the call.
    ///   - action: The closure.
    ///   - afterwards: A closure that is called after the save, before the context is cleaned up.
    func run(
        as call: StoreCall, _ action: (ManagedObjectContext) throws -> Void, afterwards: () -> Void = {}
    ) throws {
        if let outer = calls.scopes.withLock({ $0[CurrentThread.number] }) {
            try join(outer, as: call, action)
            afterwards()
            return
        }
        var generator = SystemRandomNumberGenerator()
        var repetition = 0
        while true {
            do {
                return try runOnce(as: call.run(afterRepetitions: repetition), action, afterwards: afterwards)
            } catch  where call.isRepeated(after: error, repetition: repetition) {
                repetition += 1
                CurrentThread.sleep(for: call.pause(before: repetition, after: error, using: &generator))
            } catch {
                logError?(error)
                throw error
            }
        }
    }

    /// Runs a closure that does not join another call.
    ///
    /// - Parameters:
    ///   - call: The options of the call.
    ///   - admitted: The context, and the permission to use its stores if it was granted already; nil for a context of
    ///     the container.
    ///   - cancellation: The state that reports whether the changes must no longer be saved.
    ///   - action: The closure.
    ///   - afterwards: A closure that is called after the save, before the context is cleaned up.
    func runOnce(
        as call: StoreCall, in admitted: AdmittedContext? = nil, cancellation: Cancellation? = nil,
        _ action: (ManagedObjectContext) throws -> Void, afterwards: () -> Void = {}
    ) throws {
        do {
            let admission = admitted?.admission
            do {
                try gate.enter()
            } catch {
                admission?.abandon()
                throw error
            }
            defer { gate.leave() }
            let given = try admitted?.context ?? makeContext()
            let call = call.possible(in: given)
            listen(to: given)
            func run(_ held: StoreAdmission) throws {
                defer {
                    // The end of a call without an admission is not announced, because its thread continues, for
                    // example with an enclosing call.
                    if admission != nil { CallRequest.callEnds() }
                    held.leave()
                }
                let context = self.context(for: call.access, given)
                // Core Data may run the block on a different thread.
                try context.performAndWait {
                    try runOutermost(as: call, in: context, cancellation: cancellation, action, afterwards: afterwards)
                }
            }
            // The context is acquired before the store. Otherwise, of two calls that share a context, one could hold
            // the turn that the other waits for. A call that was admitted first does not wait for a context that is
            // held.
            if let admission {
                let hasRun: Void? = try given.holdIfFree {
                    admission.adopt()
                    try run(admission)
                }
                if hasRun == nil {
                    admission.abandon()
                    throw ContextIsHeld()
                }
            } else {
                // Errors of the closure are not translated.
                let result = try translatingErrors {
                    try given.hold(until: call.deadline) {
                        let admission = try given.enterStores(
                            isWriting: call.access == .write, until: call.deadline)
                        return Result { try run(admission) }
                    }
                }
                try result.get()
            }
            // After an error, the context may have state that a reset preserves, so it is not reused.
            spareContexts?.keep(given)
        } catch {
            // The error of a cancellation says that nothing was saved.
            if StoreError.Code.outcomeUnknown ~= error { throw error }
            throw cancellation?.isCancelled ?? false ? CancellationError() : error
        }
    }

    /// Returns the context that a call runs in: the given one, or a separate one for a write if the given one has
    /// unsaved changes. A write saves only its own changes.
    private func context(
        for access: StoreAccess, _ given: NSManagedObjectContext
    ) -> NSManagedObjectContext {
        guard access == .write, given.performAndWait({ given.hasChanges }) else { return given }
        let own = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        own.persistentStoreCoordinator = given.persistentStoreCoordinator
        own.retainsRegisteredObjects = true
        own.mergePolicy = given.mergePolicy
        own.name = given.name
        own.transactionAuthor = given.transactionAuthor
        return own
    }

    private func runOutermost(
        as call: StoreCall, in context: NSManagedObjectContext, cancellation: Cancellation?,
        _ action: (ManagedObjectContext) throws -> Void, afterwards: () -> Void
    ) throws {
        guard call.access == .write else {
            return try runAlone(as: call, in: context, cancellation: cancellation, action, afterwards: afterwards)
        }
        try writeTurn.withTurn {
            try runAlone(as: call, in: context, cancellation: cancellation, action, afterwards: afterwards)
        }
    }

    private func runAlone(
        as call: StoreCall, in context: NSManagedObjectContext, cancellation: Cancellation?,
        _ action: (ManagedObjectContext) throws -> Void, afterwards: () -> Void
    ) throws {
        let access = call.access
        let thread = CurrentThread.number
        let permission = WritePermission()
        let scope = Scope(thread: thread, calls: calls, permission: permission)
        let bindings = BindingCache(context, self.bindings)
        // A shared context may have other changes, which this scope must not undo.
        let unsaved = context.hasChanges ? Checkpoint(of: context) : nil
        func restore() {
            if let unsaved { context.restore(unsaved) } else { context.rollback() }
        }
        calls.scopes.withLock {
            $0[thread] = RunningScopes(
                context: context, bindings: bindings, permission: permission, isWrite: access == .write,
                scopes: [scope])
        }
        defer {
            scope.close()
            calls.scopes.withLock { $0[thread] = nil }
            try? context.pin(false)
            context.keepTransactions(false)
            context.readOnly(false)
            cancellation?.end()
            if call.hasDeadline { context.deadline = nil }
            if properties != nil { context.use(TransactionChoice()) }
            if cleansUp, context.concurrencyType == .privateQueueConcurrencyType { context.reset() }
        }
        do {
            try cancellation?.begin(in: context)
            try call.checkDeadline()
            if call.hasDeadline, let deadline = call.deadline { context.deadline = deadline }
            try translatingErrors { try context.pin(true) }
            context.keepTransactions(true)
            context.readOnly(access == .read)
            try begin(call, in: context, bindings)
            try permission.limited(to: access) {
                try context.stoppable(call.hasDeadline || cancellation != nil) {
                    try perform(action, in: context, bindings: bindings, scope: scope)
                }
            }
            try cancellation?.check()
            try call.checkDeadline()
            if access == .read {
                // During a read, only a custom class of the model can have changed an object.
                if context.hasChanges || context.isWriting { context.undoTransactions(restoring: restore) }
            } else {
                if context.hasChanges { try translatingErrors { try context.save() } }
                try translatingErrors { try context.commitTransactions() }
            }
            afterwards()
        } catch {
            context.undoTransactions(restoring: restore)
            throw error
        }
    }

    /// Begins the transaction of a call that has one from its beginning.
    private func begin(_ call: StoreCall, in context: NSManagedObjectContext, _ bindings: BindingCache) throws {
        if let properties { context.use(properties) }
        switch call.access {
        case .read: break
        case .perform where properties?.isolation == .serializable:
            try translatingErrors { try context.beginSerializable() }
        case .perform: break
        case .write:
            guard let locks = call.locks else { return try translatingErrors { try context.beginWriting() } }
            try locks.beginWriting(in: context, bindings)
        }
    }

    /// Runs a closure inside a call that is running on this thread already.
    private func join(
        _ outer: RunningScopes, as call: StoreCall, _ action: (ManagedObjectContext) throws -> Void
    ) throws {
        let access = call.access
        if access == .write { try requireWriting(outer) }
        let thread = CurrentThread.number
        let scope = Scope(thread: thread, calls: calls, permission: outer.permission)
        let outerDeadline = call.hasDeadline ? outer.context.deadline : nil
        if let deadline = call.deadline {
            try call.checkDeadline()
            outer.context.deadline = outerDeadline.map { min($0, deadline) } ?? deadline
        }
        defer { if call.hasDeadline { outer.context.deadline = outerDeadline } }
        if let locks = call.locks { try locks.lock(in: outer.context, outer.bindings) }
        let checkpoint = Checkpoint(of: outer.context)
        let marks = TransactionMarks(of: outer.context)
        calls.scopes.withLock { $0[thread]?.scopes.append(scope) }
        defer {
            scope.close()
            calls.scopes.withLock { _ = $0[thread]?.scopes.popLast() }
        }
        do {
            try outer.permission.limited(to: access) {
                try outer.context.stoppable(true) {
                    try perform(action, in: outer.context, bindings: outer.bindings, scope: scope)
                }
            }
            try call.checkDeadline()
            try translatingErrors { try outer.context.release(marks) }
        } catch {
            do {
                try translatingErrors {
                    try outer.context.undoTransactions(to: marks) { outer.context.restore(checkpoint) }
                }
            } catch let failure {
                // Changes that were not undone must not be saved.
                scope.fail(failure, with: outer.scopes.first)
            }
            logError?(error)
            throw error
        }
    }

    /// Throws an error if a write cannot join the call around it.
    private func requireWriting(_ outer: RunningScopes) throws {
        guard outer.permission.isGranted else {
            throw StoreError(
                .readOnly, "A write cannot run inside a read. Make the outer call a write, or write after the read.")
        }
        guard outer.isWrite || outer.context.isWriting else {
            throw StoreError(
                .unsupported,
                "A write cannot run inside a perform that has not written yet: other transactions may have been committed after the perform read its snapshot. Make the outer call a write."
            )
        }
    }

    /// Runs a closure, and throws its error, or else the first error of an accessor in it that cannot throw.
    private func perform(
        _ action: (ManagedObjectContext) throws -> Void, in context: NSManagedObjectContext, bindings: BindingCache,
        scope: Scope
    ) throws {
        let context = ManagedObjectContext(context, scope: scope, bindings: bindings)
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

/// A context for a call.
struct AdmittedContext {
    let context: NSManagedObjectContext
    /// The permission to use the stores of the context; nil if the call requests it itself.
    let admission: StoreAdmission?
}

/// An error that is thrown if another call holds the context of an admitted call.
struct ContextIsHeld: Swift.Error {}
