import Foundation
@testable import OpenCoreData
import SwormPredicates
import SwormSQLite
import TestSupport
import Testing

@testable import SwormCommand

@Suite("rebuild")
struct RebuildTests {
    @Test(
        .enabled(if: Fixtures.folder != nil, Comment(rawValue: Fixtures.missing)), arguments: FixtureStores.all)
    func `a sound store is rebuilt completely`(store: FixtureStores.Store) throws {
        let workshop = try Workshop()
        let new = workshop.file("New.sqlite")
        let issues = try store.issues().map(\.kind)
        let run = Run(["rebuild", store.url.path, new, "--model", store.model.path])
        #expect(run.code == (issues.isEmpty ? .ok : .found), "\(run.out) \(run.err)")
        let diff = Run(["diff", store.url.path, new, "--model", store.model.path])
        // Links to objects that are not there are gone, and nothing else.
        #expect(diff.code == .ok || issues.contains("dangling"), "\(diff.out)")
        #expect(!diff.out.contains("removed") || diff.out.contains("0 added, 0 removed"))
    }

    @Test func `values, links, files and metadata come along, and the damaged store stays as it is`() throws {
        let workshop = try Workshop()
        try workshop.makeStore(keepsModel: true)
        let before = try workshop.contents()
        let run = Run(["rebuild", workshop.storePath, workshop.file("New.sqlite")])
        #expect(run.code == .ok && run.out.hasSuffix("nothing lost\n"), "\(run.out)\(run.err)")
        #expect(workshop.run("diff", workshop.file("New.sqlite")).out == "no differences\n")
        #expect(workshop.run("verify", store: workshop.file("New.sqlite")).out == "no faults\n")
        for (name, content) in before { #expect(try workshop.contents()[name] == content) }
        let refused = Run(["rebuild", workshop.storePath, workshop.file("New.sqlite")])
        #expect(refused.code == .failure && refused.err.contains("--force"))
    }

    @Test func `deleted objects do not come back`() throws {
        let workshop = try Workshop()
        try workshop.makeStore(keepsModel: true)
        try workshop.execute(
            """
            WITH RECURSIVE n(i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
            INSERT INTO ZTAG (Z_PK, Z_ENT, Z_OPT, ZNAME) SELECT i, (SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = 'Tag'), 1, 'tag ' || i FROM n;
            DELETE FROM ZTAG WHERE Z_PK BETWEEN 500 AND 2999;
            """)
        // The root of the tree, so that every leaf is looked for.
        let root = try #require(
            try workshop.raw().lines("SELECT rootpage FROM sqlite_master WHERE name = 'ZTAG'").first.flatMap { Int($0) }
        )
        try Damage.zero(root, in: workshop.url("Library.sqlite"))
        let run = Run(["rebuild", workshop.storePath, workshop.file("New.sqlite")])
        #expect(run.code == .found, "\(run.out)\(run.err)")
        let keys = try workshop.raw("New.sqlite").lines(
            "SELECT count(*), min(Z_PK), max(Z_PK) FROM ZTAG WHERE Z_PK >= 100")
        #expect(keys == ["401|100|3000"])
    }

    @Test(arguments: 0..<(Int(ProcessInfo.processInfo.environment["SWORM_REBUILDS"] ?? "") ?? 24))
    func `the rows on undamaged pages of a damaged store are rebuilt`(number: Int) throws {
        let seed = UInt64(number) &+ (UInt64(ProcessInfo.processInfo.environment["SWORM_REBUILD_SEED"] ?? "") ?? 4_711)
        var random = SeededRandom(seed: seed)
        let workshop = try Workshop()
        try Damage.makeStore(in: workshop, &random)
        let whole = workshop.url("Library.sqlite")
        let pages = try Damage.pages(of: ["ZBOOK", "ZTAG", "ZAUTHOR"], in: whole)
        let expected = try Damage.values(in: workshop, "Library.sqlite")
        try #require(pages.count == expected.count)
        let harmed = try Damage.harm(whole, &random)
        let run = Run(["rebuild", workshop.storePath, workshop.file("New.sqlite"), "--model", workshop.modelPath])
        #expect([.ok, .found].contains(run.code), "seed \(seed): \(run.out) \(run.err)")
        guard run.code != .failure else { return }
        let found = try Damage.values(in: workshop, "New.sqlite")
        let safe = pages.filter { harmed.isDisjoint(with: $0.value) }.map(\.key)
        let kept = safe.filter { found[$0] == expected[$0] }
        #expect(
            kept.count * 100 >= safe.count * 99, "seed \(seed): \(kept.count) of \(safe.count), \(harmed.count) pages")
        // Nothing that was never there.
        #expect(found.allSatisfy { expected[$0.key] != nil }, "seed \(seed)")
        let verified = workshop.run("verify", store: workshop.file("New.sqlite"))
        #expect(verified.code == .ok || run.err.contains("the new store: "), "seed \(seed): \(verified.out)")
    }
}

