// Options that control how much is read at a time. They do not affect the results of a request.
extension Request {
    /// Returns a request that also reads the destinations of relations, before they are accessed.
    ///
    /// ```swift
    /// for author in try context.fetch(Author.all.prefetch(\.books, \.books.publisher)) {
    ///     for book in author.books { print(try book.decode().title, try book.publisher?.decode().name ?? "") }
    /// }
    /// ```
    /// The destinations are read together with the fetch, with one statement for every thousand objects, so that the
    /// closure does not wait for the store later. A path may follow any number of relations, to one and to many. The
    /// results remain in memory as long as the handles; ``batchSize(_:)`` limits them.
    ///
    /// Prefetching applies if you fetch handles, with
    /// ``ManagedObjectContext/fetch(_:)->[ManagedObject<PlainObject>]`` and
    /// ``ManagedObjectContext/fetchOne(_:)->ManagedObject<PlainObject>?``. Values, columns and counts do not read
    /// relations.
    ///
    /// - Parameters:
    ///   - relation: A relation, or a path of relations.
    ///   - others: More relations.
    public func prefetch<First: ManagedObjectConvertible, each Other: ManagedObjectConvertible>(
        _ relation: KeyPath<RelationPath<PlainObject.Entity>, RelationPath<First>>,
        _ others: repeat KeyPath<RelationPath<PlainObject.Entity>, RelationPath<each Other>>
    ) -> Request {
        let row = RelationPath<PlainObject.Entity>(names: [])
        var paths = [row[keyPath: relation].names]
        repeat paths.append(row[keyPath: each others].names)
        return with { content in
            for path in paths {
                if path.isEmpty {
                    content.fail(
                        PlainObject.Entity.entityName,
                        because: "`prefetch` takes relations, and `\\.self` is not a relation.")
                } else if !content.prefetch.contains(path) {
                    content.prefetch.append(path)
                }
            }
        }
    }

    /// Returns a request that reads the rows of its objects in batches, on first access to an object of the batch.
    ///
    /// ```swift
    /// for book in try context.fetch(Book.all.sort(\.title).batchSize(500)) { print(try book.decode().title) }
    /// ```
    /// The fetch reads the ids of all objects. The rows, and the prefetched relations, are read one batch at a time,
    /// with one statement each, and only the most recently used batches are retained: memory use grows by a handle and
    /// an id for each object, but not by the rows. A handle that was used to write, or whose relations to one were set,
    /// retains its row and therefore its batch. If an object is deleted before its batch is read, its handle throws an
    /// error, as for every deleted object.
    ///
    /// All rows are read at once if unsaved changes of this `perform` affect the request, or if it reads several
    /// stores. To iterate over values instead of handles, use ``ManagedObjectContext/forEach(_:_:)``, which needs no
    /// batches because it has only one value in memory.
    ///
    /// - Parameter value: The number of objects in a batch. Zero reads all objects at once, as in Core Data.
    public func batchSize(_ value: Int) -> Request {
        with {
            $0.batchSize = value
            if value < 0 { $0.fail(PlainObject.Entity.entityName, because: "the batch size \(value) is negative.") }
        }
    }
}
