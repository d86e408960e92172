#if !canImport(CoreData)
import OpenCoreData
import SwormPredicates
import SwormSQLite
import SwormRows
import SwormStore

extension RequestContent {
    /// Returns the request in the form that a store receives.
    ///
    /// - Throws: The first error of the request.
    func specification(of entity: CompiledEntity) throws -> FetchSpecification {
        var specification = FetchSpecification(entity: entity.number)
        let predicate = try predicateTree()
        // For the store, a limit of zero means all rows.
        specification.predicate = limit == 0 ? .constant(false) : predicate
        if !sorts.isEmpty {
            specification.sorts = sorts.map { FetchSpecification.Sort(path: $0.path, ascending: $0.ascending) }
        }
        specification.includesSubentities = !isExact
        specification.limit = limit ?? 0
        specification.offset = offset
        return specification
    }
}

// The requests of Sworm. Each method throws the first error of the request, if it is invalid.
extension NSManagedObjectContext {
    /// Returns the objects that a request finds.
    ///
    /// - Parameter prefetching: Whether the relations and the batch size of the request are respected, because the
    ///   objects are handled one by one.
    func fetchObjects(
        _ request: RequestContent, of entity: ModelEntity, prefetching: Bool = false
    ) throws -> [NSManagedObject] {
        try fetchObjects(
            request.specification(of: entity),
            reading: prefetching ? try reading(request, of: entity) : FetchReading())
    }

    /// Returns the objects that a request finds in the store, without regard to unsaved changes.
    func fetchSavedObjects(_ request: RequestContent, of entity: ModelEntity) throws -> [NSManagedObject] {
        try fetchObjects(request.specification(of: entity), includesPendingChanges: false)
    }

    /// Returns the entity of requests for the objects of a description.
    func modelEntity(of description: NSEntityDescription) -> ModelEntity? {
        compiledModel?.entity(named: description.stableName)
    }

    /// Returns the rows that a request finds; nil if the request must be answered with objects.
    func fetchRows(_ request: RequestContent, of entity: ModelEntity) throws -> FetchedRows? {
        try fetchRows(request.specification(of: entity), reading: try reading(request, of: entity))
    }

    /// Returns which relations a request prefetches, and its batch size.
    private func reading(_ request: RequestContent, of entity: ModelEntity) throws -> FetchReading {
        guard let model = compiledModel, !request.prefetch.isEmpty else {
            return FetchReading(batchSize: request.batchSize)
        }
        return FetchReading(
            prefetch: try request.prefetch.map { try PrefetchPath($0, entity: entity.number, model: model) },
            batchSize: request.batchSize)
    }

    /// Returns the number of objects that a request finds.
    func countObjects(_ request: RequestContent, of entity: ModelEntity) throws -> Int {
        try count(request.specification(of: entity))
    }

    /// Deletes all objects that a request finds, and applies the delete rules of their relationships.
    func deleteObjects(_ request: RequestContent, of entity: ModelEntity) throws -> Int {
        try delete(request.specification(of: entity))
    }

    // MARK: Values

    /// Decodes values directly from rows. Returns nil if they must be read through objects.
    func decode<T>(_ request: RequestContent, with binding: EntityBinding<T>) throws -> [T]? {
        guard let rows = binding.rows else { return nil }
        let specification = try request.specification(of: binding.entity)
        do {
            return try decode(specification, attributes: rows.columns, plan: rows.plan)
        } catch {
            throw binding.named(error)
        }
    }

    /// Decodes values directly from rows, one at a time. With `first`, only the first value is decoded, into that
    /// memory.
    ///
    /// - Returns: Whether the values could be read this way. If not, they must be read through objects.
    func forEach<T>(
        _ request: RequestContent, with binding: EntityBinding<T>, at first: UnsafeMutablePointer<T>?,
        body: (UnsafeMutablePointer<T>) throws -> Void
    ) throws -> Bool {
        guard let rows = binding.rows else { return false }
        let specification = try request.specification(of: binding.entity)
        do {
            return try forEach(specification, attributes: rows.columns, plan: rows.plan, at: first, body: body)
        } catch {
            throw binding.named(error)
        }
    }

