import SwormStore

extension NSFetchRequest {
    /// Returns the amount of data that the request reads at a time.
    ///
    /// - Throws: A ``CoreDataError`` that names a step that is not a relationship.
    func reading(_ specification: FetchSpecification, in model: CompiledModel) throws -> FetchReading {
        FetchReading(
            prefetch: try (relationshipKeyPathsForPrefetching ?? []).map { path in
                let names = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
                return try PrefetchPath(names, entity: specification.entity, model: model)
            },
            batchSize: fetchBatchSize > 0 ? fetchBatchSize : includesPropertyValues ? 0 : RowSet.batchSize,
            returnsFaults: returnsObjectsAsFaults)
    }
}
