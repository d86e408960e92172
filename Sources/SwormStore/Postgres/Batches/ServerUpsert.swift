#if PostgreSQL
import Foundation
import SwormPostgres
import SwormPredicates

/// A write of rows that are inserted, or update the rows that already have their unique values.
///
/// The rows are sent in parts. Of the values of one part that have the same unique values, the first one is inserted or
/// updates a row, and then the last one updates the row.
final class ServerUpsert {
    /// The number of rows and of bytes of a part.
    private static let longestPart = (rows: 4096, bytes: 1 << 20)

    /// Values of a part with the same unique values.
    private struct Group {
        let writer: Int
        /// The rows of the first and of the last value.
        var first: Int
        var last: Int
        /// The number of values.
        var count = 1
        /// The number of values that change what the value before has written.
        var changes: Int64 = 0
    }

    private let work: ServerBatch
    private let rows: [UpsertedRows]
    private let root: CompiledEntity
    private let taken: ServerTakenValues
    private var keys: ServerBatchKeyStock
    /// The rows of the part, in the order of the values.
    private var order: [(writer: Int, rows: Range<Int>)] = []
    private var counts = BatchCounts()

    /// - Returns: Nil if no index enforces the constraint of a rule.
    init?(_ batch: RowBatch, _ plans: [UpsertPlan], in work: ServerBatch) throws {
        self.work = work
        guard try plans.allSatisfy({ try $0.isEnforced(in: work) }) else { return nil }
        rows = try plans.map { try UpsertedRows($0, in: work) }
        root = work.model[work.model[batch.entity].root]
        taken = ServerTakenValues(work)
        keys = ServerBatchKeyStock(root: root.number, expecting: batch.expectedCount)
    }

    func run(_ batch: RowBatch) throws -> BatchCounts {
        try batch.handOver(take)
        try finishPart()
        counts.keys = keys.used
        for range in keys.used {
            work.write.changes?.note(.insertion, of: range, root: root.number)
            work.write.history?.insert(range, root: root.number)
            work.write.derivation?.noteInserted(range, root: root.number, ownValuesAreWritten: true)
        }
        _ = try work.write.settleDerivedValues()
        return counts
    }

    // MARK: Collecting

    private func take(_ index: Int, start: UnsafeRawPointer, count: Int) throws {
        let writer = rows[index].writer
        try keys.require(count, in: work)
        var done = 0
        while done < count {
            for range in keys.take(min(count - done, RowBatch.partSize)) {
                let before = writer.rows.rowCount
                var failure: (any Error)?
                do {
                    try writer.add(start + done * writer.layout.stride, count: range.count, firstKey: range.lowerBound)
                } catch {
                    failure = error
                }
                order.append((index, before..<writer.rows.rowCount))
                if let failure {
                    // An earlier row may be rejected for another reason.
                    try finishPart()
                    throw failure
                }
                done += range.count
            }
            let rowCount = rows.reduce(0) { $0 + $1.writer.rows.rowCount }
            let byteCount = rows.reduce(0) { $0 + $1.writer.rows.byteCount }
            if rowCount >= Self.longestPart.rows || byteCount >= Self.longestPart.bytes { try finishPart() }
        }
    }

    // MARK: Merging

    private func finishPart() throws {
        guard !order.isEmpty else { return }
        let fields = rows.map { $0.writer.rows.fieldOffsets }
        var groups: [Group] = []
        var known: [UpsertedRows.Identity: Int] = [:]
        for (index, part) in order {
            for row in part {
                let (upserted, offsets) = (rows[index], fields[index])
                guard let identity = upserted.identity(ofRow: row, offsets: offsets) else {
                    groups.append(Group(writer: index, first: row, last: row))
                    continue
                }
                if let place = known[identity], groups[place].writer != index || !upserted.mergesRepeats {
                    // Later decisions depend on the rows that were written before.
                    try send(groups)
                    (groups, known) = ([], [:])
                }
                guard let place = known[identity] else {
                    known[identity] = groups.count
                    groups.append(Group(writer: index, first: row, last: row))
                    continue
                }
                groups[place].count += 1
                guard upserted.plan.rule.updates != nil else { continue }
                let last = groups[place].last
                if !upserted.haveSameUpdates(last, other: row, offsets: offsets) { groups[place].changes += 1 }
                groups[place].last = row
            }
        }
        try send(groups)
        order.removeAll(keepingCapacity: true)
        for upserted in rows { upserted.writer.rows.removeAll() }
    }

