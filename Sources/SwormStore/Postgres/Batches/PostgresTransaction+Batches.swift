#if PostgreSQL
extension PostgresTransaction {
    func insert(_ batch: RowBatch) throws -> BatchCounts {
        try self.batch(by: HistoryAuthor(batch), changing: { WrittenProperties(batch) }) { work in
            guard case .reject = batch.takenValues else { return try ServerSettlingInsertion(batch, in: work).run() }
            return try ServerInsertion(batch, in: work).run(batch)
        }
    }

    func upsert(_ batch: RowBatch, by rules: [UpsertRule]) throws -> BatchCounts? {
        let plans = zip(batch.layouts, rules).compactMap { UpsertPlan($0, $1, schema: schema) }
        guard plans.count == batch.layouts.count else { return nil }
        return try self.batch(by: HistoryAuthor(batch), changing: { WrittenProperties(batch) }) { work in
            try ServerUpsert(batch, plans, in: work)?.run(batch)
        }
    }

    func update(_ batch: BatchUpdate) throws -> BatchResult {
        let author = HistoryAuthor(author: batch.author, contextName: batch.contextName)
        return try self.batch(by: author, changing: { WrittenProperties(batch, model: store.model) }) { work in
            try ServerUpdateRun(batch, in: work).run()
        }
    }

    func delete(_ batch: BatchDeletion) throws -> BatchResult {
        let author = HistoryAuthor(author: batch.author, contextName: batch.contextName)
        return try self.batch(by: author, changing: { WrittenProperties(batch, model: store.model) }) { work in
            try ServerDeletionRun(batch, in: work).run()
        }
    }

    private func batch<Output>(
        by author: HistoryAuthor, changing properties: () -> WrittenProperties,
        _ body: (ServerBatch) throws -> Output
    ) throws -> Output {
        try write(by: author, changing: properties) { try body(ServerBatch(write: $0, session: self)) }
    }
}

extension HistoryAuthor {
    fileprivate init(_ batch: RowBatch) { self.init(author: batch.author, contextName: batch.contextName) }
}
#endif
