#if PostgreSQL
import SwormPostgres
import SwormPredicates

/// The values that rows of a server compute for themselves. They are all computed before the first one is written, because
/// they may depend on each other.
struct ServerComputedValues {
    /// The number of rows whose values are computed in memory at once.
    private static let portion = 10_000

    let places: [ServerColumns.Attribute]
    /// The values of each row, in the order of the positions.
    private var rows: [Int64: [ServerValue]] = [:]

    var isEmpty: Bool { places.isEmpty }

    /// Computes the values of rows.
    ///
    /// - Parameters:
    ///   - values: The attributes with their expressions.
    ///   - entity: The entity at which the expressions start.
    ///   - keys: The keys of the rows.
    /// - Throws: An error for a value that a save would reject.
    init(
        _ values: [(place: ServerColumns.Attribute, expression: ExpressionTree)], of entity: CompiledEntity,
        keys: [Int64], in work: ServerBatch
    ) throws {
        places = values.map(\.place)
        guard !values.isEmpty else { return }
        rows.reserveCapacity(keys.count)
        for (index, value) in values.enumerated() {
            let computed = ComputedValue(attribute: value.place.attribute, expression: value.expression)
            if let result = try Self.onServer(computed, of: entity, keys: keys, in: work) {
                for row in 0..<result.rowCount {
                    guard let key = try result.int64(row, column: 0) else { continue }
                    let stored = try result.serverValue(row, column: 1, as: value.place.type)
                    let value = stored.value(as: value.place.attribute.type) ?? .null
                    try set(value, at: index, ofRow: key, of: entity)
                }
            } else {
                try Self.inMemory(computed, of: entity, keys: keys, in: work) { key, value in
                    try set(value, at: index, ofRow: key, of: entity)
                }
            }
        }
    }

    /// Returns the value of a row.
    func value(_ place: Int, ofRow key: Int64) -> ServerValue { rows[key]?[place] ?? .null }

    /// Returns the values of rows in their order.
    func column(_ place: Int, ofRows keys: [Int64]) -> [ServerValue] { keys.map { value(place, ofRow: $0) } }

    private mutating func set(
        _ value: AttributeValue, at index: Int, ofRow key: Int64, of entity: CompiledEntity
    ) throws {
        let place = places[index]
        do {
            let checked = try entity.checked(value, slot: place.slot)
            let stored = try ServerValue(checked, for: place, of: entity)
            rows[key, default: Array(repeating: .null, count: places.count)][index] = stored
        } catch let error as CoreDataError {
            throw CoreDataError.computedValue(ofRow: key, of: entity, place.attribute, cause: error)
        }
    }

    // MARK: Computing

    /// Returns the keys and the values, or nil if the server cannot compute them exactly.
    private static func onServer(
        _ value: ComputedValue, of entity: CompiledEntity, keys: [Int64], in work: ServerBatch
    ) throws -> PostgresResult? {
        do {
            let statement = try SQLStatement(work.compiler.computed(value, of: entity.number, among: keys))
            // A date can be one that the server's type does not have.
            return value.expression.computesNumbers || value.attribute.type.isNumber || value.attribute.type == .date
                ? try work.connection.runBehindSavepoint(statement) : try work.connection.run(statement)
        } catch is NotExact {
            return nil
        } catch let error as ServerError where error.isOutOfRange {
            return nil
        }
    }

    private static func inMemory(
        _ value: ComputedValue, of entity: CompiledEntity, keys: [Int64], in work: ServerBatch,
        _ body: (Int64, AttributeValue) throws -> Void
    ) throws {
        // An expression of another type than the attribute is an error, as for a file.
        _ = try work.schema.reading.validator.computed(value, of: entity.number, among: [])
        var names = ReadNames()
        names.add(value.expression)
        let search = try work.session.search(
            FetchSpecification(entity: entity.number), reading: names, among: keys, on: work.connection)
        let tree = ProjectionTree([value.expression])
            .roundingDates(in: work.compiler.layout, model: work.model, entity: entity.number)
        let projection = try PreparedProjection(tree)
        for start in stride(from: 0, to: keys.count, by: portion) {
            let rows = try search.rows(withKeys: Array(keys[start..<min(start + portion, keys.count)]))
            for (row, values) in zip(rows, try projection.rows(of: rows)) {
                do {
                    try body(row.key, (values.first ?? .null).converted(for: value.attribute))
                } catch let error as CoreDataError where error.entity == nil {
                    throw CoreDataError.computedValue(ofRow: row.key, of: entity, value.attribute, cause: error)
                }
            }
        }
    }
}
#endif
