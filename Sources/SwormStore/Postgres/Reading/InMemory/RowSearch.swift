#if PostgreSQL
import Foundation
import SwormPostgres
import SwormPredicates
import SwormRows

/// A search for the rows of a request that has no exact statement.
///
/// A statement with the exact part of the request is read by a cursor, with the columns that the rest reads. Each row is tested by
/// the prepared predicate that also tests unsaved objects. Rows to which relationships lead are read by one statement for each
/// relationship and portion.
final class RowSearch {
    let request: FetchSpecification
    let session: PostgresSession
    private let connection: PostgresConnection
    private let source: EvaluationSource
    /// The keys of the rows among which to search; nil for all.
    private let keys: [Int64]?
    private var split: SplitRequest
    private var predicate: PreparedPredicate?
    /// The reason why other parts of the request than the condition and the order are evaluated in memory.
    private let reason: NotExact?
    /// The number of rows that were read so far to be tested.
    private var readCount = 0

    init(
        _ request: FetchSpecification, split: SplitRequest, reading names: ReadNames, among keys: [Int64]?,
        because reason: NotExact?, in session: PostgresSession, on connection: PostgresConnection
    ) throws {
        self.request = request
        self.session = session
        self.connection = connection
        self.reason = reason
        self.split = Self.limited(split, of: request)
        self.keys = keys
        var names = names
        // A conjunct that fails on the server is tested in memory later.
        if let condition = request.predicate { names.add(condition) }
        for sort in request.sorts { names.add(sort.path) }
        source = EvaluationSource(session: session, connection: connection, names: names.names)
        predicate = try prepared()
    }

    /// Returns the parts of a request whose statement has no offset, because the offset counts the rows that remain.
    private static func limited(_ split: SplitRequest, of request: FetchSpecification) -> SplitRequest {
        var split = split
        let (end, overflow) = request.offset.addingReportingOverflow(request.limit)
        split.fetch.limit = split.isExact && request.limit > 0 && !overflow ? end : 0
        split.fetch.offset = 0
        return split
    }

    private func prepared() throws -> PreparedPredicate? {
        try split.rest.map { rest in
            try PreparedPredicate(
                rest.roundingDates(
                    in: session.compiler.layout, model: session.store.model, entity: request.entity))
        }
    }

    // MARK: Results

    /// Returns the identities of the rows that match, in the order of the request.
    func identities() throws -> [RowID] { try matches { try $0.identity } }

    /// Returns the keys of the rows that match, in the order of the request.
    func matchingKeys() throws -> [Int64] { try matches { $0.key } }

    /// Returns the number of rows that match, with the limit and the offset of the request.
    func count() throws -> Int {
        // It does not depend on the order.
        split.fetch.sorts = []
        let (limit, offset) = (request.limit, request.offset)
        var count = 0
        try forEachMatch { _ in
            count += 1
            return limit == 0 || count - offset < limit
        }
        return max(0, count - offset)
    }

    /// Returns a value for each row that matches, in the order of the request and with its limit and its offset.
    func matches<Element>(_ make: (EvaluatedRow) throws -> Element) throws -> [Element] {
        guard split.sortsInMemory else {
            var result: [Element] = []
            var rest = request.offset
            try forEachMatch { row in
                if rest > 0 {
                    rest -= 1
                    return true
                }
                result.append(try make(row))
                return request.limit == 0 || result.count < request.limit
            }
            return result
        }
        var found: [(values: [AttributeValue], key: Int64, element: Element)] = []
        try forEachMatch { row in
            found.append((try request.sorts.map { try row.sortValue($0.path) }, row.key, try make(row)))
            return true
        }
        let sorts = request.sorts
        var comparisons = 0
        try found.sort { left, right in
            comparisons += 1
            if comparisons & 4095 == 0 { try check() }
            for (index, sort) in sorts.enumerated() {
                let order = compareForSort(left.values[index], right.values[index], options: sort.options)
                if order != .orderedSame { return (order == .orderedAscending) == sort.ascending }
            }
            return left.key < right.key
        }
        let start = min(request.offset, found.count)
        let end = request.limit > 0 ? start + min(request.limit, found.count - start) : found.count
        return found[start..<end].map(\.element)
    }

    // MARK: Testing

    /// Calls a closure with the rows that match, without regard to the limit and the offset, until it returns false. The rows
    /// have the order of the request unless that is established in memory.
    private func forEachMatch(_ body: (EvaluatedRow) throws -> Bool) throws {
        let token = session.token
        defer { MemoryReport(request: request, split: split, reason: reason, count: readCount).send(to: session.store) }
        try LongWork.$check.withValue(LongWork.Check { token.stopsWork }) {
            var count = 0
            do {
                return try test { row in
                    count += 1
                    return try body(row)
                }
            } catch let error as ServerError where error.isOutOfRange && isGuarded {}
            // The conjuncts that compute numbers are tested in memory now, on the same rows in the same order.
            split = try Self.limited(session.compiler.split(request, leavingComputations: true), of: request)
            try session.requireAllowed(split, of: request)
            predicate = try prepared()
            var known = count
            try test { row in
                if known > 0 {
                    known -= 1
                    return true
                }
                return try body(row)
            }
        }
    }

    private var isGuarded: Bool { split.fetch.predicate?.computesNumbers ?? false }

    private func test(_ body: (EvaluatedRow) throws -> Bool) throws {
        let shape = source.shape(of: request.entity)
        let compiled =
            if let keys {
                try session.compiler.rows(split.fetch, among: keys, shape: shape)
            } else {
                try session.compiler.rows(split.fetch, shape: shape)
            }
        let portions = try session.query(compiled, on: connection, isGuarded: isGuarded).portions(isFlat: true)
        while let portion = try portions.next() {
            let rows = EvaluatedRows(
                try session.buffer([portion], shape: shape), shape: shape, source: source)
            readCount += rows.count
            for row in 0..<rows.count {
                if row & 255 == 0 { try check() }
                let subject = EvaluatedRow(rows: rows, row: row)
                guard try predicate?.matches(subject) ?? true else { continue }
                // A string search that was stopped has not matched yet, which must not be treated as a result.
                if LongWork.stops { try check() }
                guard try body(subject) else { return }
            }
            if LongWork.stops { try check() }
        }
    }

    private func check() throws {
        if let failure = session.token.failure { throw failure }
        if LongWork.stops {
            throw CoreDataError(
                CocoaError.Code.userCancelled.rawValue, "The work was stopped. Nothing was read.")
        }
    }

    /// Returns the result of a statement for the next keys of a list; nil after the last one.
    func next(
        of keys: inout ArraySlice<Int64>, size: Int, compile: ([Int64]) throws -> CompiledStatement
    ) throws -> PostgresResult? {
        guard !keys.isEmpty else { return nil }
        let portion = Array(keys.prefix(size))
        keys = keys.dropFirst(size)
        return try connection.run(SQLStatement(compile(portion)))
    }

    /// Returns rows with known keys as subjects of expressions, in the order of the keys.
    func rows(withKeys keys: [Int64]) throws -> [EvaluatedRow] {
        let shape = source.shape(of: request.entity)
        let result = try connection.run(SQLStatement(session.compiler.rows(inOrderOf: keys, shape: shape)))
        let rows = EvaluatedRows(try session.buffer([result], shape: shape), shape: shape, source: source)
        return (0..<rows.count).map { EvaluatedRow(rows: rows, row: $0) }
    }
}
#endif
