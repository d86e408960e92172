// How much is read at a time. It changes nothing of what a request finds.
extension Request {
    /// With the objects at the ends of relations, as they are going to be asked for.
    ///
    /// ```swift
    /// for author in try context.fetch(Author.all.prefetch(\.books, \.books.publisher)) {
    ///     for book in author.books { print(try book.decode().title, try book.publisher?.decode().name ?? "") }
    /// }
    /// ```
    /// They are read with the fetch, for a thousand objects by one statement: how many objects there are does not show in the
    /// number of statements, and no later line of the closure waits for the store. A path may lead over any number of
    /// relations, to one and to many. All that is read stays in memory as long as the handles; ``batchSize(_:)`` bounds it.
    ///
    /// It counts where handles are fetched, by ``ManagedObjectContext/fetch(_:)`` and
    /// ``ManagedObjectContext/fetchOne(_:)``. Values, columns and counts read no relations.
    ///
    /// - Parameters:
    ///   - relation: A relation, or relations one behind another.
    ///   - others: More of them.
    public func prefetch<First: ManagedObjectConvertible, each Other: ManagedObjectConvertible>(
        _ relation: KeyPath<RelationPath<PlainObject>, RelationPath<First>>,
        _ others: repeat KeyPath<RelationPath<PlainObject>, RelationPath<each Other>>
    ) -> Request {
        let row = RelationPath<PlainObject>(names: [])
        var paths = [row[keyPath: relation].names]
        repeat paths.append(row[keyPath: each others].names)
        return with { content in
            for path in paths {
                if path.isEmpty {
                    content.fail(PlainObject.entityName, "prefetch takes relations, and \\.self is none.")
                } else if !content.prefetch.contains(path) {
                    content.prefetch.append(path)
                }
            }
        }
    }

    /// With the rows of so many objects read at a time, when the first of them is asked for something.
    ///
    /// ```swift
    /// for book in try context.fetch(Book.all.sort(\.title).batchSize(500)) { print(try book.decode().title) }
    /// ```
    /// The fetch reads the ids of all objects. The rows, and what is prefetched with them, come a batch at a time, by one
    /// statement each, and only the batches that were used last are held: memory grows by a handle and an id for each object,
    /// and not by the rows. A handle that was written through, or whose relations to one were set, keeps its own row and with
    /// it its batch. An object that was deleted before its batch was read throws, as every deleted one does.
    ///
    /// All rows are read at once where unsaved changes of this `perform` bear on the request, and where several stores answer
    /// it. To go over values instead of handles, ``ManagedObjectContext/forEach(_:_:)`` needs no batches: it holds one.
    ///
    /// - Parameter value: The number; zero means all at once, as it does in Core Data.
    public func batchSize(_ value: Int) -> Request {
        with {
            $0.batchSize = value
            if value < 0 { $0.fail(PlainObject.entityName, "a batch size of \(value) is below zero.") }
        }
    }
}
