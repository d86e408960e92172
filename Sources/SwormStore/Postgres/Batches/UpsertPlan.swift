#if PostgreSQL
import Foundation
import SwormPostgres
import SwormPredicates

/// The way in which an upsert writes rows of one entity.
struct UpsertPlan {
    let layout: WriteLayout
    let rule: UpsertRule
    let columns: ServerColumns
    /// The constraint whose values another row may have.
    let target: UniqueConstraint
    /// The attributes that are updated in a row that has the values.
    let updates: [ServerColumns.Attribute]

    /// Returns nil if the table alone is not enough, because the entity has no such constraint.
    init?(_ layout: WriteLayout, _ rule: UpsertRule, schema: ServerSchema) {
        let columns = schema.columns[layout.entity - 1]
        let target = columns.uniqueConstraints(in: schema.compiler.model).first { $0.properties == rule.constraint }
        guard let target else { return nil }
        self.layout = layout
        self.rule = rule
        self.columns = columns
        self.target = target
        updates = (rule.updates ?? []).compactMap { columns.attribute($0) }
            .filter { !target.columns.contains($0.column) }
    }

    private var conflict: String { "ON CONFLICT (\(target.columns.joined(separator: ", ")))" }

    /// Returns whether a unique index enforces the constraint. The server is asked once for each store.
    func isEnforced(in work: ServerBatch) throws -> Bool {
        let sql = target.probe(key: work.key)
        guard !work.schema.enforcedConstraints.withLock({ $0.contains(sql) }) else { return true }
        do {
            _ = try work.connection.runBehindSavepoint(SQLStatement(sql))
        } catch let error as ServerError where error.state == Self.missingIndex {
            return false
        }
        work.schema.enforcedConstraints.withLock { _ = $0.insert(sql) }
        return true
    }

    /// The code for a target of a conflict that no unique index has.
    private static let missingIndex = SQLState(rawValue: "42P10")

    /// Returns the end of a statement that inserts rows.
    ///
    /// - Parameter derived: The derived columns that are updated too.
    func clause(derived: [String], compiler: SQLCompiler) -> String {
        // Only the row of the conflict is checked. Any other conflicting row is an error in any case.
        guard !updates.isEmpty else { return " \(conflict) DO NOTHING RETURNING t.\(compiler.system.key)" }
        let list = assignments(derived: derived, compiler: compiler) { "excluded.\($0)" }
        return
            " \(conflict) DO UPDATE SET \(list) WHERE \(difference(compiler) { "excluded.\($0)" }) RETURNING t.\(compiler.system.key)"
    }

    /// Returns the assignments to a row `t`.
    ///
    /// - Parameter value: Returns the SQL of the new value of a column.
    func assignments(derived: [String], compiler: SQLCompiler, _ value: (String) -> String) -> String {
        let values = (updates.map(\.column) + derived).map { "\($0) = \(value($0))" }
        return (values + [compiler.versionAssignment(of: "t")]).joined(separator: ", ")
    }

    /// Returns the condition that a row `t` belongs to the entity and would change.
    ///
    /// - Parameter isChanged: A condition on which the row changes although it has the values.
    func difference(_ compiler: SQLCompiler, or isChanged: String? = nil, _ value: (String) -> String) -> String {
        let tests =
            updates.map { "t.\($0.column) IS DISTINCT FROM \(value($0.column))" } + (isChanged.map { [$0] } ?? [])
        let entity = columns.numbersEntities ? "t.\(compiler.system.entity) = \(columns.storedNumber) AND " : ""
        return "\(entity)(\(tests.joined(separator: " OR ")))"
    }
}

/// The rows that an upsert has collected for one entity.
struct UpsertedRows {
    /// The unique values of a row, as bytes.
    struct Identity: Hashable {
        private let bytes: [UInt8]

        fileprivate init(_ bytes: [UInt8]) { self.bytes = bytes }
    }

    let plan: UpsertPlan
    let writer: ServerRowWriter
    /// Whether a row may violate another constraint than the one of the rule.
    let canViolateOthers: Bool
    /// The indices of the columns of the constraint; nil if no row of the writer has a value for one of them.
    private let target: [Int]?
    /// Whether values with the same unique values can be written by their first and their last one: no other constraint
    /// contains a value that is updated.
    let mergesRepeats: Bool
    /// The indices of the columns of the attributes that are updated.
    private let compared: [Int]
    private let derived: [String]
    private let compiler: SQLCompiler

    init(_ plan: UpsertPlan, in work: ServerBatch) throws {
        self.plan = plan
        let writer = try ServerRowWriter(plan.layout, columns: plan.columns, time: work.write.time)
        self.writer = writer
        compiler = work.compiler
        let others = plan.columns.uniqueConstraints(in: work.model).filter { $0 != plan.target }
        canViolateOthers = !others.isEmpty
        mergesRepeats = Set(plan.updates.map(\.column)).isDisjoint(with: others.flatMap(\.columns))
        let indices = plan.target.columns.map { writer.map.names.firstIndex(of: $0) }
        target = indices.contains(nil) ? nil : indices.compactMap(\.self)
        let slots = Set(plan.updates.map(\.slot))
        // The time of the transaction, and the forms of values that are updated.
        let derived = plan.columns.derived.filter { $0.source.map(slots.contains) ?? true }
        self.derived = plan.updates.isEmpty ? [] : derived.map(\.place.column)
        compared = plan.updates.compactMap { writer.map.index(ofSlot: $0.slot) }
    }

