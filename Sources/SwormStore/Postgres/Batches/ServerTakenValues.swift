#if PostgreSQL
import Foundation
import SwormPostgres
import SwormPredicates

/// A search for the rows that have the unique values of collected rows.
struct ServerTakenValues {
    /// Some of the rows that a writer has collected.
    struct Run {
        var writer: ServerRowWriter
        var rows: Range<Int>
    }

    /// A row that has the unique values of a collected row.
    struct Holder {
        var row: RowID
        var values: [AttributeValue]
    }

    let work: ServerBatch

    init(_ work: ServerBatch) { self.work = work }

    // MARK: Holders

    /// Returns the rows of the table that have the unique values of collected rows, by the index of the collected row in the
    /// selection. Rows with a value that is nil have no holder.
    ///
    /// - Parameter update: A row that is updated instead of an insertion, with the columns that are assigned.
    func holders(
        of rows: ServerRowWriter.Selection, in writer: ServerRowWriter, _ constraint: UniqueConstraint,
        updating update: (key: Int64, columns: [String])? = nil
    ) throws -> [Int: Holder] {
        guard let places = places(of: constraint, in: writer, all: update != nil) else { return [:] }
        let columns = places.compactMap(\.index)
        let (table, parameters) = try writer.unnest(rows, columns: columns, isNumbered: true)
        var updated = ""
        if let update {
            parameters.append(update.key)
            updated = " JOIN \(constraint.table) r ON r.\(work.key) = $\(parameters.count)"
        }
        let tests = places.map { place in
            let name = place.place.column
            guard update?.columns.contains(name) ?? true else { return "t0.\(name) = r.\(name)" }
            return "t0.\(name) = \(place.index.map { "u.c\($0)" } ?? "NULL")"
        }
        let list = places.map { "t0.\($0.place.column)" }.joined(separator: ", ")
        let found = try work.connection.run(
            "SELECT \(work.entityNumber(of: writer.entity.root)), t0.\(work.key), u.n, \(list) FROM \(table)\(updated) JOIN \(constraint.table) t0 ON \(tests.joined(separator: " AND ")) ORDER BY u.n, t0.\(work.key)",
            with: parameters)
        var result: [Int: Holder] = [:]
        for (row, identity) in try ServerBatchKeys.rows(of: found).enumerated() {
            let index = (try found.int(row, column: 2) ?? 1) &- 1
            guard result[index] == nil else { continue }
            let values = try places.enumerated().map { column, place -> AttributeValue in
                let stored = try found.serverValue(row, column: 3 + column, as: place.place.type)
                return stored.value(as: place.place.attribute.type) ?? .null
            }
            result[index] = Holder(row: identity, values: values)
        }
        return result
    }

    /// Returns the columns of a constraint with their indices in the rows of a writer; nil if the rows cannot violate it, because
    /// they have no value for one of them.
    ///
    /// - Parameter isUpdate: Whether another row has values for the columns that the rows lack.
    private func places(
        of constraint: UniqueConstraint, in writer: ServerRowWriter, all isUpdate: Bool
    ) -> [(place: ServerColumns.Attribute, index: Int?)]? {
        var places: [(place: ServerColumns.Attribute, index: Int?)] = []
        for property in constraint.properties {
            // A row without relationships cannot conflict through one.
            guard case .attribute(let slot)? = writer.entity.slot(named: property),
                let place = writer.columns.attribute(slot)
            else { return nil }
            let index = writer.map.index(ofSlot: slot)
            guard index != nil || isUpdate else { return nil }
            places.append((place, index))
        }
        return places
    }

    // MARK: Errors

    /// Returns the error for rows of which the server has rejected one because another row has its unique values.
    ///
    /// - Parameters:
    ///   - order: The rows, in the order of the values.
    ///   - isOwn: Returns whether a key belongs to a row of the batch.
    ///   - cause: The error of the server.
    func error(
        inserting order: [Run], isOwn: (Int64) -> Bool, cause: ServerError
    ) throws -> CoreDataError {
        let count = order.reduce(0) { $0 + $1.rows.count }
        let place = try firstFailure(count: count) { range in
            try part(range, of: order).map { try $0.writer.insertion(of: .init($0.rows)) }
        }
        guard let place, let first = part(place..<place + 1, of: order).first else { return work.unseenRow(cause) }
        for constraint in first.writer.columns.uniqueConstraints(in: work.model) {
            guard let holder = try holders(of: .init(first.rows), in: first.writer, constraint)[0] else { continue }
            return error(of: holder, constraint, in: first.writer, isOwn: isOwn(holder.row.key))
        }
        return work.unseenRow(cause)
    }

    func error(
        of holder: Holder, _ constraint: UniqueConstraint, in writer: ServerRowWriter, isOwn: Bool
    ) -> CoreDataError {
        CoreDataError.takenValue(
            of: writer.entity, constraint.properties, values: holder.values, by: holder.row,
            of: work.model.entity(numbered: Int64(holder.row.entity)), isOwn: isOwn)
    }

    /// Returns the first of some rows whose statement the server rejects, and leaves the rows before it written.
    ///
    /// The rows are divided in halves, so that the number of statements grows with the logarithm of the number of rows.
    ///
    /// - Parameter statements: Returns the statements that write rows.
    func firstFailure(count: Int, _ statements: (Range<Int>) throws -> [SQLStatement]) throws -> Int? {
        var (low, high) = (0, count)
        guard high > 0 else { return nil }
        while high - low > 1 {
            let middle = low + (high - low) / 2
            do {
                _ = try work.connection.runBehindSavepoint(try statements(low..<middle))
                low = middle
            } catch let error as ServerError where error.kind == .uniqueViolation {
                high = middle
            }
        }
        return low
    }

    /// Returns the rows at some positions in the order.
    private func part(_ range: Range<Int>, of order: [Run]) -> [Run] {
        var result: [Run] = []
        var start = 0
        for run in order {
            let places = range.clamped(to: start..<start + run.rows.count)
            if !places.isEmpty {
                let first = run.rows.lowerBound + places.lowerBound - start
                result.append(Run(writer: run.writer, rows: first..<first + places.count))
            }
            start += run.rows.count
        }
        return result
    }
}
#endif