/// Damages the files of stores, and knows which rows that can harm.
enum Damage {
    /// A store of some hundred pages, with rows that continue on overflow pages, holes, and links.
    static func makeStore(in workshop: Workshop, _ random: inout SeededRandom) throws {
        try workshop.makeStore(keepsModel: true)
        let count = Int.random(in: 300...1500, using: &random)
        try workshop.execute(
            """
            WITH RECURSIVE n(i) AS (SELECT 10 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
            INSERT INTO ZAUTHOR (Z_PK, Z_ENT, Z_OPT, ZNAME) SELECT i, (SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = 'Author'), 1, 'author ' || i FROM n;
            WITH RECURSIVE n(i) AS (SELECT 10 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
            INSERT INTO ZTAG (Z_PK, Z_ENT, Z_OPT, ZNAME) SELECT i, (SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = 'Tag'), 1, 'tag ' || i FROM n;
            WITH RECURSIVE n(i) AS (SELECT 10 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
            INSERT INTO ZBOOK (Z_PK, Z_ENT, Z_OPT, ZAUTHOR, ZTITLE) SELECT i, (SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = 'Book'), 1, i,
                substr(hex(zeroblob(6000)), 1, CASE WHEN i % 20 = 0 THEN 9000 ELSE i % 300 END) || 'title ' || i FROM n;
            DELETE FROM ZTAG WHERE Z_PK % 7 = 3 AND Z_PK > 10;
            DELETE FROM ZBOOK WHERE Z_PK BETWEEN \(count / 2) AND \(count / 2 + 40);
            PRAGMA wal_checkpoint(TRUNCATE);
            """)
    }

    /// The pages of each row, by table and key.
    static func pages(of tables: [String], in url: URL) throws -> [String: Set<Int>] {
        let file = try PageFile(url)
        let connection = try Connection(.file(path: url.path), options: .init(access: .readOnly))
        var result: [String: Set<Int>] = [:]
        for table in tables {
            let root = try #require(
                try connection.lines("SELECT rootpage FROM sqlite_master WHERE name = '\(table)'").first.flatMap {
                    Int($0)
                })
            let survey = TableSurvey(file, tables: [.init(name: table, root: root)])
            for leaf in survey.leaves[table] ?? [] {
                guard let page = file.page(leaf), case .leaf(let cells)? = TablePage(page, number: leaf, in: file)
                else {
                    continue
                }
                for cell in cells {
                    var pages: Set<Int> = [leaf]
                    var next = cell.overflow
                    while next > 0, let page = file.page(next) {
                        pages.insert(next)
                        next = Int(page.number(at: 0, size: 4))
                    }
                    result["\(table) \(cell.key)"] = pages
                }
            }
        }
        return result
    }

    /// What rows say of themselves, links left out.
    static func values(in workshop: Workshop, _ name: String) throws -> [String: String] {
        let connection = try workshop.raw(name)
        var result: [String: String] = [:]
        for (table, column) in [("ZBOOK", "ZTITLE"), ("ZTAG", "ZNAME"), ("ZAUTHOR", "ZNAME")] {
            for line in try connection.lines("SELECT Z_PK, Z_ENT, \(column) FROM \(table)") {
                let key = line.prefix { $0 != "|" }
                result["\(table) \(key)"] = line
            }
        }
        return result
    }

    static func zero(_ page: Int, in url: URL) throws {
        try overwrite(page, with: Data(count: 4096), in: url)
    }

    static func overwrite(_ page: Int, with bytes: Data, in url: URL) throws {
        let handle = try FileHandle(forWritingTo: url)
        defer { try? handle.close() }
        try handle.seek(toOffset: UInt64(page - 1) * 4096)
        try handle.write(contentsOf: bytes)
    }

    /// Damages a file in one of several ways.
    ///
    /// - Returns: The pages that are not as they were.
    static func harm(_ url: URL, _ random: inout SeededRandom) throws -> Set<Int> {
        let count = (FileStamp(path: url.path).map { Int($0.size) } ?? 0) / 4096
        var harmed: Set<Int> = []
        switch Int.random(in: 0..<5, using: &random) {
        case 0:
            // Roots of tables.
            let connection = try Connection(.file(path: url.path), options: .init(access: .readOnly))
            for line in try connection.lines(
                "SELECT rootpage FROM sqlite_master WHERE name IN ('ZBOOK', 'ZTAG', 'ZAUTHOR')")
            {
                if let page = Int(line), Bool.random(using: &random) || harmed.isEmpty { harmed.insert(page) }
            }
            for page in harmed { try zero(page, in: url) }
        case 1:
            // The end.
            let left = Int.random(in: count / 3..<count, using: &random)
            harmed = Set(left + 1...count)
            try #require(truncate(url.path, off_t(left * 4096 + Int.random(in: 0..<4096, using: &random))) == 0)
        case 2:
            // The first page, with the schema, and some more.
            harmed = [1, Int.random(in: 2...count, using: &random)]
            for page in harmed { try zero(page, in: url) }
        case 3:
            // Pages over other pages of the file.
            let bytes = try Data(contentsOf: url)
            for _ in 0..<Int.random(in: 1...max(1, count / 8), using: &random) {
                let (page, other) = (
                    Int.random(in: 2...count, using: &random), Int.random(in: 2...count, using: &random)
                )
                guard page != other else { continue }
                harmed.insert(page)
                try overwrite(page, with: bytes.subdata(in: (other - 1) * 4096..<other * 4096), in: url)
            }
        default:
            // Any pages.
            for _ in 0..<Int.random(in: 1...max(1, count / 5), using: &random) {
                harmed.insert(Int.random(in: 1...count, using: &random))
            }
            for page in harmed {
                let bytes = Data((0..<4096).map { _ in UInt8.random(in: 0...255, using: &random) })
                try overwrite(page, with: bytes, in: url)
            }
        }
        return harmed
    }
}

extension Connection {
    func lines(_ sql: String) throws -> [String] {
        var statement = try statement(sql)
        var lines: [String] = []
        while try statement.step() {
            lines.append((0..<statement.columnCount).map { statement.text($0) ?? "NULL" }.joined(separator: "|"))
        }
        return lines
    }
}