    /// Returns the unique values of a row; nil if one of them is nil, so that no other row has the same.
    func identity(ofRow row: Int, offsets: [Int]) -> Identity? {
        guard let target else { return nil }
        var bytes: [UInt8] = []
        for column in target {
            guard let value = value(column, ofRow: row, offsets: offsets) else { return nil }
            withUnsafeBytes(of: Int32(value.count)) { bytes.append(contentsOf: $0) }
            bytes.append(contentsOf: value)
        }
        return Identity(bytes)
    }

    /// Returns whether two rows have the same values in the attributes that are updated.
    func haveSameUpdates(_ one: Int, other: Int, offsets: [Int]) -> Bool {
        compared.allSatisfy {
            value($0, ofRow: one, offsets: offsets) == value($0, ofRow: other, offsets: offsets)
        }
    }

    /// Returns the bytes of a value, which are the same for values that the server considers equal.
    private func value(_ column: Int, ofRow row: Int, offsets: [Int]) -> [UInt8]? {
        guard let field = writer.rows.field(at: offsets[row * writer.map.types.count + column]) else { return nil }
        let isReal = [.float4, .float8].contains(writer.map.types[column])
        // The two zeros are equal.
        if isReal, field.first == 0x80, field.dropFirst().allSatisfy({ $0 == 0 }) {
            return Array(repeating: 0, count: field.count)
        }
        return Array(field)
    }

    /// Returns the key of a row.
    func key(ofRow row: Int, offsets: [Int]) -> Int64 {
        let field = writer.rows.field(at: offsets[row * writer.map.types.count])
        return field.map { Int64(bigEndian: $0.loadUnaligned(as: Int64.self)) } ?? 0
    }

    // MARK: Statements

    /// Returns the statement that inserts rows or updates those that have their unique values.
    func upsert(_ selection: ServerRowWriter.Selection) throws -> SQLStatement {
        let (table, parameters) = try writer.unnest(selection)
        let clause = plan.clause(derived: derived, compiler: compiler)
        return SQLStatement(
            "INSERT INTO \(plan.columns.table) AS t (\(writer.map.names.joined(separator: ", "))) SELECT * FROM \(table)\(clause)",
            with: parameters)
    }

    /// Returns the statement that updates the rows that have the unique values; nil if nothing is updated.
    ///
    /// - Parameter versions: For each row, the number of versions by which it is raised; empty for one version of those that
    ///   change.
    func update(_ selection: ServerRowWriter.Selection, versions: [Int64] = []) throws -> SQLStatement? {
        guard let target = try target(selection, versions: versions) else { return nil }
        var list = plan.assignments(derived: derived, compiler: compiler, value)
        // A row that is raised by more than one version has had other values in between.
        if !versions.isEmpty { list += " + u.v - 1" }
        return SQLStatement(
            "UPDATE \(plan.columns.table) AS t SET \(list) FROM \(target.source) WHERE \(target.test) RETURNING t.\(compiler.system.key)",
            with: target.parameters)
    }

    /// Returns the statement that finds a row that ``update(_:versions:)`` or ``upsert(_:)`` should have updated and has not; nil
    /// if nothing is updated.
    ///
    /// - Parameter written: The keys of the rows that were updated.
    func skippedUpdate(
        _ selection: ServerRowWriter.Selection, versions: [Int64] = [], except written: some Sequence<Int64>
    ) throws -> SQLStatement? {
        guard let target = try target(selection, versions: versions) else { return nil }
        target.parameters.append(keys: Array(written))
        return SQLStatement(
            "SELECT 1 FROM \(plan.columns.table) AS t, \(target.source) WHERE \(target.test) AND NOT EXISTS (SELECT 1 FROM unnest($\(target.parameters.count)) d(key) WHERE d.key = t.\(compiler.system.key)) LIMIT 1",
            with: target.parameters)
    }

    /// Returns the SQL of the new value of a column.
    private func value(_ column: String) -> String {
        writer.map.names.firstIndex(of: column).map { "u.c\($0)" } ?? "NULL"
    }

    /// Returns rows as a table `u`, and the condition that a row `t` has the unique values of one of them and would change.
    private func target(
        _ selection: ServerRowWriter.Selection, versions: [Int64]
    ) throws -> (source: String, test: String, parameters: Parameters)? {
        guard !plan.updates.isEmpty, let target else { return nil }
        let (table, parameters) = try writer.unnest(selection, versions: versions)
        let difference = plan.difference(compiler, or: versions.isEmpty ? nil : "u.v > 1", value)
        let tests = zip(plan.target.columns, target).map { "t.\($0) = u.c\($1)" }.joined(separator: " AND ")
        return (table, "\(tests) AND \(difference)", parameters)
    }
}
#endif
