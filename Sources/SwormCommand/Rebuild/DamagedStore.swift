import Foundation
import OpenCoreData
import SwormStore

/// A store whose file is read page by page.
final class DamagedStore {
    struct Row {
        var key: Int64
        var values: [ExactValue?]
    }

    let file: PageFile
    let uses: PageUses
    /// The column names of the tables in the schema, in column order, by table name.
    let columns: [String: [String]]
    /// Whether the whole schema can be read.
    let hasWholeSchema: Bool
    private let roots: [String: Int]
    private let names: [Int: String]
    private let survey: TableSurvey
    /// The leaves of the tables whose rows are recovered.
    private var assigned: [String: [Int]] = [:]
    /// The leaves that the tree of a table refers to, but that contain rows of another table.
    private(set) var foreign: [String: [Int]] = [:]
    /// The row that a page is a part of, by page.
    private var owners: [Int: Int] = [:]

    /// - Parameter url: A file that no process changes.
    init(_ url: URL) throws {
        file = try PageFile(url)
        let uses = PageUses(file)
        self.uses = uses
        let schema = TableSurvey(file, tables: [.init(name: "sqlite_master", root: 1)])
        hasWholeSchema = schema.broken.isEmpty && schema.turning.isEmpty
        var pages = schema.leaves["sqlite_master"] ?? []
        if !hasWholeSchema {
            pages += (1...max(file.count, 1)).filter { !schema.visited.contains($0) && uses.isInTree($0) }
        }
        var columns: [String: [String]] = [:]
        var tables: [TableSurvey.Table] = []
        for page in pages {
            let rows = Self.rows(on: page, in: file, isPart: false).compactMap(\.row)
            guard rows.allSatisfy(Self.isOfSchema) else { continue }
            for row in rows {
                guard case .text(let kind)? = row.values[0], kind == Data("table".utf8),
                    case .text(let name)? = row.values[1], case .integer(let root)? = row.values[3], root > 0,
                    root <= file.count, case .text(let sql)? = row.values[4],
                    let names = SchemaStatement.columns(of: String(decoding: sql, as: UTF8.self))
                else { continue }
                let title = String(decoding: name, as: UTF8.self)
                guard columns[title] == nil else { continue }
                tables.append(.init(name: title, root: Int(root)))
                columns[title] = names
            }
        }
        self.columns = columns
        roots = Dictionary(tables.map { ($0.name, $0.root) }, uniquingKeysWith: { first, _ in first })
        names = Dictionary(tables.map { ($0.root, $0.name) }, uniquingKeysWith: { first, _ in first })
        survey = TableSurvey(file, tables: tables)
    }

    /// Returns whether the schema contains the table, with a root page.
    func hasTable(_ name: String) -> Bool { roots[name] != nil }

    /// Returns the unreadable pages that the tree of a table refers to.
    func brokenPages(of table: String) -> [Int] { survey.broken[table] ?? [] }

    /// Returns the pages that refer back to earlier pages of the same tree.
    func turningPages(of table: String) -> [Int] { survey.turning[table] ?? [] }

    /// Returns the leaves of a table: those of its tree, and those that were assigned to it.
    func leaves(of table: String) -> [Int] { assigned[table] ?? survey.leaves[table] ?? [] }

    /// Returns whether the tree of a table refers to a leaf.
    func isInTree(_ leaf: Int, of table: String) -> Bool { survey.leaves[table]?.contains(leaf) ?? false }

    /// Returns all leaves with rows that may belong to a table that is not in the schema.
    func leaves(where isRow: (Row) -> Bool) -> [Int] {
        guard !hasWholeSchema else { return [] }
        return (1...max(file.count, 1)).filter { page in
            guard !survey.visited.contains(page), uses.isInTree(page) else { return false }
            let rows = Self.rows(on: page, in: file, isPart: true).compactMap(\.row)
            return !rows.isEmpty && rows.allSatisfy(isRow)
        }
    }

    // MARK: Owners of pages

    /// Assigns each leaf to the table whose rows it contains: if possible, to the table whose tree refers to it;
    /// otherwise to the table that the pointer maps name, or to the only possible table.
    ///
    /// - Parameters:
    ///   - candidates: The tables whose rows are recovered.
    ///   - fits: Whether a row can belong to a table.
    /// - Returns: The leaves that could belong to several tables.
    func assignLeaves(to candidates: [String], fits: (Row, String) -> Bool) -> [Int] {
        let wanted = Set(candidates)
        var claims: [Int: [String]] = [:]
        for name in survey.leaves.keys.sorted() {
            for leaf in survey.leaves[name] ?? [] { claims[leaf, default: []].append(name) }
        }
        var homeless: Set<Int> = []
        var owner: [Int: String] = [:]
        for (leaf, claimants) in claims {
            let rows = Self.rows(on: leaf, in: file, isPart: true).compactMap(\.row)
            func isPossible(_ name: String) -> Bool {
                rows.isEmpty || !wanted.contains(name) || rows.contains { fits($0, name) }
            }
            let mapped = claimants.count > 1 ? uses.root(above: leaf).flatMap { names[$0] } : nil
            // If there are several tables, candidates come first, because `fits` can check their rows.
            let sorted = claimants.filter(wanted.contains) + claimants.filter { !wanted.contains($0) }
            if let name = ([mapped].compactMap { $0 } + sorted).first(where: isPossible) {
                owner[leaf] = name
            } else {
                homeless.insert(leaf)
            }
        }
        for name in candidates {
            let own = survey.leaves[name] ?? []
            assigned[name] = own.filter { owner[$0] == name }
            foreign[name] = own.filter { owner[$0] != name }
        }
        return assignOrphans(homeless, to: candidates, fits: fits)
    }

