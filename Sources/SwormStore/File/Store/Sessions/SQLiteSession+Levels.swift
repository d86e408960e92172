import Foundation
import SwormPredicates
import SwormRows
import SwormSQLite

extension SQLiteSession {
    func rows(of level: TreeLevel, layout: RowLayout) throws -> RowMemory {
        try read { connection in
            if let scan = try scan(of: level, on: connection) {
                // The scan also reads members of other owners. If one of them cannot be decoded, by the plan or by a type of
                // the program, or has lost its file, only those that are asked for are read.
                do {
                    return try rows(of: bound(scan, on: connection), layout: layout)
                } catch let error where !(error is SQLiteError) {}
            }
            do {
                return try rows(of: statement(for: level, on: connection), layout: layout, limit: limit(of: level))
            } catch {
                throw store.model.named(error, in: level)
            }
        }
    }

    private func rows(of statement: consuming Statement, layout: RowLayout, limit: Int? = nil) throws -> RowMemory {
        let rows = RowMemory(layout)
        try statement.decode(into: rows, limit: limit, external: externalReader(layout.hasExternal))
        return rows
    }

    func forEach(
        of level: TreeLevel, layout: RowLayout, size: Int, body: (RowMemory) throws -> Void
    ) throws {
        try read { connection in
            var statement = try statement(for: level, on: connection)
            var rest = limit(of: level) ?? Int.max
            while !statement.isDone, rest > 0 {
                let rows = RowMemory(layout)
                do {
                    try statement.decode(
                        into: rows, limit: min(size, rest), external: externalReader(layout.hasExternal))
                } catch {
                    throw store.model.named(error, in: level)
                }
                if rows.count == 0 { break }
                rest -= rows.count
                try body(rows)
            }
        }
    }

    private func limit(of level: TreeLevel) -> Int? {
        guard case .request = level.source, level.fetch.limit > 0 else { return nil }
        return level.fetch.limit
    }

    /// Returns the statement of a level, with its parameters bound.
    private func statement(for level: TreeLevel, on connection: StoreConnection) throws -> Statement {
        if case .request = level.source, level.expressions.isEmpty {
            return try connection.shapes.values(
                level.fetch, attributes: level.columns, by: open.compiler, on: connection.base)
        }
        return try bound(chosenMembers(of: level, on: connection) ?? open.compiler.level(level), on: connection)
    }

    private func bound(_ compiled: CompiledStatement, on connection: StoreConnection) throws -> Statement {
        var statement = try connection.base.statement(compiled.sql)
        try statement.bind(compiled.bindings)
        return statement
    }

    /// Returns the statement that reads the table of the members as it lies, if that is faster than searching for each
    /// owner: if most of the possible owners are asked for.
    private func scan(of level: TreeLevel, on connection: StoreConnection) throws -> CompiledStatement? {
        guard case .members(_, _, _, true) = level.source, let owners = try scannedOwners(of: level, on: connection)
        else {
            return nil
        }
        return try open.compiler.memberScan(level, between: owners)
    }

    /// Returns the range of the owners of a level, if it asks for most of the possible owners.
    private func scannedOwners(of level: TreeLevel, on connection: StoreConnection) throws -> ClosedRange<Int64>? {
        guard case .members(let owner, _, let owners, _) = level.source, owners.count >= Self.scannedOwners,
            let first = owners.first, let last = owners.last
        else { return nil }
        // Keys are assigned consecutively, so the highest key is at least the number of rows. It is found without a scan.
        let table = open.columns[store.model[owner].root - 1].table
        let highest = try connection.integer("SELECT max(Z_PK) FROM \(table)") ?? 0
        return first > 0 && last <= highest && highest / 2 <= Int64(owners.count) ? first...last : nil
    }

    private static var scannedOwners: Int { 200 }

    /// Returns the statement for the first members of each owner, if it is faster to choose them by one reading of the table
    /// than by a search for each owner: SQLite would sort the members of each owner on their own.
    private func chosenMembers(of level: TreeLevel, on connection: StoreConnection) throws -> CompiledStatement? {
        guard case .members(_, _, let owners, _) = level.source, level.fetch.limit > 0, level.fetch.offset >= 0,
            level.fetch.offset <= Self.chosenMembers - level.fetch.limit,
            owners.count <= Self.chosenKeys / (level.fetch.limit + level.fetch.offset),
            let range = try scannedOwners(of: level, on: connection),
            let choice = try open.compiler.memberChoice(level, between: range),
            try connection.base.queryPlan(of: choice.search.sql).contains(where: {
                $0.detail == "USE TEMP B-TREE FOR ORDER BY"
            })
        else { return nil }
        var first = FirstMembers(
            of: owners, in: range, count: level.fetch.limit + level.fetch.offset, descending: choice.descending)
        var statement = try bound(choice.candidates, on: connection)
        while try statement.step() { if !first.add(statement) { return nil } }
        return try open.compiler.members(level, withKeys: first.keys(from: level.fetch.offset))
    }

    private static var chosenMembers: Int { 32 }
    /// Memory is needed for as many members as may be chosen, also if there are fewer.
    private static var chosenKeys: Int { 1_000_000 }
}
