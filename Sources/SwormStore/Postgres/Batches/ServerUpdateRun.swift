#if PostgreSQL
import Foundation
import SwormPostgres
import SwormPredicates

/// An update of all rows of a request on a server, with the results of ``BatchUpdateRun``.
struct ServerUpdateRun {
    private let batch: BatchUpdate
    private let work: ServerBatch
    private let columns: ServerColumns

    /// A value for a column of all rows.
    private typealias Assignment = (place: ServerColumns.Attribute, value: ServerValue)

    init(_ batch: BatchUpdate, in work: ServerBatch) {
        self.batch = batch
        self.work = work
        columns = work.schema.columns[batch.specification.entity - 1]
    }

    private var entity: CompiledEntity { columns.entity }

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
        return try updateKnownRows(assignments, computed)
    }

    // MARK: One statement

    /// Updates the rows by the condition of the request.
    ///
    /// - Returns: Nil, with nothing changed, if there is no exact statement.
    private func updateAtOnce(_ assignments: [Assignment]) throws -> BatchResult? {
        let values = assignments.map { ColumnAssignment(column: $0.place.column, value: SQLBinding($0.value)) }
        let (specification, leavesEqual) = (batch.specification, batch.leavesEqualRows)
        let results = try writing(assignments) {
            try work.runIfExact(specification) {
                // In the snapshot of the transaction, both find the same rows.
                var update = try work.compiler.update(specification, set: values, leavingEqual: leavesEqual)
                if work.notesRows { update.sql += " RETURNING t0.\(work.key)" }
                guard leavesEqual else { return [update] }
                return [try work.compiler.countDifferences(specification, from: values), update]
            }
        }
        guard let results, let update = results.last else { return nil }
        try note(work.notesRows ? update.keys() : [], assignments.map(\.place))
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
        _ computed: [(place: ServerColumns.Attribute, expression: ExpressionTree)]
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
        let statement = try statement(keys, assignments, values)
        let update: PostgresResult?
        do {
            update = try writing(assignments, computed: values.places) { try work.connection.run(statement) }
        } catch let error as TakenValues where !values.isEmpty {
            update = try exchangeValues(keys, assignments, values, statement, error)
        }
        if let update { try require(keys.count, of: update) }
        try note(keys, assignments.map(\.place) + values.places)
        return result
    }

    /// Notes that columns of rows were changed.
    private func note(_ keys: [Int64], _ places: [ServerColumns.Attribute]) throws {
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
        _ keys: [Int64], _ assignments: [Assignment], _ values: ServerComputedValues
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

    // MARK: Unique values

    /// An error of unique values that the rows compute.
    private struct TakenValues: Error {
        var error: CoreDataError
    }

    /// Runs statements that set columns, behind a savepoint if they may violate a uniqueness constraint.
    ///
    /// - Parameters:
    ///   - assignments: The values for all rows.
    ///   - computed: The columns of the values that rows compute.
    private func writing<Result>(
        _ assignments: [Assignment], computed: [ServerColumns.Attribute] = [], _ body: () throws -> Result
    ) throws -> Result {
        let touched = constraints(of: assignments.map(\.place) + computed)
        guard !touched.isEmpty else { return try body() }
        do {
            return try work.connection.savepoint(body)
        } catch let error as ServerError where error.kind == .uniqueViolation {
            let properties = work.schema.subject(of: error)?.properties
            let constraint = touched.first { $0.properties == properties } ?? touched.first
            let taken = CoreDataError.takenValues(of: batch, constraint?.properties, entity: entity, cause: error)
            guard computed.isEmpty else { throw TakenValues(error: taken) }
            throw try constraint.map { try isVisible($0, assignments) } ?? true ? taken : work.unseenRow(error)
        }
    }

    /// Returns whether the transaction reads a reason why the values of an update violate a constraint.
    private func isVisible(_ constraint: UniqueConstraint, _ assignments: [Assignment]) throws -> Bool {
        if work.write.isExclusive { return true }
        let parameters = Parameters()
        var tests: [String] = []
        for column in constraint.columns {
            guard let assignment = assignments.first(where: { $0.place.column == column }) else { return true }
            let parameter = try work.append(assignment.value, for: assignment.place, of: entity, to: parameters)
            tests.append("\(column) = \(parameter)")
        }
        let holder = try work.connection.run(
            "SELECT 1 FROM \(constraint.table) WHERE \(tests.joined(separator: " AND ")) LIMIT 1", with: parameters)
        guard holder.rowCount == 0 else { return true }
        return try work.identities(batch.specification).count > 1
    }

    /// Returns the constraints of the entity and its sub-entities that contain one of some columns.
    private func constraints(of places: [ServerColumns.Attribute]) -> [UniqueConstraint] {
        let written = Set(places.map(\.column))
        let all = entity.family.flatMap { work.schema.columns[$0 - 1].uniqueConstraints(in: work.model) }
        return all.filter { !written.isDisjoint(with: $0.columns) }
    }

    /// Writes values that rows take over from each other, which a server rejects depending on the order in which it finds the
    /// rows.
    ///
    /// As in a file, the rows are changed in the order of their keys: a value must be given up by an earlier row.
    private func exchangeValues(
        _ keys: [Int64], _ assignments: [Assignment], _ values: ServerComputedValues, _ statement: SQLStatement,
        _ failure: TakenValues
    ) throws -> PostgresResult {
        let touched = constraints(of: assignments.map(\.place) + values.places)
        for constraint in touched {
            let old = try self.values(of: constraint, inRows: keys)
            var current = old
            var holders: [[ServerValue]: Int64] = [:]
            for (key, row) in old where !row.contains(.null) { holders[row] = key }
            for key in keys.sorted() {
                guard let before = current[key] else { continue }
                let after = constraint.columns.enumerated().map { index, column in
                    if let place = values.places.firstIndex(where: { $0.column == column }) {
                        return values.value(place, ofRow: key).comparable
                    }
                    return assignments.first { $0.place.column == column }?.value.comparable ?? before[index]
                }
                if holders[before] == key { holders[before] = nil }
                current[key] = after
                guard !after.contains(.null) else { continue }
                guard holders.updateValue(key, forKey: after) == nil else { throw failure.error }
            }
        }
        let cleared = Set(touched.flatMap(\.columns)).intersection(values.places.map(\.column)).sorted()
        let list = cleared.map { "\($0) = NULL" }.joined(separator: ", ")
        let clearing = SQLStatement(
            "UPDATE \(columns.table) SET \(list) WHERE \(work.key) = ANY($1)", keys: keys)
        do {
            guard let update = try work.connection.runBehindSavepoint([clearing, statement]).last else {
                throw failure.error
            }
            return update
        } catch let error as ServerError where error.kind == .uniqueViolation {
            throw failure.error
        }
    }

    /// Returns the values of a constraint that rows have, in comparable form.
    private func values(of constraint: UniqueConstraint, inRows keys: [Int64]) throws -> [Int64: [ServerValue]] {
        let list = constraint.columns.joined(separator: ", ")
        let found = try work.connection.run(
            SQLStatement(
                "SELECT \(work.key), \(list) FROM \(columns.table) WHERE \(work.key) = ANY($1)", keys: keys))
        var rows: [Int64: [ServerValue]] = [:]
        for row in 0..<found.rowCount {
            guard let key = try found.int64(row, column: 0) else { continue }
            rows[key] = try constraint.columns.enumerated().map { index, column in
                try found.serverValue(row, column: index + 1, as: type(ofColumn: column)).comparable
            }
        }
        return rows
    }

    /// Returns the type of a column, which may belong to a sub-entity.
    private func type(ofColumn column: String) -> PostgresType {
        let attributes = entity.family.lazy.flatMap { work.schema.columns[$0 - 1].attributes }
        return attributes.first { $0.column == column }?.type ?? .int8
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
