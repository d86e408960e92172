import SwormPredicates
import SwormStore

/// A cursor over objects and the values of some of their properties, which can be written in each form of the tool.
struct ValueReading {
    let cursor: any ProjectionCursor
    /// The columns of the properties, after that of the object.
    private let columns: ArraySlice<ValueColumn>
    private let object: ValueColumn
    private let writer: RowWriter

    /// - Parameters:
    ///   - names: The paths of the properties, whose names are joined by periods.
    ///   - fetch: The objects.
    init(
        _ names: [String], of entity: CompiledEntity, matching fetch: FetchSpecification, in store: StoreReader
    ) throws {
        let paths = names.map { ExpressionTree.path($0.split(separator: ".").map(String.init)) }
        try self.init(paths, of: entity, matching: fetch, in: store)
    }

    init(
        _ values: [ExpressionTree], of entity: CompiledEntity, matching fetch: FetchSpecification, in store: StoreReader
    ) throws {
        let expressions = [.evaluatedObject] + values
        cursor = try store.session.cursor(ProjectionSpecification(fetch: fetch, tree: ProjectionTree(expressions)))
        let all = ValueColumn.columns(
            cursor.columns, titles: expressions.map { _ in "" }, expressions: expressions, entity: entity,
            model: store.model)
        object = all[0]
        columns = all.dropFirst()
        writer = RowWriter(
            all, blobs: .hash, model: store.model, session: store.session, missingFiles: store.missingFiles)
    }

    /// The key of the object in the current row.
    var key: Int64 { cursor.int64(object.cell) }

    func isNull(_ index: Int) -> Bool { cursor.isNull(column(index).cell) }

    /// Returns a value as text for people; an empty string for nil.
    func text(_ index: Int) throws -> String { try writer.text(column(index), of: cursor) }

    /// Returns a value as JSON.
    func json(_ index: Int) throws -> JSONValue {
        let sink = ByteSink()
        try writer.writeJSON(column(index), of: cursor, to: sink)
        return .encoded(sink.text)
    }

    /// Returns a value as a whole number, such as that of a path that ends in `@count`.
    func count(_ index: Int) -> Int { Int(clamping: cursor.int64(column(index).cell)) }

    /// Returns the object that a to-one relationship refers to; nil if it refers to none. The entity is 0 if the object
    /// does not exist.
    func object(_ index: Int) -> RowID? {
        let cell = column(index).cell
        guard !cursor.isNull(cell) else { return nil }
        return RowID(entity: Int(clamping: cursor.int64(cell + 1)), key: cursor.int64(cell))
    }

    private func column(_ index: Int) -> ValueColumn { columns[columns.startIndex + index] }
}

extension StoreReader {
    /// Returns an object as a value of predicates.
    func reference(to row: RowID) -> ExpressionTree {
        .value(
            .object(
                ObjectReference(
                    storeIdentifier: store.identifier, entityName: model[row.entity].name, key: row.key)))
    }

    /// Returns the predicate that matches objects.
    func predicate(matching rows: [RowID]) -> PredicateTree {
        if rows.count == 1, let row = rows.first {
            return .comparison(Comparison(.evaluatedObject, by: .equal, with: reference(to: row)))
        }
        return .comparison(Comparison(.evaluatedObject, by: .in, with: .list(rows.map(reference))))
    }
}
