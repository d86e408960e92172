#if PostgreSQL
import Foundation
import SwormPostgres
import SwormPredicates

/// A write of rows that are inserted, or update the rows that already have their unique values.
///
/// The rows are sent in parts. Values of one part that have the same unique values are merged before: the first one is
/// inserted, and the attributes to update are those of the last one.
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

    private func take(_ index: Int, _ start: UnsafeRawPointer, _ count: Int) throws {
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
                if let place = known[identity], groups[place].writer != index {
                    // A row of another entity: what follows depends on what was written before.
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
                if !upserted.haveSameUpdates(last, row, offsets: offsets) { groups[place].changes += 1 }
                groups[place].last = row
            }
        }
        try send(groups)
        order.removeAll(keepingCapacity: true)
        for upserted in rows { upserted.writer.rows.removeAll() }
    }

    // MARK: Sending

    private func send(_ groups: [Group]) throws {
        for index in rows.indices {
            let own = groups.filter { $0.writer == index }
            if own.isEmpty { continue }
            if let refusal = rows[index].writer.refusal {
                try update(own, of: rows[index], otherwise: refusal)
            } else {
                try upsert(own, of: rows[index])
            }
        }
    }

    private func selection(_ groups: some Collection<Group>, of rows: UpsertedRows) -> ServerRowWriter.Selection {
        var selection = ServerRowWriter.Selection(groups.map(\.first))
        selection.lateRows = groups.map(\.last)
        selection.lateColumns = rows.updatedColumns
        return selection
    }

    private func statement(_ groups: some Collection<Group>, of rows: UpsertedRows) throws -> SQLStatement {
        try rows.upsert(selection(groups, of: rows), changes: groups.map(\.changes))
    }

    private func upsert(_ groups: [Group], of rows: UpsertedRows) throws {
        let result: PostgresResult
        let statement = try statement(groups, of: rows)
        if rows.canViolateOthers {
            do {
                result = try work.connection.runBehindSavepoint(statement)
            } catch let error as ServerError where error.kind == .uniqueViolation {
                throw try failure(groups, of: rows, cause: error) { try self.statement($0, of: rows) }
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
        try finish(kept, updated: written, of: rows)
    }

    /// Updates the rows that have the unique values of an entity whose rows cannot be inserted.
    private func update(_ groups: [Group], of rows: UpsertedRows, otherwise refusal: CoreDataError) throws {
        let holders = try taken.holders(of: selection(groups, of: rows), in: rows.writer, rows.plan.target)
        guard groups.indices.allSatisfy({ holders[$0] != nil }) else { throw refusal }
        var updated: Set<Int64> = []
        func statement(_ groups: some Collection<Group>) throws -> SQLStatement? {
            try rows.update(selection(groups, of: rows), changes: groups.map(\.changes))
        }
        if let update = try statement(groups) {
            do {
                updated = Set(try work.connection.runBehindSavepoint(update).keys())
            } catch let error as ServerError where error.kind == .uniqueViolation {
                throw try failure(groups, of: rows, cause: error) { try statement($0) }
            }
        }
        for group in groups { count(group.count, by: rows) }
        try finish(groups, updated: updated, of: rows)
    }

    private func count(_ values: Int, by rows: UpsertedRows) {
        if rows.plan.rule.updates == nil { counts.ignored += values } else { counts.updated += values }
    }

    /// Notes the updated rows, and throws an error if a row of another entity would have been updated as one of this entity.
    ///
    /// - Parameters:
    ///   - kept: The values whose rows existed before.
    ///   - updated: The keys of those that were changed.
    private func finish(_ kept: [Group], updated: Set<Int64>, of rows: UpsertedRows) throws {
        if rows.plan.rule.updates != nil, rows.writer.columns.numbersEntities, kept.count > updated.count {
            let holders = try taken.holders(of: selection(kept, of: rows), in: rows.writer, rows.plan.target)
            for place in kept.indices {
                guard let holder = holders[place], holder.row.entity != rows.writer.entity.number else { continue }
                throw taken.error(
                    of: holder, rows.plan.target, in: rows.writer, isOwn: keys.isOwn(holder.row.key))
            }
        }
        guard !updated.isEmpty else { return }
        work.write.changes?.note(.update, of: updated, root: root.number)
        work.write.noteHistory(of: updated, root: root, rows.plan.updates)
        work.write.derivation?.noteChanged(
            updated, root: root.number, columns: rows.plan.updates.map(\.column), ownValuesAreWritten: true)
    }

    // MARK: Errors

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
        let row = selection(CollectionOfOne(groups[place]), of: rows)
        let update = try taken.holders(of: row, in: rows.writer, rows.plan.target)[0]?.row.key
        for constraint in rows.writer.columns.uniqueConstraints(in: work.model) where constraint != rows.plan.target {
            let holder = try taken.holders(
                of: row, in: rows.writer, constraint,
                updating: update.map { ($0, rows.plan.updates.map(\.column)) })[0]
            guard let holder, holder.row.key != update else { continue }
            return taken.error(of: holder, constraint, in: rows.writer, isOwn: keys.isOwn(holder.row.key))
        }
        return work.unseenRow(cause)
    }
}
#endif
