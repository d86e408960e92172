#if PostgreSQL
import Foundation
import SwormPostgres
import SwormPredicates

/// An insertion of the rows of a batch, except for values whose unique attributes another row has. That row is kept as it is,
/// or updated. It may be one that the batch has inserted before.
///
/// The rows that have the unique values of a part are read by one statement for each constraint. The rest is decided in
/// the order of the values, and written by few statements at the end of the part.
final class ServerSettlingInsertion {
    /// The unique values of a row in comparable form.
    private typealias UniqueValues = [ServerValue]

    /// A new version of a row that exists.
    private struct Update {
        var key: Int64
        var values: [(place: ServerColumns.Attribute, value: ServerValue)]
    }

    private let work: ServerBatch
    private let batch: RowBatch
    private let writers: [ServerRowWriter]
    private let root: CompiledEntity
    private let taken: ServerTakenValues
    private var keys: ServerBatchKeyStock
    /// The updates that are not written yet, each of another row.
    private var updates: [Update] = []
    /// The rows that have unique values, as far as values of the part have them.
    private var holders: [UniqueConstraint: [UniqueValues: RowID]] = [:]
    private var counts = BatchCounts()
    private var written: [Int64] = []
    private var updated: Set<Int64> = []

    init(_ batch: RowBatch, in work: ServerBatch) throws {
        self.work = work
        self.batch = batch
        writers = try batch.layouts.map {
            try ServerRowWriter($0, columns: work.schema.columns[$0.entity - 1], time: work.write.time)
        }
        root = work.model[work.model[batch.entity].root]
        taken = ServerTakenValues(work)
        keys = ServerBatchKeyStock(root: root.number, expecting: batch.expectedCount)
    }

    func run() throws -> BatchCounts {
        try batch.handOver(take)
        if written.isEmpty { try work.takeTurn() }
        counts.keys = keys.used
        counts.written = written
        for range in keys.used {
            work.write.changes?.note(.insertion, of: range, root: root.number)
            work.write.history?.insert(range, root: root.number)
            work.write.derivation?.noteInserted(range, root: root.number, ownValuesAreWritten: true)
        }
        _ = try work.write.settleDerivedValues()
        return counts
    }

    // MARK: Decisions

    private func take(_ index: Int, start: UnsafeRawPointer, count: Int) throws {
        let writer = writers[index]
        let constraints = writer.columns.uniqueConstraints(in: work.model)
        try keys.require(count, in: work)
        let rows = (0..<count).map { start + $0 * writer.layout.stride }
        try readHolders(constraints, of: rows[...], in: writer)
        for (place, row) in rows.enumerated() {
            guard let (constraint, holder) = try holder(of: row, constraints, in: writer) else {
                try insert(row, constraints: constraints, by: writer)
                continue
            }
            guard case .updateRow(let given) = batch.takenValues else {
                counts.ignored += 1
                continue
            }
            let changed = try update(holder, to: row, given: given(row), constraint: constraint, by: writer)
            counts.updated += 1
            if !keys.isOwn(holder.key), updated.insert(holder.key).inserted { written.append(holder.key) }
            // The row may have got unique values, or given some up.
            if changed { try readHolders(constraints, of: rows[(place + 1)...], in: writer) }
        }
        try writePending()
        holders = [:]
    }

    /// Returns the first constraint whose values another row has, and that row; nil if the values are free.
    private func holder(
        of row: UnsafeRawPointer, _ constraints: [UniqueConstraint], in writer: ServerRowWriter
    ) throws -> (constraint: UniqueConstraint, row: RowID)? {
        do {
            for constraint in constraints {
                guard let values = try writer.uniqueValues(of: row, constraint) else { continue }
                if let holder = holders[constraint]?[values] { return (constraint, holder) }
            }
            return nil
        } catch {
            // Another value of the row may come first.
            if let refusal = writer.refusal { throw refusal }
            try writer.add(row, count: 1, firstKey: 0)
            throw error
        }
    }

    private func insert(
        _ row: UnsafeRawPointer, constraints: [UniqueConstraint], by writer: ServerRowWriter
    ) throws {
        if let refusal = writer.refusal { throw refusal }
        let key = keys.next(upTo: 1).lowerBound
        try writer.add(row, count: 1, firstKey: key)
        keys.use(1)
        for constraint in constraints {
            guard let values = try writer.uniqueValues(of: row, constraint) else { continue }
            holders[constraint, default: [:]][values] = RowID(entity: writer.entity.number, key: key)
        }
        written.append(key)
        counts.inserted += 1
    }

    /// Updates the row that has the unique values of a value.
    ///
    /// - Returns: Whether unique values of the row may have changed.
    private func update(
        _ holder: RowID, to row: UnsafeRawPointer, given: SlotSet, constraint: UniqueConstraint,
        by writer: ServerRowWriter
    ) throws -> Bool {
        guard holder.entity == writer.entity.number else {
            let values = try constraint.properties.compactMap { name -> AttributeValue? in
                guard case .attribute(let slot)? = writer.entity.slot(named: name) else { return nil }
                return try writer.checkedValue(slot: slot, of: row)
            }
            throw taken.error(
                of: .init(row: holder, values: values), constraint, in: writer, isOwn: keys.isOwn(holder.key))
        }
        let values = try writer.values(of: row, given: given, without: constraint.columns)
        guard !values.isEmpty else { return false }
        let update = Update(key: holder.key, values: values)
        let columns = Set(values.map(\.place.column))
        let touched = writer.columns.uniqueConstraints(in: work.model).filter { !columns.isDisjoint(with: $0.columns) }
        if !touched.isEmpty || updates.contains(where: { $0.key == holder.key }) { try writePending() }
        guard !touched.isEmpty else {
            updates.append(update)
            return false
        }
        do {
            try work.connection.savepoint { try write([update]) }
        } catch let error as ServerError where error.kind == .uniqueViolation {
            throw try taken.error(
                updating: update.key, values: update.values, touched, in: writer, isOwn: keys.isOwn, cause: error)
        }
        return true
    }

