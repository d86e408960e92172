import SwormPredicates

// Columns instead of objects.
extension ManagedObjectContext {
    /// The rows of a projection.
    ///
    /// Unsaved changes of this `perform` count, as everywhere.
    ///
    /// - Parameter projection: What to read; see ``Request/select(_:)-(KeyPath<EntityPath<PlainObject,PlainObject>,Term<PlainObject,Base,Value>>...)``.
    /// - Throws: A ``StoreError`` when the projection is wrong, a number overflows, or the store fails;
    ///   ``AttributeError/badAttribute(_:)`` for a value that the type cannot hold.
    public func fetch<PlainObject: ManagedObjectConvertible, Row>(
        _ projection: Projection<PlainObject, Row>
    ) throws -> sending [Row] {
        let rows = try rows(of: projection, projection.reader)
        // Every row was made by this call, and nothing else holds it.
        nonisolated(unsafe) let given = rows
        return given
    }

    /// The first row of a projection; nil when there is none.
    ///
    /// - Parameter projection: What to read. A group, or a distinct row, is the first in their order.
    /// - Throws: As ``fetch(_:)-(Projection<_,_>)``.
    public func fetchOne<PlainObject: ManagedObjectConvertible, Row>(
        _ projection: Projection<PlainObject, Row>
    ) throws -> sending Row? {
        try fetch(projection).first
    }

    private func rows<PlainObject, Reader: RowReading>(
        of projection: Projection<PlainObject, Reader.Row>, _ reader: Reader
    ) throws -> [Reader.Row] {
        let binding = try binding(for: PlainObject.self)
        let (request, tree) = try projection.checked()
        let query = try EngineQuery(request, of: binding.entity)
        if tree.groupLimit == 0 { return [] }
        let raw = try Engine.translating { try Engine.project(query, tree, reader, in: instance) }
        if let raw { return try raw.map(reader.row) }
        return try Engine.translating { try values(query, tree) }.map(reader.row)
    }

    /// The rows as they come from the objects, where unsaved changes have to be laid over.
    private func values(_ query: EngineQuery, _ tree: ProjectionTree) throws -> [[AttributeValue]] {
        let prepared = try PreparedProjection(tree)
        var query = query
        // Groups and distinct rows are cut when they are complete.
        var (limit, offset) = (tree.groupLimit, tree.groupOffset)
        if tree.form == .distinct {
            (limit, offset) = (query.limit > 0 ? query.limit : nil, query.offset)
            (query.limit, query.offset) = (0, 0)
        }
        let subjects = try Engine.fetch(query, in: instance).map { Engine.subject($0) }
        let rows = try prepared.rows(of: subjects) { try Engine.checkInterruption(instance) }
        return Array(rows.dropFirst(offset).prefix(limit ?? .max))
    }
}
