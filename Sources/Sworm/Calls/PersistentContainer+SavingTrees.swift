extension PersistentContainer {
    /// Saves the trees of an asynchronous sequence in batches, each in a `write` of its own.
    ///
    /// Use it for more trees than fit in memory, such as the lines of a file or the body of a request:
    ///
    /// ```swift
    /// let lines = try JSONLines(of: BookPage.self, in: file)
    /// let result = try await store.save(contentsOf: lines)
    /// ```
    /// While the sequence waits for further trees, no lock is held. If the sequence or a batch fails, or the task is cancelled,
    /// the batches before stay in the store; ``StoreError/savedTrees`` is the number of their trees. Objects that are in the
    /// trees more than once, and children that move from one owner to another, are recognized inside of a batch; from one
    /// batch to the next, each batch is compared with the result of the ones before.
    ///
    /// - Parameters:
    ///   - trees: The trees.
    ///   - attributes: The attributes that identify the roots; see
    ///     ``ManagedObjectContext/save(contentsOf:on:repeats:replacing:)``.
    ///   - batchSize: The number of trees of a batch, which are in memory at the same time.
    ///   - repeats: The policy for an object that is in a batch more than once.
    ///   - isolation: The actor that iterates over the sequence, by default the actor of the caller.
    /// - Returns: The numbers of objects.
    /// - Throws: A ``StoreError`` with ``StoreError/savedTrees`` and, if a tree caused it, ``StoreError/path``: an error of
    ///   ``ManagedObjectContext/save(contentsOf:on:repeats:replacing:)`` or of ``write(deadline:_:)-3cdj4`` with its code, or
    ///   `interrupted` with the error of the sequence, or a `CancellationError`, as its ``StoreError/cause``.
    @discardableResult
    public func save<Trees: AsyncSequence>(
        contentsOf trees: Trees, on attributes: any PartialKeyPath<Trees.Element> & Sendable...,
        batchSize: Int = 1000, repeats: RepeatPolicy = .equal, isolation: isolated (any Actor)? = #isolation
    ) async throws -> TreeSaveResult where Trees.Element: ManagedTreeConvertible & Sendable {
        guard batchSize > 0 else {
            throw StoreError(
                .invalidRequest, "A batch size of \(batchSize) saves nothing. Use a positive number.",
                entity: Trees.Element.Entity.entityName)
        }
        var result = TreeSaveResult()
        var savedTrees = 0
        func save(_ batch: [Trees.Element]) async throws {
            let first = savedTrees
            result += try await write {
                try $0.saveBatch(of: batch, from: first, on: attributes, repeats: repeats)
            }
            savedTrees += batch.count
        }
        do {
            var batch: [Trees.Element] = []
            for try await tree in trees {
                batch.append(tree)
                guard batch.count == batchSize else { continue }
                try await save(batch)
                batch.removeAll()
            }
            try Task.checkCancellation()
            if !batch.isEmpty { try await save(batch) }
        } catch {
            throw StoreError(error, after: savedTrees, entity: Trees.Element.Entity.entityName)
        }
        return result
    }
}

extension StoreError {
    /// Creates the error of a sequence of trees, of which the first ones are saved.
    fileprivate init(_ error: any Error, after savedTrees: Int, entity: String) {
        let progress =
            savedTrees == 0
            ? "None of the trees is saved." : "The first \(savedTrees) trees are saved; continue with the next one."
        guard let cause = error as? StoreError else {
            let reason =
                error is CancellationError ? "The task was cancelled." : "The sequence of trees failed: \(error)."
            self.init(.interrupted, "\(reason) \(progress)", entity: entity, cause: error, savedTrees: savedTrees)
            return
        }
        self.init(
            cause.code, "\(cause.message) \(progress)", entity: cause.entity, attribute: cause.attribute,
            cause: cause.cause, rows: cause.rows, path: cause.path, issues: cause.issues, savedTrees: savedTrees)
    }
}
