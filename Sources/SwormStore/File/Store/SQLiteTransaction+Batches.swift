extension SQLiteTransaction {
    func insert(_ batch: RowBatch) throws -> BatchCounts {
        try self.batch(
            author: batch.author, contextName: batch.contextName, changing: { WrittenProperties(batch) }
        ) { try $0.insert(batch) }
    }

    func upsert(_ batch: RowBatch, by rules: [UpsertRule]) throws -> BatchCounts? {
        // A store with an inferred model requires every change to be checked, so it uses a save instead.
        guard open.limits == nil else { return nil }
        return try self.batch(
            author: batch.author, contextName: batch.contextName, changing: { WrittenProperties(batch) }
        ) { try $0.upsert(batch, by: rules) }
    }

    func update(_ batch: BatchUpdate) throws -> BatchResult {
        try self.batch(
            author: batch.author, contextName: batch.contextName,
            changing: { WrittenProperties(batch, model: store.model) }
        ) { transaction in
            try BatchUpdateRun(batch, in: transaction, compiler: open.compiler).run()
        }
    }

    func delete(_ batch: BatchDeletion) throws -> BatchResult {
        try self.batch(
            author: batch.author, contextName: batch.contextName,
            changing: { WrittenProperties(batch, model: store.model) }
        ) { transaction in
            try BatchDeletionRun(batch, in: transaction, compiler: open.compiler).run()
        }
    }
}

extension SQLiteStore {
    package var batchRefusal: String? {
        guard let (open, _) = try? writableFiles(), open.limits != nil else { return nil }
        return
            "its model was inferred from the tables, so each object must be checked; open it with its real model"
    }
}
