#if PostgreSQL
import SwormPostgres
import SwormPredicates
import SwormRows

extension PostgresSession {
    func rows(of level: TreeLevel, layout: RowLayout) throws -> RowMemory {
        var rows = RowMemory(layout)
        // The server would sort the rows by owner, although only the order of their keys counts. Computed values are gathered
        // while rows are decoded, in their order.
        let unsorted =
            layout.keyOffset != nil && level.expressions.isEmpty ? try? compiler.unsortedMembers(level) : nil
        try answer(level, by: unsorted) { query in
            let portions = try query.portions()
            while let portion = try portions.next() { try naming(level) { try portion.decode(into: rows) } }
        } inMemory: { search in
            var rest = search
            // The statement may have failed after some rows. The search has the order of a sorted statement.
            if unsorted == nil { rest.skip(rows.count) } else { rows = RowMemory(layout) }
            while let portion = try rest.next(ResultSizes.wholeLimit) {
                try naming(level) { try portion.decode(into: rows) }
            }
        }
        if unsorted != nil, let offset = layout.keyOffset { rows.sort(byIntegerAt: offset) }
        return rows
    }

    func forEach(of level: TreeLevel, layout: RowLayout, size: Int, body: (RowMemory) throws -> Void) throws {
        // The rows that the body has received, if the statement fails in between.
        var count = 0
        func give(_ portion: PostgresResult) throws {
            let rows = RowMemory(layout)
            try naming(level) { try portion.decode(into: rows) }
            count += rows.count
            do { try body(rows) } catch { throw BodyFailure(cause: error) }
        }
        do {
            try answer(level) { query in
                let portions = try query.portions(isFlat: true, size: size)
                while let portion = try portions.next() { try give(portion) }
            } inMemory: { search in
                var rest = search
                rest.skip(count)
                while let portion = try rest.next(size) { try give(portion) }
            }
        } catch let error as BodyFailure {
            throw error.cause
        }
    }

    /// Answers a request for a level by a statement, or by testing rows in memory.
    ///
    /// - Parameter unsorted: The statement, if it is another one than that for the order of the level.
    private func answer(
        _ level: TreeLevel, by unsorted: CompiledStatement? = nil, byStatement exact: (ServerQuery) throws -> Void,
        inMemory: (LevelSearch) throws -> Void
    ) throws {
        try read { connection in
            let query: ServerQuery
            do {
                let (compiled, computes) = try statement(for: level, unsorted)
                query = try self.query(
                    compiled, on: connection, isGuarded: computes, limit: Self.rowLimit(of: level))
            } catch let reason as NotExact {
                return try inMemory(LevelSearch(level, because: reason, in: self, on: connection))
            }
            do {
                try exact(query)
            } catch let error as ServerError where query.isGuarded && error.isOutOfRange {
                try inMemory(LevelSearch(level, leavingComputations: true, in: self, on: connection))
            }
        }
    }

    /// Returns the statement of a level, and whether it computes numbers.
    private func statement(
        for level: TreeLevel, _ unsorted: CompiledStatement?
    ) throws -> (CompiledStatement, Bool) {
        let computes =
            level.fetch.predicate?.computesNumbers ?? false || level.expressions.contains(where: \.computesNumbers)
        if case .request = level.source, level.expressions.isEmpty {
            let (statement, isKnown) = try schema.reading.shapes.statement(
                for: level.fetch, selecting: .values(level.columns)
            ) { try compiler.values($0, attributes: level.columns) }
            return (statement, !isKnown && computes)
        }
        return (try unsorted ?? compiler.level(level), computes)
    }

    /// The largest number of rows of a level; nil if it is unknown.
    private static func rowLimit(of level: TreeLevel) -> Int? {
        switch level.source {
        case .request: return level.fetch.limit > 0 ? level.fetch.limit : nil
        case .keys(let keys): return keys.count
        case .members(_, _, let owners, _):
            let (count, overflow) = level.fetch.limit.multipliedReportingOverflow(by: owners.count)
            return level.fetch.limit > 0 && !overflow ? count : nil
        }
    }

    private func naming<Result>(_ level: TreeLevel, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch {
            throw store.model.named(error, in: level)
        }
    }
}

extension RowLayout {
    /// The offset of the primary key, the first column of a level; nil if rows do not keep it.
    fileprivate var keyOffset: Int? { ops.first { $0.column == 0 && $0.kind == .int64 }?.offset }
}
#endif
