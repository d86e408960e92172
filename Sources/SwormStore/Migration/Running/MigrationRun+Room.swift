import Foundation
import SwormSQLite

/// The disk space, in bytes, that a change needs in addition to the store.
struct MigrationRoom {
    /// The size of the copy when it is largest.
    var copy: Int64
    /// The disk space that is needed when the copy replaces the store, after the store's log is checkpointed.
    var end: Int64

    var largest: Int64 { max(copy, end) }
}

extension MigrationRun {
    /// Returns an estimate of the disk space that the change needs. An estimate that is too high is better than a
    /// failure at the end.
    func neededRoom() throws -> MigrationRoom {
        let size = try original.size()
        let rebuilt = try self.size(ofTrees: rebuiltTables) ?? size
        let freed = rebuilt + (try self.size(ofTrees: indexesToDrop) ?? 0)
        let (fills, indexes) = (try sizeOfFills(), max(0, try sizeOfNewIndexes() - freed))
        let links = try sizeOfNewJoins()
        let content = incoming.reduce(0) { $0 + $1.size }
        var growth = fills + indexes + links
        // Rows that get longer leave pages that are not full.
        if growth + rebuilt > 0 || lengthensRows { growth += growth / 4 + size / 8 }
        growth += content
        let fixed = Int64(2 * migration.target.cache.count) + 1 << 16
        let log = max(0, size - (FileStamp(path: migration.files.main)?.size ?? size))
        return MigrationRoom(copy: size + rebuilt + growth + fixed, end: size + growth + log + fixed)
    }

    /// The tables of the store whose rows are copied into new ones.
    private var rebuiltTables: Set<String> {
        Set(
            planner.tables.filter { $0.kept == nil }.flatMap { plan in
                plan.pairs.map { layout.table(of: migration.source[$0.source.root]) }
            })
    }

    /// Returns the size in bytes of tables and indexes; nil if SQLite does not report it.
    private func size(ofTrees names: Set<String>) throws -> Int64? {
        if names.isEmpty { return 0 }
        do {
            return try names.reduce(0) { sum, name in
                sum
                    + (try original.integer(
                        "SELECT sum(pgsize) FROM dbstat WHERE name = ? AND aggregate = 1", binding: [.text(name)]) ?? 0)
            }
        } catch is SQLiteError {
            // Not every build of SQLite includes the `dbstat` table.
            return nil
        }
    }

    /// Whether rows of retained tables are rewritten, and may each need an additional byte.
    private var lengthensRows: Bool {
        planner.tables.contains { plan in
            plan.kept != nil
                && (plan.hasFills || plan.pairs.contains { $0.source.number != $0.destination.number })
        }
    }

    /// Returns the size in bytes of the default values that are added to rows.
    private func sizeOfFills() throws -> Int64 {
        var size: Int64 = 0
        for plan in planner.tables {
            for (index, pair) in plan.pairs.enumerated() where !pair.source.isAbstract {
                for cells in plan.cells {
                    guard let cell = cells[index], let fill = cell.fill else { continue }
                    var count = counts[pair.source.number] ?? 0
                    if let column = cell.column {
                        count =
                            try original.integer(
                                "SELECT count(*) - count(\(SQLName.quoted(column))) FROM \(SQLName.quoted(layout.table(of: pair.source))) WHERE Z_ENT = \(pair.source.number)"
                            ) ?? 0
                    }
                    size += count * Self.size(of: fill)
                }
            }
        }
        return size
    }

    private static func size(of value: StoredValue) -> Int64 {
        switch value {
        case .null: 0
        case .integer, .real: 9
        case .text(let text): Int64(text.utf8.count) + 2
        case .blob(let bytes): Int64(bytes.count) + 2
        case .uuid: 18
        }
    }

    /// Returns the size in bytes of the links in new join tables.
    private func sizeOfNewJoins() throws -> Int64 {
        var size: Int64 = 0
        for join in planner.joins where join.kept == nil {
            let sides = [join.place, planner.feeds.inverse(of: join.place)].compactMap { $0 }
            for (pair, slot) in sides.flatMap({ planner.feeds.sources(of: $0) }) {
                guard let links = layout.links(of: slot, in: pair.source, migration.source) else { continue }
                // A row and an index entry, each with two keys and a position.
                size += (try original.integer("SELECT count(*) FROM (\(links))") ?? 0) * 40
            }
        }
        return size
    }

    // MARK: Indexes

    /// The names of the indexes that are dropped before new ones are created.
    private var indexesToDrop: Set<String> {
        let dropped = Set(planner.removeIndexes().map(\.sql))
        let rebuilt = rebuiltTables
        return Set(
            planner.source.objects.filter { object in
                object.kind == .index
                    && (rebuilt.contains(object.table)
                        || dropped.contains("DROP INDEX \(SQLName.alwaysQuoted(object.name))"))
            }.map(\.name))
    }

    /// Returns the size in bytes of the indexes that are created: for each row its indexed values and its key.
    private func sizeOfNewIndexes() throws -> Int64 {
        var size: Int64 = 0
        for index in planner.indexesToMake {
            let words = Set((SchemaIndex.place(index.sql) ?? "").split { !($0.isLetter || $0.isNumber || $0 == "_") })
            if let plan = planner.tables.first(where: { $0.table.name == index.table }) {
                let uses = plan.uses.indices.filter { words.contains(Substring(plan.uses[$0].column)) }
                for (place, pair) in plan.pairs.enumerated() where !pair.source.isAbstract {
                    let count = counts[pair.source.number] ?? 0
                    size += count * 12
                    for use in uses { size += try self.size(of: plan.cells[use][place], in: pair, count: count) }
                }
            } else if let join = planner.joins.first(where: { $0.join.table == index.table })?.kept {
                size += (try original.integer("SELECT count(*) FROM \(SQLName.quoted(join.table))") ?? 0) * 24
            }
        }
        return size
    }

    /// Returns the size in bytes of a column in all rows of a pair.
    private func size(of cell: TablePlan.Cell?, in pair: MigrationMap.Pair, count: Int64) throws -> Int64 {
        let fill = cell?.fill.map { count * Self.size(of: $0) } ?? 0
        guard let column = cell?.column else { return fill + count }
        return fill
            + (try original.integer(
                "SELECT sum(length(CAST(\(SQLName.quoted(column)) AS BLOB))) FROM \(SQLName.quoted(layout.table(of: pair.source))) WHERE Z_ENT = \(pair.source.number)"
            ) ?? 0)
    }
}
