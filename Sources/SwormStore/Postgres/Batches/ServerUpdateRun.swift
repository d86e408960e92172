#if PostgreSQL
import Foundation
import SwormPostgres
import SwormPredicates

/// An update of all rows of a request on a server, with the results of ``BatchUpdateRun``.
struct ServerUpdateRun {
    let batch: BatchUpdate
    let work: ServerBatch
    let columns: ServerColumns

    /// A value for a column of all rows.
    typealias Assignment = (place: ServerColumns.Attribute, value: ServerValue)

    init(_ batch: BatchUpdate, in work: ServerBatch) {
        self.batch = batch
        self.work = work
        columns = work.schema.columns[batch.specification.entity - 1]
    }

    var entity: CompiledEntity { columns.entity }

    func run() throws -> BatchResult {
        let assignments = try batch.values.compactMap { slot, value -> Assignment? in
            guard let place = columns.attribute(slot) else { return nil }
            return (place, try work.stored(value, for: place, of: entity))
        }
        let computed = batch.computed.compactMap { slot, expression in
            columns.attribute(slot).map { (place: $0, expression: expression) }
        }
        guard !assignments.isEmpty || !computed.isEmpty else { return BatchResult() }
        // If individual rows are needed, they must be found before the statement changes the values that the request
        // compares.
        if computed.isEmpty, !batch.namesRows, let result = try updateAtOnce(assignments) {
            return result
        }
        return try updateKnownRows(assignments, computed: computed)
    }

    // MARK: One statement

    /// Updates the rows by the condition of the request.
    ///
    /// - Returns: Nil, with nothing changed, if there is no exact statement.
    private func updateAtOnce(_ assignments: [Assignment]) throws -> BatchResult? {
        let values = assignments.map { ColumnAssignment(column: $0.place.column, value: SQLBinding($0.value)) }
        let (specification, leavesEqual) = (batch.specification, batch.leavesEqualRows)
        let results: [PostgresResult]?
        do {
            results = try writing(assignments.map(\.place)) {
                try work.runIfExact(specification) {
                    // In the snapshot of the transaction, both find the same rows.
                    var update = try work.compiler.update(specification, set: values, leavingEqual: leavesEqual)
                    if work.notesRows { update.sql += " RETURNING t0.\(work.key)" }
                    guard leavesEqual else { return [try work.expectedCount(specification), update] }
                    return [try work.compiler.countDifferences(specification, from: values), update]
                }
            }
        } catch let taken as TakenValues {
            throw try error(of: taken, inRows: work.identities(specification).map(\.key), assignments)
        }
        guard let results, let update = results.last else { return nil }
        if !leavesEqual { try work.require(results[0], in: update, verb: "change", of: entity) }
        try note(work.notesRows ? update.keys() : [], places: assignments.map(\.place))
        guard leavesEqual else { return BatchResult(count: update.affectedRows) }
        let found = try results[0].int(0, column: 0) ?? 0
        let different = try results[0].int(0, column: 1) ?? 0
        try require(different, of: update)
        return BatchResult(count: found, hasChanged: different > 0)
    }

    /// Throws an error if a statement changed fewer rows than required.
    private func require(_ count: Int, of update: PostgresResult) throws {
        guard update.affectedRows < count else { return }
        throw work.ignoredChange("change objects of \(entity.name)", of: entity, in: columns.table)
    }

    // MARK: Known rows

    private func updateKnownRows(
        _ assignments: [Assignment],
        computed: [(place: ServerColumns.Attribute, expression: ExpressionTree)]
    ) throws -> BatchResult {
        var rows = try work.identities(batch.specification)
        var result = BatchResult(count: rows.count)
        let values = try ServerComputedValues(computed, of: entity, keys: rows.map(\.key), in: work)
        if batch.leavesEqualRows {
            let different = try keysOfDifferentRows(rows.map(\.key), from: assignments)
            rows.removeAll { !different.contains($0.key) }
            result.hasChanged = !rows.isEmpty
        }
        if batch.namesRows { result.rows = rows }
        guard !rows.isEmpty else { return result }
        let keys = rows.map(\.key)
        let statement = try statement(keys, assignments: assignments, values: values)
        let places = assignments.map(\.place) + values.places
        do {
            let update = try exchangingValues(of: places, computed: values.places, inRows: keys) { clearing in
                try work.connection.run(clearing + [statement]).last
            }
            if let update { try require(keys.count, of: update) }
        } catch let taken as TakenValues {
            throw try error(of: taken, inRows: keys, assignments, values)
        }
        try note(keys, places: places)
        return result
    }

    /// Notes that columns of rows were changed.
    private func note(_ keys: [Int64], places: [ServerColumns.Attribute]) throws {
        work.write.changes?.note(.update, of: keys, root: entity.root)
        let names = places.map { entity.name(of: .attribute($0.slot)) }
        work.write.history?.change(keys, root: entity.root, properties: Set(names))
        work.write.derivation?.noteChanged(
            keys, root: entity.root, columns: places.map(\.column), ownValuesAreWritten: false)
        _ = try work.write.settleDerivedValues()
    }

    private func keysOfDifferentRows(_ keys: [Int64], from assignments: [Assignment]) throws -> Set<Int64> {
        let parameters = Parameters()
        parameters.append(keys: keys)
        let tests = try assignments.map { place, value in
            "\(place.column) IS DISTINCT FROM \(try work.append(value, for: place, of: entity, to: parameters))"
        }
        let condition = tests.isEmpty ? "" : " AND (\(tests.joined(separator: " OR ")))"
        let found = try work.connection.run(
            "SELECT \(work.key) FROM \(columns.table) WHERE \(work.key) = ANY($1)\(condition)", with: parameters)
        return Set(try (0..<found.rowCount).compactMap { try found.int64($0, column: 0) })
    }

    /// Returns the statement that updates rows.
    private func statement(
        _ keys: [Int64], assignments: [Assignment], values: ServerComputedValues
    ) throws -> SQLStatement {
        let parameters = Parameters()
        parameters.append(keys: keys)
        var list = try assignments.map { place, value in
            "\(place.column) = \(try work.append(value, for: place, of: entity, to: parameters))"
        }
        var names: [String] = []
        for (index, place) in values.places.enumerated() {
            guard parameters.append(values.column(index, ofRows: keys), as: place.type) else {
                throw work.tooLong(place, of: entity)
            }
            names.append("v\(index)")
            list.append("\(place.column) = u.v\(index)")
        }
        list.append(work.compiler.versionAssignment(of: "t0"))
        let set = "UPDATE \(columns.table) AS t0 SET \(list.joined(separator: ", "))"
        guard !names.isEmpty else {
            return SQLStatement("\(set) WHERE t0.\(work.key) = ANY($1)", with: parameters)
        }
        let arrays = (0...names.count).map { "$\($0 == 0 ? 1 : parameters.count - names.count + $0)" }
        return SQLStatement(
            "\(set) FROM unnest(\(arrays.joined(separator: ", "))) u(k, \(names.joined(separator: ", "))) WHERE t0.\(work.key) = u.k",
            with: parameters)
    }
}

extension SQLBinding {
    /// Creates the parameter for a value that a column stores.
    init(_ value: ServerValue) {
        self =
            switch value {
            case .null: .null
            case .integer(let number): .int64(number)
            case .real(let number): .double(number)
            case .boolean(let flag): .bool(flag)
            case .text(let text): .text(text)
            case .bytes(let data): .blob(data)
            case .uuid(let uuid): .uuid(uuid)
            case .date(let date): .date(date.timeIntervalSinceReferenceDate)
            case .decimal(let number): .decimal(number)
            }
    }
}
#endif