    // MARK: Sending

    private func send(_ groups: [Group]) throws {
        guard rows.count > 1 else { return try write(groups) }
        // A row of one entity may take or give up values of other constraints that a row of another entity has.
        if rows.contains(where: \.canViolateOthers) { return try writeInOrder(groups) }
        do {
            try work.connection.savepoint {
                for index in rows.indices { try write(groups.filter { $0.writer == index }) }
            }
        } catch let error as CoreDataError {
            // The first value that is rejected is the one to name.
            try writeInOrder(groups)
            throw error
        }
    }

    /// Writes values in their order, with one statement for those of one entity that follow each other.
    private func writeInOrder(_ groups: [Group]) throws {
        var rest = groups[...]
        while let first = rest.first {
            let run = rest.prefix { $0.writer == first.writer }
            rest = rest[run.endIndex...]
            try write(Array(run))
        }
    }

    /// Writes values of one entity.
    private func write(_ groups: [Group]) throws {
        guard let first = groups.first else { return }
        let rows = rows[first.writer]
        if let refusal = rows.writer.refusal {
            try update(groups, of: rows, otherwise: refusal)
        } else {
            try upsert(groups, of: rows)
        }
        let repeated = groups.filter { $0.changes > 0 }
        let last = ServerRowWriter.Selection(repeated.map(\.last))
        guard !repeated.isEmpty, let update = try rows.update(last, versions: repeated.map(\.changes)) else { return }
        let updated = Set(try work.connection.run(update).keys())
        try work.requireUpdates(last, of: rows, versions: repeated.map(\.changes), in: updated)
        note(updated, of: rows)
    }

    private func selection(_ groups: some Collection<Group>) -> ServerRowWriter.Selection {
        ServerRowWriter.Selection(groups.map(\.first))
    }

    private func upsert(_ groups: [Group], of rows: UpsertedRows) throws {
        let result: PostgresResult
        let statement = try rows.upsert(selection(groups))
        if rows.canViolateOthers {
            do {
                result = try work.connection.runBehindSavepoint(statement)
            } catch let error as ServerError where error.kind == .uniqueViolation {
                throw try failure(groups, of: rows, cause: error) { try rows.upsert(selection($0)) }
            }
        } else {
            result = try work.connection.run(statement)
        }
        let offsets = rows.writer.rows.fieldOffsets
        var written = Set(try result.keys())
        var kept: [Group] = []
        for group in groups {
            let key = rows.key(ofRow: group.first, offsets: offsets)
            if written.remove(key) != nil {
                keys.use(key: key)
                counts.inserted += 1
                count(group.count - 1, by: rows)
            } else {
                kept.append(group)
                count(group.count, by: rows)
            }
        }
        if kept.count > written.count {
            let holders = try taken.holders(of: selection(kept), in: rows.writer, rows.plan.target)
            if let error = wrongEntity(holders, of: rows) { throw error }
            // A value that no row has was not inserted either.
            guard holders.count == kept.count else {
                throw work.ignoredChange(
                    "insert objects of \(rows.writer.entity.name)", of: rows.writer.entity, in: rows.plan.columns.table)
            }
            try work.requireUpdates(selection(kept), of: rows, in: written)
        }
        note(written, of: rows)
    }

