#if PostgreSQL
import SwormPostgres
import SwormPredicates

extension ServerUpdateRun {
    /// An error of the server for unique values that another row has, or that several rows would have.
    struct TakenValues: Error {
        /// The constraint; nil if it is unknown.
        var constraint: UniqueConstraint?
        var cause: ServerError
    }

    /// Runs statements that set columns, behind a savepoint if they may violate a uniqueness constraint.
    ///
    /// - Throws: ``TakenValues`` if they do.
    func writing<Result>(_ places: [ServerColumns.Attribute], _ body: () throws -> Result) throws -> Result {
        let touched = constraints(of: places)
        guard !touched.isEmpty else { return try body() }
        do {
            return try work.connection.savepoint(body)
        } catch let error as ServerError where error.kind == .uniqueViolation {
            let properties = work.schema.subject(of: error)?.properties
            throw TakenValues(
                constraint: touched.first { $0.properties == properties } ?? touched.first, cause: error)
        }
    }

    /// Runs statements that set columns of known rows, which may take over unique values from each other.
    ///
    /// The server rejects that depending on the order in which it finds the rows. The rows give up the values first, then.
    ///
    /// - Parameters:
    ///   - computed: The columns of the values that rows compute. Values that are the same for all rows cannot be exchanged.
    ///   - body: Runs the statements, after those that it gets.
    func exchangingValues<Result>(
        of places: [ServerColumns.Attribute], computed: [ServerColumns.Attribute], inRows keys: [Int64],
        _ body: ([SQLStatement]) throws -> Result
    ) throws -> Result {
        do {
            return try writing(places) { try body([]) }
        } catch let taken as TakenValues {
            let constrained = Set(constraints(of: places).flatMap(\.columns))
            let cleared = constrained.intersection(computed.map(\.column)).sorted()
            guard !cleared.isEmpty else { throw taken }
            let list = cleared.map { "\($0) = NULL" }.joined(separator: ", ")
            let clearing = SQLStatement(
                "UPDATE \(columns.table) SET \(list) WHERE \(work.key) = ANY($1)", keys: keys)
            return try writing(places) { try body([clearing]) }
        }
    }

    /// Returns the constraints of the entity and its sub-entities that contain one of some columns.
    private func constraints(of places: [ServerColumns.Attribute]) -> [UniqueConstraint] {
        let written = Set(places.map(\.column))
        let all = entity.family.flatMap { work.schema.columns[$0 - 1].uniqueConstraints(in: work.model) }
        return all.filter { !written.isDisjoint(with: $0.columns) }
    }

    // MARK: Errors

    /// Returns the error for values that violate a constraint.
    ///
    /// - Parameters:
    ///   - keys: The keys of the rows.
    ///   - values: The values that rows compute; nil for none.
    func error(
        of taken: TakenValues, inRows keys: [Int64], _ assignments: [Assignment], _ values: ServerComputedValues? = nil
    ) throws -> CoreDataError {
        if let constraint = taken.constraint,
            !(try isVisible(constraint, inRows: keys, assignments: assignments, values: values))
        {
            return work.unseenRow(taken.cause)
        }
        return CoreDataError.takenValues(
            of: batch, taken.constraint?.properties, entity: entity, cause: taken.cause)
    }

    /// Returns whether the transaction reads a reason why the values of an update violate a constraint: two of the rows would
    /// have the same values, or another row has them.
    private func isVisible(
        _ constraint: UniqueConstraint, inRows keys: [Int64], assignments: [Assignment],
        values: ServerComputedValues?
    ) throws -> Bool {
        if work.write.isExclusive { return true }
        var known: Set<[ServerValue]> = []
        var rows: [[ServerValue]] = []
        for (key, before) in try self.values(of: constraint, inRows: keys) {
            let after = constraint.columns.enumerated().map { index, column in
                if let values, let place = values.places.firstIndex(where: { $0.column == column }) {
                    return values.value(place, ofRow: key)
                }
                return assignments.first { $0.place.column == column }?.value ?? before[index]
            }
            if after.contains(.null) { continue }
            guard known.insert(after.map(\.comparable)).inserted else { return true }
            rows.append(after)
        }
        let parameters = Parameters()
        parameters.append(keys: keys)
        for (index, column) in constraint.columns.enumerated() {
            // Values that are too long for a message are too long for an index, too.
            guard parameters.append(rows.map { $0[index] }, as: type(ofColumn: column)) else { return true }
        }
        let places = constraint.columns.indices
        let arrays = places.map { "$\($0 + 2)" }.joined(separator: ", ")
        let names = places.map { "c\($0)" }.joined(separator: ", ")
        let tests = places.map { "t0.\(constraint.columns[$0]) = u.c\($0)" }.joined(separator: " AND ")
        let holder = try work.connection.run(
            "SELECT 1 FROM unnest(\(arrays)) u(\(names)) JOIN \(constraint.table) t0 ON \(tests) WHERE t0.\(work.key) <> ALL($1) LIMIT 1",
            with: parameters)
        return holder.rowCount > 0
    }

    /// Returns the values of a constraint that rows have.
    private func values(of constraint: UniqueConstraint, inRows keys: [Int64]) throws -> [Int64: [ServerValue]] {
        let list = constraint.columns.joined(separator: ", ")
        let found = try work.connection.run(
            SQLStatement(
                "SELECT \(work.key), \(list) FROM \(columns.table) WHERE \(work.key) = ANY($1)", keys: keys))
        var rows: [Int64: [ServerValue]] = [:]
        for row in 0..<found.rowCount {
            guard let key = try found.int64(row, column: 0) else { continue }
            rows[key] = try constraint.columns.enumerated().map { index, column in
                try found.serverValue(row, column: index + 1, as: type(ofColumn: column))
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
#endif
