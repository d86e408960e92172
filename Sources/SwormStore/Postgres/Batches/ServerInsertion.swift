#if PostgreSQL
import Foundation
import SwormPostgres
import SwormPredicates

/// An insertion of the rows of a batch.
///
/// Few rows are inserted by one statement, and many by COPY. If policies for rows apply to the user, for whom the server has no
/// COPY then, many rows are inserted by statements too.
///
/// The rows are collected in parts. Values that lie in memory one behind the other are sent while they are collected; other
/// values are sent between the requests for them, because computing them may read from the store. The rows of a part are kept
/// until the server has accepted them, so that an error can name their values.
final class ServerInsertion {
    /// The number of bytes of a part.
    private static let longestPart = 4 << 20
    /// The number of bytes of a part that is sent at once.
    private static let longestMessage = 1 << 20
    /// The number of bytes after which rows are sent while more rows are collected.
    private static let portion = 64 << 10
    /// The largest number of rows that are inserted by a statement if the server accepts COPY.
    private static let fewRows = 100

    private let work: ServerBatch
    private let writers: [ServerRowWriter]
    private let root: CompiledEntity
    private let taken: ServerTakenValues
    private let isUnique: Bool
    private var keys: ServerBatchKeyStock
    /// The rows of the part, in the order of the values.
    private var order: [ServerTakenValues.Run] = []
    /// Whether the server accepts COPY into the table, once it was asked.
    private var knownCopyRight: Bool?
    private var copy: (progress: CopyInProgress, writer: ServerRowWriter, sent: Int)?
    private var savepoint: Savepoint?
    /// Whether all values lie in memory one behind the other.
    private var isContiguous = false
    private var count = 0

    init(_ batch: RowBatch, in work: ServerBatch) throws {
        self.work = work
        let columns = batch.layouts.map { work.schema.columns[$0.entity - 1] }
        writers = try zip(batch.layouts, columns).map {
            try ServerRowWriter($0, columns: $1, time: work.write.time)
        }
        root = work.model[work.model[batch.entity].root]
        isUnique = columns.contains { !$0.uniqueConstraints(in: work.model).isEmpty }
        taken = ServerTakenValues(work)
        keys = ServerBatchKeyStock(root: root.number, expecting: batch.expectedCount)
    }

    func run(_ batch: RowBatch) throws -> BatchCounts {
        defer {
            if let copy { work.connection.abandonCopyIn(copy.progress) }
            if let savepoint { work.connection.rollBack(to: savepoint) }
        }
        try batch.handOver(take)
        try finishPart()
        var counts = BatchCounts()
        counts.inserted = count
        counts.keys = keys.used
        if count == 0 { try work.takeTurn() }
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
        let writer = writers[index]
        if let refusal = writer.refusal {
            try finishPart()
            throw refusal
        }
        // Only values that are not copied come in larger parts.
        isContiguous = isContiguous || count > RowBatch.partSize
        if keys.count < count {
            try finishPart()
            try keys.require(count, in: work)
        }
        if isContiguous, copy == nil, try allowsCopy() { try beginCopy(of: writer) }
        var done = 0
        while done < count {
            let range = keys.next(upTo: min(count - done, RowBatch.partSize))
            let before = writer.rows.rowCount
            var failure: (any Error)?
            do {
                try writer.add(start + done * writer.layout.stride, count: range.count, firstKey: range.lowerBound)
            } catch {
                failure = error
            }
            let rows = before..<writer.rows.rowCount
            keys.use(rows.count)
            if !rows.isEmpty { order.append(ServerTakenValues.Run(writer: writer, rows: rows)) }
            if let failure {
                // An earlier row may be rejected for another reason.
                try finishPart()
                throw failure
            }
            done += range.count
            // The server may reject a row before the last one is sent.
            if copy != nil { try naming { try send(atLeast: Self.portion) } }
        }
        self.count += count
        let bytes = writers.reduce(0) { $0 + $1.rows.byteCount }
        if bytes >= (copy != nil ? Self.longestPart : Self.longestMessage) { try finishPart() }
    }

    // MARK: Sending

    /// Returns whether the server accepts COPY. All rows are those of one table.
    private func allowsCopy() throws -> Bool {
        if let knownCopyRight { return knownCopyRight }
        var answer = false
        try work.write.run([ServerWrite.copyQuestion(work.schema.columns[root.number - 1].table) { answer = $0 }])
        knownCopyRight = answer
        return answer
    }

    private func beginCopy(of writer: ServerRowWriter) throws {
        // The rows that were collected before are a part of its own.
        if !order.isEmpty { try finishPart() }
        if isUnique { savepoint = try work.connection.openSavepoint() }
        copy = (try work.connection.beginCopyIn(into: writer.target), writer, 0)
    }

    private func send(atLeast minimum: Int) throws {
        guard let (progress, writer, sent) = copy, writer.rows.byteCount - sent >= minimum else { return }
        try work.connection.send(UnsafeRawBufferPointer(rebasing: writer.rows.bytes[sent...]), by: progress)
        copy?.sent = writer.rows.byteCount
    }

    /// Lets the server insert the rows of the part.
    private func finishPart() throws {
        guard copy != nil || !order.isEmpty else { return }
        try naming { if copy != nil { try finishCopy() } else { try insertCollected() } }
        if let savepoint { work.connection.release(savepoint) }
        savepoint = nil
        order.removeAll(keepingCapacity: true)
        for writer in writers { writer.rows.removeAll() }
    }

    /// Calls a closure that sends rows of the part. Replaces the server's error for unique values that are taken by one that
    /// names the values of the first such row.
    private func naming(_ body: () throws -> Void) throws {
        do {
            try body()
        } catch let error as ServerError where error.kind == .uniqueViolation && isUnique {
            if let (progress, _, _) = copy.take() { work.connection.abandonCopyIn(progress) }
            if let savepoint { work.connection.rollBack(to: savepoint) }
            savepoint = nil
            throw try taken.error(inserting: order, isOwn: keys.isOwn, cause: error)
        }
    }

    private func finishCopy() throws {
        try send(atLeast: 1)
        guard let (progress, writer, _) = copy.take() else { return }
        try require(writer.rows.rowCount, inserted: work.connection.endCopyIn(progress), by: writer)
    }

    private func insertCollected() throws {
        let filled = writers.filter { $0.rows.rowCount > 0 }
        if try filled.reduce(0, { $0 + $1.rows.rowCount }) <= Self.fewRows || !allowsCopy() {
            let statements = try filled.map { try $0.insertion(of: .init(0..<$0.rows.rowCount)) }
            let results =
                isUnique
                ? try work.connection.runBehindSavepoint(statements) : try work.connection.run(statements)
            for (writer, result) in zip(filled, results) {
                try require(writer.rows.rowCount, inserted: result.affectedRows, by: writer)
            }
            return
        }
        if isUnique { savepoint = try work.connection.openSavepoint() }
        for writer in filled {
            copy = (try work.connection.beginCopyIn(into: writer.target), writer, 0)
            try finishCopy()
        }
    }

    /// Throws an error if the server has inserted fewer rows than it was sent.
    private func require(_ count: Int, inserted: Int, by writer: ServerRowWriter) throws {
        guard inserted < count else { return }
        throw work.ignoredChange(
            "insert objects of \(writer.entity.name)", of: writer.entity, in: writer.columns.table)
    }
}
#endif
