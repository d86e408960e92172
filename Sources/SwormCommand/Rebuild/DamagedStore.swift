import Foundation
import OpenCoreData
import SwormSQLite

/// A store whose file is read page by page.
struct DamagedStore {
    struct Row {
        var key: Int64
        var values: [ExactValue?]
    }

    let file: PageFile
    /// The columns of the tables, by name, in their order; empty where the schema cannot be read.
    let columns: [String: [String]]
    private let roots: [String: Int]
    private var survey: TableSurvey

    init(_ url: URL) throws {
        file = try PageFile(url)
        let schema = TableSurvey(file, [.init(name: "sqlite_master", root: 1)])
        var columns: [String: [String]] = [:]
        var tables: [TableSurvey.Table] = []
        let statements = try Connection(.memory(name: "schema"))
        for row in Self.rows(of: schema.leaves["sqlite_master"] ?? [], in: file).rows where row.values.count == 5 {
            guard case .text(let kind)? = row.values[0], kind == Data("table".utf8),
                case .text(let name)? = row.values[1],
                case .integer(let root)? = row.values[3], root > 0, root <= file.count,
                case .text(let sql)? = row.values[4]
            else { continue }
            let title = String(decoding: name, as: UTF8.self)
            tables.append(.init(name: title, root: Int(root)))
            try? statements.execute(String(decoding: sql, as: UTF8.self))
            columns[title] = try Self.columns(of: title, statements)
        }
        self.columns = columns
        roots = Dictionary(tables.map { ($0.name, $0.root) }, uniquingKeysWith: { first, _ in first })
        survey = TableSurvey(file, tables)
    }

    static func columns(of table: String, _ connection: Connection) throws -> [String] {
        var statement = try connection.statement("SELECT name FROM pragma_table_info(?) ORDER BY cid")
        try statement.bind(table, at: 1)
        var names: [String] = []
        while try statement.step() { names.append(statement.text(0) ?? "") }
        return names
    }

    /// The pages to which the tree of a table leads and that cannot be read.
    func brokenPages(of table: String) -> [Int] { survey.broken[table] ?? [] }

    /// The rows of a table, and the keys of those that go on on a page that cannot be read.
    func rows(of table: String) -> (rows: [Row], cut: [Int64]) { Self.rows(of: survey.leaves[table] ?? [], in: file) }

    /// Gives the leaves that no tree leads to to the tables whose rows they can hold.
    ///
    /// - Parameter fits: Whether a row can be one of a table.
    /// - Returns: The leaves that belong to no table, or to one of several.
    mutating func assignOrphans(_ candidates: [String], fits: (Row, String) -> Bool) -> [Int] {
        var left: [Int] = []
        for leaf in survey.orphans {
            let rows = Self.rows(of: [leaf], in: file).rows
            guard !rows.isEmpty else { continue }
            let root = survey.root(above: leaf)
            let possible = candidates.filter { table in
                if let root, let own = roots[table], own != root { return false }
                return rows.allSatisfy { fits($0, table) }
            }
            // A tree that is whole has all of its leaves.
            let open = possible.filter { roots[$0] == nil || survey.broken[$0] != nil }
            if let only = open.first, open.count == 1 { survey.assign(leaf, to: only) } else { left.append(leaf) }
        }
        return left
    }

    private static func rows(of leaves: [Int], in file: PageFile) -> (rows: [Row], cut: [Int64]) {
        var rows: [Row] = []
        var cut: [Int64] = []
        var seen: Set<Int64> = []
        for number in leaves {
            guard let page = file.page(number), case .leaf(let cells)? = TablePage(page, number: number, in: file)
            else {
                continue
            }
            for cell in cells where !seen.contains(cell.key) {
                guard let record = PageRecord.bytes(of: cell, on: page, in: file).flatMap(PageRecord.init) else {
                    cut.append(cell.key)
                    continue
                }
                seen.insert(cell.key)
                rows.append(Row(key: cell.key, values: record.values))
            }
        }
        return (rows, cut.filter { !seen.contains($0) })
    }
}