    // MARK: Reading

    /// Finds the rows that have unique values of some values, in one trip to the server.
    private func readHolders(
        _ constraints: [UniqueConstraint], of rows: ArraySlice<UnsafeRawPointer>, in writer: ServerRowWriter
    ) throws {
        try writePending()
        holders = [:]
        var steps: [ServerWrite.Step] = []
        for constraint in constraints {
            let places = constraint.columns.compactMap { column in
                writer.columns.attributes.first { $0.column == column }
            }
            let wanted = Set(rows.compactMap { try? writer.uniqueValues(of: $0, constraint) })
            guard places.count == constraint.columns.count, !wanted.isEmpty else { continue }
            let parameters = Parameters()
            let values = Array(wanted)
            for (index, place) in places.enumerated() {
                guard parameters.append(values.map { $0[index].sent(as: place.type) }, as: place.type) else {
                    throw work.tooLong(place, of: writer.entity)
                }
            }
            let names = places.indices.map { "c\($0)" }.joined(separator: ", ")
            let arrays = places.indices.map { "$\($0 + 1)" }.joined(separator: ", ")
            let tests = places.enumerated().map { "t0.\($1.column) = u.c\($0)" }.joined(separator: " AND ")
            steps.append(
                ServerWrite.Step(
                    "SELECT \(work.entityNumber(of: writer.entity.root)), t0.\(work.key), u.n FROM unnest(\(arrays)) WITH ORDINALITY u(\(names), n) JOIN \(constraint.table) t0 ON \(tests)",
                    with: parameters
                ) { [self] result in
                    for (row, identity) in try ServerBatchKeys.rows(of: result).enumerated() {
                        // A function of the name unnest in another schema could return more rows than the values.
                        guard let number = try result.int(row, column: 2), number > 0, number <= values.count
                        else {
                            throw ServerError(
                                .server, "the server found a row for a value that it was not asked for")
                        }
                        holders[constraint, default: [:]][values[number - 1]] = identity
                    }
                })
        }
        try work.write.run(steps)
    }

    // MARK: Writing

    /// Writes the rows that were inserted, and then the updates, of which some may be of those rows.
    private func writePending() throws {
        for writer in writers where writer.rows.rowCount > 0 {
            let count = writer.rows.rowCount
            let statement = try writer.insertion(of: .init(0..<count))
            do {
                let result = try work.connection.runBehindSavepoint(statement)
                guard result.affectedRows == count else {
                    throw work.ignoredChange(
                        "insert objects of \(writer.entity.name)", of: writer.entity, in: writer.columns.table)
                }
            } catch let error as ServerError where error.kind == .uniqueViolation {
                throw work.unseenRow(error)
            }
            writer.rows.removeAll()
        }
        let pending = updates
        updates = []
        try write(pending)
    }

    private func write(_ updates: [Update]) throws {
        var groups: [[String]: [Update]] = [:]
        for update in updates { groups[update.values.map(\.place.column), default: []].append(update) }
        var steps: [ServerWrite.Step] = []
        for (_, group) in groups.sorted(by: { $0.value[0].key < $1.value[0].key }) {
            let places = group[0].values.map(\.place)
            let keys = group.map(\.key)
            let parameters = Parameters()
            parameters.append(keys: keys)
            for (index, place) in places.enumerated() {
                guard parameters.append(group.map { $0.values[index].value }, as: place.type) else {
                    throw work.tooLong(place, of: root)
                }
            }
            let list =
                places.enumerated().map { "\($1.column) = u.c\($0)" } + [work.compiler.versionAssignment(of: "t")]
            let arrays = (0...places.count).map { "$\($0 + 1)" }.joined(separator: ", ")
            let names = (["k"] + places.indices.map { "c\($0)" }).joined(separator: ", ")
            let table = work.schema.columns[root.number - 1].table
            steps.append(
                ServerWrite.Step(
                    "UPDATE \(table) AS t SET \(list.joined(separator: ", ")) FROM unnest(\(arrays)) u(\(names)) WHERE t.\(work.key) = u.k",
                    with: parameters
                ) { [self] result in
                    guard result.affectedRows == keys.count else {
                        throw work.ignoredChange("change objects of \(root.name)", of: root, in: table)
                    }
                    work.write.changes?.note(.update, of: keys, root: root.number)
                    work.write.noteHistory(of: keys, root: root, places)
                    work.write.derivation?.noteChanged(
                        keys, root: root.number, columns: places.map(\.column), ownValuesAreWritten: false)
                })
        }
        try work.write.run(steps)
    }
}

extension ServerRowWriter {
    /// Returns the values of a constraint in comparable form; nil if one of them is nil, or that of a relationship.
    fileprivate func uniqueValues(of row: UnsafeRawPointer, _ constraint: UniqueConstraint) throws -> [ServerValue]? {
        var values: [ServerValue] = []
        for property in constraint.properties {
            guard case .attribute(let slot)? = entity.slot(named: property), let place = columns.attribute(slot) else {
                return nil
            }
            let value = try ServerValue(try checkedValue(slot: slot, of: row), for: place, of: entity)
            guard value != .null else { return nil }
            values.append(value.comparable)
        }
        return values
    }
}

extension ServerValue {
    /// Returns the value of a comparable form in the form in which a parameter of a type has it.
    fileprivate func sent(as type: PostgresType) -> ServerValue {
        if case .bytes(let data) = self, type == .text { return .text(String(decoding: data, as: UTF8.self)) }
        return self
    }
}
#endif
