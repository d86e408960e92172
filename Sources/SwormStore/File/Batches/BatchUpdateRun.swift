import Foundation
import SwormPredicates
import SwormSQLite

/// An update of all rows of a request. It runs inside a transaction that is rolled back if it throws an error.
struct BatchUpdateRun {
    private let batch: BatchUpdate
    private let transaction: SaveTransaction
    private let compiler: SQLCompiler
    private let columns: EntityColumns

    init(_ batch: BatchUpdate, in transaction: SaveTransaction, compiler: SQLCompiler) {
        self.batch = batch
        self.transaction = transaction
        self.compiler = compiler
        columns = transaction.columns[batch.specification.entity - 1]
    }

    private var connection: StoreConnection { transaction.connection }

    func run() throws -> BatchResult {
        let places = batch.values.compactMap { value in
            columns.attribute(value.slot).map { (place: $0, value: value.value) }
        }
        let computed = batch.computed.compactMap { value in
            columns.attribute(value.slot).map { (place: $0, expression: value.expression) }
        }
        guard !places.isEmpty || !computed.isEmpty else { return BatchResult() }
        do {
            // If individual rows are needed, they must be found before the statement changes the values that the
            // request compares.
            if transaction.keepsHistory || batch.namesRows || places.contains(where: \.place.isExternal)
                || !computed.isEmpty
            {
                return try updateKnownRows(places, computed)
            }
            let assignments = try places.map { try assignment(to: $0.place, of: $0.value) }
            if batch.leavesEqualRows { return try updateDifferent(assignments) }
            let expected = try transaction.hasIgnoringTriggers() ? differences(assignments).found : nil
            try connection.run(compiler.update(batch.specification, set: assignments))
            try require(expected ?? connection.base.changes)
            return BatchResult(count: connection.base.changes)
        } catch let error as SQLiteError where error.isUniqueViolation {
            throw takenValues(error)
        }
    }

    private func assignment(to place: EntityColumns.Attribute, of value: AttributeValue) throws -> ColumnAssignment {
        ColumnAssignment(
            column: place.column, value: SQLBinding(try transaction.storedValue(value, for: place, of: columns.entity)))
    }

    /// Updates the rows that have other values. Uses a single statement if that is enough to know how many rows were
    /// found.
    private func updateDifferent(_ assignments: [ColumnAssignment]) throws -> BatchResult {
        let specification = batch.specification
        let known =
            specification.findsOneAtMost(columns.uniqueConstraints(in: transaction.model).map(\.properties))
            ? nil : try differences(assignments)
        if let known, known.different == 0 { return BatchResult(count: known.found, hasChanged: false) }
        var statement = try connection.shapes.update(
            specification, set: assignments, by: compiler, on: connection.base)
        while try statement.step() {}
        if let known { try require(known.different) }
        guard connection.base.changes == 0 else {
            return BatchResult(count: known?.found ?? connection.base.changes)
        }
        let found = try differences(assignments)
        try require(found.different)
        return BatchResult(count: found.found, hasChanged: false)
    }

    /// Returns how many rows the request finds, and how many of them differ from the values.
    private func differences(_ assignments: [ColumnAssignment]) throws -> (found: Int, different: Int) {
        let compiled = try compiler.countDifferences(batch.specification, from: assignments)
        var statement = try connection.base.statement(compiled.sql)
        try statement.bind(compiled.bindings)
        guard try statement.step() else { return (0, 0) }
        return (statement.int(0), statement.int(1))
    }

    /// Throws an error if the last statement changed fewer rows than required.
    private func require(_ count: Int) throws {
        guard connection.base.changes < count else { return }
        throw transaction.ignoredChange(
            "change objects of \(columns.entity.name)", of: columns.entity, in: columns.table)
    }

