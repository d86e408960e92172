import SwormPredicates

// Columns instead of objects.
extension ManagedObjectContext {
    /// Returns the rows of a projection.
    ///
    /// The result includes unsaved changes of this `perform`.
    ///
    /// - Parameter projection: The projection; see ``Request/select(_:_:)``.
    /// - Throws: A ``StoreError`` if the projection is invalid, a number overflows, or the store fails.
    ///   ``AttributeError/badAttribute(_:)`` if the type cannot hold a value.
    public func fetch<PlainObject: ManagedObjectConvertible, Row>(
        _ projection: Projection<PlainObject, Row>
    ) throws -> sending [Row] {
        let rows = try rows(of: projection, projection.reader)
        // This call created every row, and nothing else references it.
        nonisolated(unsafe) let given = rows
        return given
    }

    /// Returns the first row of a projection, or nil if there are no rows.
    ///
    /// - Parameter projection: The projection. For groups and distinct rows, the result is the first one in their
    ///   order.
    /// - Throws: The errors of ``fetch(_:)->[Row]``.
    public func fetchOne<PlainObject: ManagedObjectConvertible, Row>(
        _ projection: Projection<PlainObject, Row>
    ) throws -> sending Row? {
        try fetch(projection).first
    }

    /// Returns the rows of a projection for a live request, with the values by which they are compared.
    func liveRows<PlainObject: ManagedObjectConvertible, Row: Sendable>(
        of projection: Projection<PlainObject, Row>
    ) throws -> LiveProjectionRows<Row> {
        func read<Reader: RowReading<Row>>(_ reader: Reader) throws -> LiveProjectionRows<Row> {
            switch try columns(of: projection, reader) {
            case .raw(let raw):
                LiveProjectionRows(rows: try raw.map(reader.row), values: raw.map(Reader.values))
            case .values(let values): LiveProjectionRows(rows: try values.map(reader.row), values: values)
            }
        }
        return try read(projection.reader)
    }

    private func rows<PlainObject, Reader: RowReading>(
        of projection: Projection<PlainObject, Reader.Row>, _ reader: Reader
    ) throws -> [Reader.Row] {
        switch try columns(of: projection, reader) {
        case .raw(let raw): try raw.map(reader.row)
        case .values(let values): try values.map(reader.row)
        }
    }

    private enum Columns<Raw> {
        case raw([Raw])
        case values([[AttributeValue]])
    }

    private func columns<PlainObject, Reader: RowReading>(
        of projection: Projection<PlainObject, Reader.Row>, _ reader: Reader
    ) throws -> Columns<Reader.Raw> {
        let binding = try binding(for: PlainObject.self)
        let (request, tree) = try projection.checked()
        record(request, of: binding.mapping, attributes: [])
        bindings.recorder?.note(tree, of: bindings.description(of: binding.mapping.entityName))
        try request.validate()
        if tree.groupLimit == 0 { return .raw([]) }
        let raw = try translatingErrors {
            try instance.project(tree, of: request, entity: binding.entity, with: reader)
        }
        if let raw { return .raw(raw) }
        return .values(try translatingErrors { try values(request, tree, of: binding.entity) })
    }

    /// Returns the rows as computed from objects, if unsaved changes must be merged.
    private func values(
        _ request: RequestContent, _ tree: ProjectionTree, of entity: ModelEntity
    ) throws -> [[AttributeValue]] {
        let prepared = try PreparedProjection(tree)
        var request = request
        // Limit and offset apply to groups and distinct rows after these are complete.
        var (limit, offset) = (tree.groupLimit, tree.groupOffset)
        if tree.form == .distinct {
            (limit, offset) = (request.limit, request.offset)
            (request.limit, request.offset) = (request.limit == 0 ? 0 : nil, 0)
        }
        let subjects = try instance.fetchObjects(request, of: entity).map(\.predicateSubject)
        let rows = try prepared.rows(of: subjects) { try instance.checkInterruption() }
        return Array(rows.dropFirst(offset).prefix(limit ?? .max))
    }
}