    /// Updates the rows that have the unique values of an entity whose rows cannot be inserted.
    private func update(_ groups: [Group], of rows: UpsertedRows, otherwise refusal: CoreDataError) throws {
        let holders = try taken.holders(of: selection(groups), in: rows.writer, rows.plan.target)
        let known = groups.indices.prefix { holders[$0] != nil }.map { groups[$0] }
        var updated: Set<Int64> = []
        if !known.isEmpty, let update = try rows.update(selection(known)) {
            do {
                updated = Set(try work.connection.runBehindSavepoint(update).keys())
            } catch let error as ServerError where error.kind == .uniqueViolation {
                throw try failure(known, of: rows, cause: error) { try rows.update(selection($0)) }
            }
        }
        let found = holders.filter { $0.key < known.count }
        if known.count > updated.count, let error = wrongEntity(found, of: rows) { throw error }
        if known.count < groups.count {
            throw try error(ofWriting: groups[known.count], updating: nil, of: rows) ?? refusal
        }
        try work.requireUpdates(selection(known), of: rows, in: updated)
        for group in known { count(group.count, by: rows) }
        note(updated, of: rows)
    }

    private func count(_ values: Int, by rows: UpsertedRows) {
        if rows.plan.rule.updates == nil { counts.ignored += values } else { counts.updated += values }
    }

    /// Notes rows that were updated.
    private func note(_ updated: Set<Int64>, of rows: UpsertedRows) {
        guard !updated.isEmpty else { return }
        work.write.changes?.note(.update, of: updated, root: root.number)
        work.write.noteHistory(of: updated, root: root, rows.plan.updates)
        work.write.derivation?.noteChanged(
            updated, root: root.number, columns: rows.plan.updates.map(\.column), ownValuesAreWritten: true)
    }

    // MARK: Errors

    /// Returns the error for the first value that would update a row of another entity; nil if all values can be written.
    ///
    /// - Parameter holders: The rows that have the unique values of the values.
    private func wrongEntity(_ holders: [Int: ServerTakenValues.Holder], of rows: UpsertedRows) -> CoreDataError? {
        guard rows.plan.rule.updates != nil else { return nil }
        let wrong = holders.sorted { $0.key < $1.key }.first { $0.value.row.entity != rows.writer.entity.number }?.value
        return wrong.map { taken.error(of: $0, rows.plan.target, in: rows.writer, isOwn: keys.isOwn($0.row.key)) }
    }

    /// Returns the error for values of which the server has rejected one, because another row has a unique value that is not
    /// the target's.
    ///
    /// - Parameter statement: Returns the statement that writes values.
    private func failure(
        _ groups: [Group], of rows: UpsertedRows, cause: ServerError,
        by statement: (ArraySlice<Group>) throws -> SQLStatement?
    ) throws -> CoreDataError {
        let place = try taken.firstFailure(count: groups.count) { range in
            try statement(groups[range]).map { [$0] } ?? []
        }
        guard let place else { return work.unseenRow(cause) }
        // The server skips a row of another entity without an error.
        let holders = try taken.holders(of: selection(groups[...place]), in: rows.writer, rows.plan.target)
        if let error = wrongEntity(holders, of: rows) { return error }
        return try error(ofWriting: groups[place], updating: holders[place]?.row.key, of: rows)
            ?? work.unseenRow(cause)
    }

    /// Returns the error for a value that another row has, in a constraint that is not the target; nil if all are free.
    ///
    /// - Parameter update: The key of the row that is updated; nil for a row that is inserted.
    private func error(ofWriting group: Group, updating update: Int64?, of rows: UpsertedRows) throws -> CoreDataError?
    {
        let row = selection(CollectionOfOne(group))
        for constraint in rows.writer.columns.uniqueConstraints(in: work.model) where constraint != rows.plan.target {
            let holder = try taken.holders(
                of: row, in: rows.writer, constraint,
                updating: update.map { ($0, rows.plan.updates.map(\.column)) })[0]
            guard let holder, holder.row.key != update else { continue }
            return taken.error(of: holder, constraint, in: rows.writer, isOwn: keys.isOwn(holder.row.key))
        }
        return nil
    }
}
#endif
