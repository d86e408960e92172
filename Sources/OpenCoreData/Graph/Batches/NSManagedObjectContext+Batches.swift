package import SwormPredicates
import SwormStore

extension NSManagedObjectContext {
    /// The operations that write many rows at once.
    final var batches: BatchOperations { BatchOperations(context: self) }

    /// Inserts a row for each value; all of them, or none.
    ///
    /// Unsaved changes are preserved and ignored.
    ///
    /// - Throws: The errors that saving such objects would throw.
    package final func insertRows(_ batch: RowBatch, in stores: [NSPersistentStore]? = nil) throws -> InsertedRows {
        try batches.insert(batch, in: stores)
    }

    /// Inserts a row for each value, or updates the row that has its unique values; all of them, or none.
    ///
    /// Objects without unsaved changes have the new values when they are next used.
    ///
    /// - Parameters:
    ///   - batch: The values.
    ///   - rules: The rule for each entity of the batch.
    /// - Returns: Nil if the operation requires objects, because unsaved changes or several stores are involved, files
    ///   would be left over, or no index of the database enforces the constraint. In this case, nothing was done and
    ///   the values were not requested.
    package final func upsertRows(_ batch: RowBatch, by rules: [UpsertRule]) throws -> BatchCounts? {
        try batches.upsert(batch, by: rules)
    }

    /// Deletes rows by their delete rules, and writes a request; all of it, or nothing.
    ///
    /// - Parameters:
    ///   - request: The request. Its versions are not compared, because it comes from the state that this context reads.
    ///   - rows: The rows to delete.
    ///   - entity: An entity of the store.
    /// - Returns: False if the operation requires objects, because of unsaved changes, several stores, or a custom class that
    ///   observes changes of its objects. Nothing was written in that case.
    /// - Throws: The errors of a save. Nothing was written in that case either.
    package final func writeRows(_ request: SaveRequest, deleting rows: [RowID], of entity: Int) throws -> Bool {
        try batches.write(request, deleting: rows, of: entity)
    }

    /// Assigns new values to attributes of all objects that a request finds.
    ///
    /// Unsaved changes are included. If they affect the request, if several stores serve it, or if a custom class
    /// observes changes of its objects, the objects are changed one by one, and are written by the next save.
    ///
    /// - Parameter values: The values by attribute slot. If a slot occurs twice, the later value is used.
    /// - Returns: The number of objects.
    /// - Throws: The errors of values that a save would reject, regardless of what the request finds; and the store's
    ///   error.
    package final func update(
        _ specification: FetchSpecification, setting values: [(slot: Int, value: AttributeValue)]
    ) throws -> Int {
        try batches.update(specification, setting: values)
    }

    /// Deletes all objects that a request finds, and applies delete rules.
    ///
    /// Unsaved changes are included. If they affect the deletion, if several stores serve the request, or if a custom
    /// class observes the deletion of its objects, the objects are deleted one by one, and the next save writes the
    /// deletions.
    ///
    /// - Returns: The number of objects that the request found.
    /// - Throws: The error of a relationship that denies the deletion or must not be empty; and the store's error.
    package final func delete(_ specification: FetchSpecification) throws -> Int {
        try batches.delete(specification)
    }

    /// Returns whether there are unsaved changes of objects of a hierarchy, which is identified by the number of its
    /// root entity.
    package final func hasChanges(ofHierarchy root: Int) -> Bool {
        guard hasChanges else { return false }
        return [insertedList, updatedList, deletedList].contains { list in
            list.objects.contains { $0.compiledEntity.root == root }
        }
    }
}