    private func updateKnownRows(
        _ places: [(place: EntityColumns.Attribute, value: AttributeValue)],
        _ computed: [(place: EntityColumns.Attribute, expression: ExpressionTree)]
    ) throws -> BatchResult {
        let keys = try BatchKeys(connection)
        defer { try? keys.clear() }
        let root = columns.entity.root
        var result = BatchResult(count: try keys.add(compiler.identities(batch.specification), root: root))
        let rowKeys = BatchKeys.keys(of: transaction.model[root])
        let found = "Z_PK IN (\(rowKeys))"
        var values: BatchValues?
        if !computed.isEmpty {
            values = try BatchValues(
                computed, of: columns.entity, withKeys: rowKeys, compiler: compiler, on: connection)
        }
        defer { try? values?.clear() }
        // Content that goes into files gets one file per row, because deleting a row deletes its file.
        let single = places.filter { $0.place.isExternal && $0.value.byteCount > ExternalDataFolder.inlineLimit }
        let common = places.filter { place in !single.contains { $0.place.slot == place.place.slot } }
        let assignments = try common.map { try assignment(to: $0.place, of: $0.value) }
        var changed = result.count
        // Content that goes into files is not compared.
        if batch.leavesEqualRows, single.isEmpty {
            changed -= try forgetEqualRows(assignments, among: found)
            result.hasChanged = changed > 0
            guard changed > 0 else { return result }
        }
        let external = places.map(\.place).filter(\.isExternal)
        try transaction.noteFiles(of: external, in: columns.table, where: found)
        let list =
            assignments.enumerated().map { "\($1.column) = ?\($0 + 1)" } + (values?.assignments ?? [])
            + ["Z_OPT = \(SQLCompiler.nextVersion)"]
        let update = CompiledStatement(
            sql: "UPDATE \(columns.table) SET \(list.joined(separator: ", ")) WHERE \(found)",
            bindings: assignments.map(\.value))
        do {
            try connection.run(update)
        } catch let error as SQLiteError where error.isUniqueViolation {
            // Rows may take over computed values from each other. They give them up first, then.
            let constrained = Set(touchedConstraints.flatMap(\.columns))
            let cleared = constrained.intersection(computed.map(\.place.column)).sorted()
            guard !cleared.isEmpty else { throw error }
            let list = cleared.map { "\($0) = NULL" }.joined(separator: ", ")
            try connection.run("UPDATE \(columns.table) SET \(list) WHERE \(found)")
            try connection.run(update)
        }
        try require(changed)
        guard transaction.keepsHistory || batch.namesRows || !single.isEmpty else { return result }
        let rows = try keys.rows()
        for (place, value) in single {
            for row in rows {
                let stored = try transaction.storedValue(value, for: place, of: columns.entity)
                try connection.run(
                    "UPDATE \(columns.table) SET \(place.column) = ? WHERE Z_PK = ?",
                    binding: [stored, .integer(row.key)])
            }
        }
        if batch.namesRows { result.rows = rows }
        if transaction.keepsHistory {
            let slots = (places.map(\.place) + computed.map(\.place)).map { PropertySlot.attribute($0.slot) }
            for row in rows {
                transaction.notes.change(HistoryNotes.Object(root: root, key: row.key), properties: slots)
            }
        }
        return result
    }

    /// Removes the rows that already have all the values from the rows to update.
    ///
    /// - Returns: The number of removed rows.
    private func forgetEqualRows(_ assignments: [ColumnAssignment], among found: String) throws -> Int {
        let tests = assignments.enumerated().map { "\($1.column) IS ?\($0 + 1)" }.joined(separator: " AND ")
        try connection.run(
            CompiledStatement(
                sql:
                    "DELETE FROM \(BatchKeys.table) WHERE key IN (SELECT Z_PK FROM \(columns.table) WHERE \(found) AND \(tests))",
                bindings: assignments.map(\.value)))
        return connection.base.changes
    }

    /// The constraints of the entity and its sub-entities that contain one of the written columns.
    private var touchedConstraints: [UniqueConstraint] {
        let slots = batch.values.map(\.slot) + batch.computed.map(\.slot)
        let written = Set(slots.compactMap { columns.attribute($0)?.column })
        let all = columns.entity.family.flatMap {
            transaction.columns[$0 - 1].uniqueConstraints(in: transaction.model)
        }
        return all.filter { !written.isDisjoint(with: $0.columns) }
    }

    /// Returns the error for unique values that another row holds, or that several rows would hold.
    private func takenValues(_ error: SQLiteError) -> CoreDataError {
        let entity = columns.entity
        let touched = touchedConstraints
        // SQLite names the columns of the index that reported the violation.
        let refused = touched.filter { constraint in
            constraint.columns.allSatisfy { error.message.contains("." + $0.replacing("\"", with: "")) }
        }
        let constraint = refused.first ?? touched.first
        return CoreDataError.takenValues(of: batch, constraint?.properties, entity: entity, cause: error)
    }
}

extension SQLBinding {
    init(_ value: StoredValue) {
        self =
            switch value {
            case .null: .null
            case .integer(let number): .int64(number)
            case .real(let number): .double(number)
            case .text(let text): .text(text)
            case .blob(let data): .blob(data)
            case .uuid(let uuid): .blob(withUnsafeBytes(of: uuid.uuid) { Data($0) })
            }
    }
}

extension AttributeValue {
    /// The length of external content, or 0 for any other value.
    fileprivate var byteCount: Int { if case .data(let data) = self { data.count } else { 0 } }
}

extension FetchSpecification {
    /// Returns whether the request finds at most one row, because of its limit or a unique value.
    ///
    /// - Parameter constraints: The properties of the entity's uniqueness constraints.
    func findsOneAtMost(_ constraints: @autoclosure () -> [[String]]) -> Bool {
        guard limit != 1 else { return true }
        let parts: [PredicateTree]
        switch predicate {
        case .and(let all)?: parts = all
        case let single?: parts = [single]
        case nil: return false
        }
        return parts.contains { part in
            guard case .comparison(let comparison) = part, comparison.quantifier == .direct,
                comparison.comparator == .equal, comparison.options.isEmpty
            else { return false }
            switch (comparison.left, comparison.right) {
            case (.evaluatedObject, .value(let value)): return value != .null
            case (.key(.evaluatedObject, let name), .value(let value)) where value != .null:
                return constraints().contains([name])
            default: return false
            }
        }
    }
}
