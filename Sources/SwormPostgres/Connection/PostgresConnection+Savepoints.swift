#if PostgreSQL
/// A savepoint of an open transaction that ends at a later call. Savepoints end in the reverse order of their beginnings.
package final class Savepoint {
    fileprivate let scope: TransactionScope

    fileprivate init(_ scope: TransactionScope) { self.scope = scope }
}

extension PostgresConnection {
    /// Runs the body in a savepoint inside of the transaction, and rolls back only the body's changes if it throws.
    package func savepoint<R>(_ body: () throws -> R) throws -> R {
        let scope = try beginSavepoint()
        defer { leave(scope) }
        do {
            let result = try body()
            release(scope)
            return result
        } catch {
            rollBack(to: scope)
            throw error
        }
    }

    /// Begins a savepoint, which is sent with the next statement. It ends by ``release(_:)``, by ``rollBack(to:)``, or with
    /// an outer savepoint or the transaction.
    package func openSavepoint() throws -> Savepoint { Savepoint(try beginSavepoint()) }

    /// Ends a savepoint and those inside of it, and keeps their changes. The transaction must not have failed.
    package func release(_ savepoint: Savepoint) {
        guard isOpen(savepoint.scope) else { return }
        release(savepoint.scope)
        leave(savepoint.scope)
    }

    /// Undoes the changes since the beginning of a savepoint, and ends it and those inside of it. If the server does not
    /// answer, the connection is lost.
    package func rollBack(to savepoint: Savepoint) {
        guard isOpen(savepoint.scope) else { return }
        rollBack(to: savepoint.scope)
        leave(savepoint.scope)
    }

    private func isOpen(_ savepoint: TransactionScope) -> Bool { savepoint.exists && isInside(savepoint) }

    private func isInside(_ savepoint: TransactionScope) -> Bool {
        scope === savepoint || scope?.isInside(savepoint) == true
    }

    /// Continues in the scope around a savepoint that has ended, with those inside of it.
    func leave(_ savepoint: TransactionScope) {
        if isInside(savepoint) { scope = savepoint.parent }
    }

    // MARK: Scopes

    /// Begins a savepoint, which is sent with the next statement.
    func beginSavepoint() throws -> TransactionScope {
        guard let parent = scope else { throw ServerError(.misuse, "a savepoint needs a transaction") }
        lastSavepoint += 1
        let scope = TransactionScope(in: parent, name: "sworm_\(lastSavepoint)")
        pending.append(PendingStatement(.command("SAVEPOINT \(scope.name)"), savepoint: scope))
        self.scope = scope
        return scope
    }

    /// Lets the next statement end a savepoint. One that was not sent is forgotten, with what waits behind it.
    private func release(_ scope: TransactionScope) {
        if !withdraw(scope) { pending.append(PendingStatement(.command("RELEASE SAVEPOINT \(scope.name)"))) }
    }

    /// Removes a savepoint that was not sent, with all that follows it.
    ///
    /// - Returns: False if it was sent.
    private func withdraw(_ scope: TransactionScope) -> Bool {
        guard let index = pending.lastIndex(where: { $0.savepoint === scope }) else { return false }
        pending.removeSubrange(index...)
        return true
    }

    /// Goes back to a savepoint and removes it. If the server does not answer, the connection is lost.
    func rollBack(to scope: TransactionScope) {
        scope.end()
        guard !withdraw(scope) else { return }
        // The statements that wait to be sent belong to the savepoint.
        pending = []
        // If the savepoint did not succeed itself, the transaction has failed before it, in a scope around it.
        guard !isLost, hasTransaction, scope.isOnServer else { return }
        uninterrupted {
            do {
                if let answer, answer.scope?.exists == false { dropAnswer() } else { try? receiveAnswer() }
                let commands = ["ROLLBACK TO SAVEPOINT", "RELEASE SAVEPOINT"].map {
                    Command(.command("\($0) \(scope.name)"))
                }
                _ = try exchange(commands)
            } catch {
                isLost = true
            }
        }
    }

    // MARK: Locks

    /// Takes a lock before the next statement of the transaction runs, with a timeout of its own. It is not taken if the
    /// savepoint in which it was asked for ends before.
    ///
    /// - Parameter statement: The statement that takes the lock.
    package func lock(_ statement: String, within timeout: Duration) {
        pending += TransactionOptions.lock(statement, within: timeout, on: address).map {
            PendingStatement(.command($0))
        }
        pending[pending.count - 1].lockWait = timeout
    }

    /// Takes a lock with the next statement, or fails with it if the lock is not free.
    ///
    /// - Parameter statement: The statement that takes the lock, and does not wait.
    package func lock(_ statement: String) { pending.append(PendingStatement(.command(statement))) }

    /// Whether statements wait for the next one, such as a lock.
    package var hasUnsentStatements: Bool { !pending.isEmpty }

    /// Sends what waits for the next statement of the transaction: its beginning, with the locks.
    package func sendBeginning() throws {
        try receiveAnswer()
        try requireUsable()
        _ = try perform(takePending().map { Command($0) })
    }
}

extension TransactionOptions {
    /// Returns statements that take a lock with a timeout of its own, for ``locks``. The wait may be longer than the timeout of
    /// statements.
    ///
    /// - Parameter address: The address of the connection, whose timeout applies afterwards.
    package static func lock(
        _ statement: String, within timeout: Duration, on address: PostgresAddress
    ) -> [String] {
        var limited = address.timeouts
        limited.lock = timeout
        // The timeout of the lock ends the wait.
        limited.statement = limited.statement.map { max($0, timeout + .seconds(1)) }
        let settings = zip(Self.settings(limited), Self.settings(address.timeouts)).filter { $0 != $1 }
        return settings.map { "SET LOCAL " + $0.0 } + [statement] + settings.map { "SET LOCAL " + $0.1 }
    }
}
#endif