    /// Reads the values of one attribute directly from rows. Returns nil if they must be read through objects.
    func column<T>(
        at index: Int, of request: RequestContent, with binding: EntityBinding<T>
    ) throws -> [AttributeValue]? {
        let slot = binding.attributes[index]
        guard slot >= 0 else { return nil }
        let attribute = binding.entity.attributes[slot]
        if attribute.allowsExternalStorage || attribute.isTransient { return nil }
        let kind = binding.mapping.attributes[index].kind
        let apply: @Sendable (inout AttributeValue, borrowing ColumnView) throws -> Void = { value, view in
            value = try kind.value(in: view)
        }
        let plan = RowPlan<AttributeValue>(
            ops: [], customs: [RowPlan<AttributeValue>.Custom(column: 1, apply: apply)], template: .null)
        let specification = try request.specification(of: binding.entity)
        do {
            return try decode(specification, attributes: [slot], plan: plan)
        } catch {
            throw binding.named(error)
        }
    }

    /// Reads the rows of a projection directly from the store. Returns nil if they must be computed from objects.
    func project<Reader: RowReading>(
        _ tree: ProjectionTree, of request: RequestContent, entity: ModelEntity, with reader: Reader
    ) throws -> [Reader.Raw]? {
        let projection = ProjectionSpecification(fetch: try request.specification(of: entity), tree: tree)
        guard let cells = Reader.cells else { return nil }
        do {
            return try project(projection) { columns in
                var ops: [RowOp] = []
                for (index, (cell, column)) in zip(cells, columns).enumerated() {
                    ops.append(
                        RowOp(
                            column: Int32(index), kind: FieldKind(cell.kind, isOptional: true), offset: cell.offset,
                            isExternal: column.content == .externalData))
                }
                return RowPlan(ops: ops) { Reader.empty() }
            }
        } catch {
            guard let issue = error.asCoreData?.cause as? DecodingFailure, cells.indices.contains(issue.column) else {
                throw error
            }
            let (name, kind) = (reader.names[issue.column], cells[issue.column].kind)
            if kind.isInteger, Double(issue.excerpt) != nil {
                throw StoreError.overflow(name, value: issue.excerpt, kind: kind, entity: entity.name)
            }
            throw AttributeError.badAttribute(
                .init(
                    name: name, entity: entity.name, expectedType: "\(kind)", value: issue.storedValue,
                    originalError: translatedError(error)))
        }
    }
}

extension EntityBinding {
    /// Converts the error of a value that does not fit its property into the error that decoding an object throws.
    func named(_ error: any Error) -> any Error {
        if let kind = error as? UnknownRowKind { return missingCase(ofEntity: entityName(of: Int(kind.number))) }
        guard let failure = error.asCoreData, let issue = failure.cause as? DecodingFailure else { return error }
        return attributeError(failure, issue) ?? error
    }

    /// Returns the error of a value that does not fit its property; nil if the property belongs to another type.
    fileprivate func attributeError(_ failure: CoreDataError, _ issue: DecodingFailure) -> AttributeError? {
        if let owner = failure.entity, inherits(fromEntityNamed: owner),
            let index = failure.key.flatMap({ mapping.index(named: $0) })
        {
            return mapping.attributeError(at: index, stored: issue.storedValue, cause: translatedError(failure))
        }
        return cases?.all.lazy.compactMap { $0.attributeError(failure, issue) }.first
    }
}

extension SubentityBinding {
    fileprivate func attributeError(_ failure: CoreDataError, _ issue: DecodingFailure) -> AttributeError? {
        binding.attributeError(failure, issue)
    }
}

extension DecodingFailure {
    /// The stored value in messages.
    fileprivate var storedValue: String { excerpt.isEmpty ? found : "\(found) (\(excerpt))" }
}
#endif