    private func assignOrphans(
        _ homeless: Set<Int>, to candidates: [String], fits: (Row, String) -> Bool
    ) -> [Int] {
        var left: [Int] = []
        for leaf in stride(from: 1, through: file.count, by: 1)
        where homeless.contains(leaf) || !survey.visited.contains(leaf) && uses.isInTree(leaf) {
            let rows = Self.rows(on: leaf, in: file, isPart: true).compactMap(\.row)
            guard !rows.isEmpty, !rows.allSatisfy(Self.isOfSchema) else { continue }
            let root = uses.root(above: leaf)
            let possible = candidates.filter { table in
                if let root, let own = roots[table], own != root { return false }
                return rows.count { fits($0, table) } * 2 > rows.count
            }
            let open = possible.filter(isIncomplete)
            if let only = possible.first, possible.count == 1 {
                assigned[only, default: []].append(leaf)
            } else if let only = open.first, open.count == 1 {
                assigned[only, default: []].append(leaf)
            } else if !possible.isEmpty {
                left.append(leaf)
            }
        }
        return left
    }

    /// Returns whether rows of a table can be on pages that its tree does not refer to.
    private func isIncomplete(_ table: String) -> Bool {
        roots[table] == nil || survey.broken[table] != nil || survey.turning[table] != nil
            || foreign[table]?.isEmpty == false
    }

    private static func isOfSchema(_ row: Row) -> Bool {
        guard row.values.count == 5, case .text(let kind)? = row.values[0], case .text? = row.values[1],
            case .text? = row.values[2], case .integer? = row.values[3]
        else { return false }
        return ["table", "index", "trigger", "view"].contains { kind == Data($0.utf8) }
    }

    // MARK: Rows

    /// The rows of a leaf.
    struct LeafRows {
        var rows: [Row] = []
        /// The keys of rows that continue on a page that is unreadable or is a part of another row.
        var cut: [Int64] = []
        /// The number of rows that do not belong to the table.
        var odd = 0
        /// The number of rows whose keys also occur on previous leaves.
        var repeated = 0
    }

    /// Returns the rows of a leaf of a table.
    ///
    /// - Parameters:
    ///   - seen: The keys of the rows of the previous leaves.
    ///   - fits: Whether a row can belong to the table.
    func rows(on leaf: Int, seen: inout Set<Int64>, fits: (Row) -> Bool) -> LeafRows {
        var result = LeafRows()
        for (position, cell) in Self.cells(on: leaf, in: file).enumerated() {
            guard !seen.contains(cell.key) else {
                result.repeated += 1
                continue
            }
            guard let row = row(cell, on: leaf, at: position) else {
                result.cut.append(cell.key)
                continue
            }
            guard fits(row) else {
                result.odd += 1
                continue
            }
            seen.insert(cell.key)
            result.rows.append(row)
        }
        return result
    }

    /// Returns the row of a cell, including overflow pages. A page is a part of the first row that it is read for.
    private func row(_ cell: TablePage.Cell, on leaf: Int, at position: Int) -> Row? {
        let identity = leaf << 16 | position
        guard let page = file.page(leaf),
            let further = PageRecord.furtherPages(
                of: cell, in: file, mayUse: { owners[$0] ?? identity == identity }),
            let bytes = PageRecord.bytes(of: cell, on: page, further, in: file),
            let record = PageRecord(bytes, encoding: file.encoding)
        else { return nil }
        for number in further { owners[number] = identity }
        return Row(key: cell.key, values: record.values)
    }

    private static func cells(on leaf: Int, in file: PageFile) -> [TablePage.Cell] {
        guard let page = file.page(leaf), case .leaf(let cells)? = TablePage(page, number: leaf, in: file) else {
            return []
        }
        return cells
    }

    /// Returns the rows of a leaf; a row is nil if it cannot be read. If `isPart` is true, only the part of each row
    /// that is on the leaf itself is read.
    private static func rows(on leaf: Int, in file: PageFile, isPart: Bool) -> [(key: Int64, row: Row?)] {
        guard let page = file.page(leaf) else { return [] }
        return cells(on: leaf, in: file).map { cell in
            let further = isPart ? [] : PageRecord.furtherPages(of: cell, in: file)
            let record = further.flatMap { PageRecord.bytes(of: cell, on: page, $0, in: file) }
                .flatMap { PageRecord($0, encoding: file.encoding, isPart: isPart) }
            return (cell.key, record.map { Row(key: cell.key, values: $0.values) })
        }
    }
}
