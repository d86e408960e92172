import Foundation
@testable import OpenCoreData
import SwormSQLite
import Testing

@testable import SwormCommand

@Suite("rebuild, and its source")
struct RebuildSourceTests {
    private func makeStore(_ tags: Int = 2000, name: String = "Library.sqlite") throws -> Workshop {
        let workshop = try Workshop()
        try workshop.makeStore(name, keepsModel: true)
        try workshop.execute(
            """
            WITH RECURSIVE n(i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < \(99 + tags))
            INSERT INTO ZTAG (Z_PK, Z_ENT, Z_OPT, ZNAME) SELECT i, (SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = 'Tag'), 1, 'tag ' || i FROM n;
            PRAGMA wal_checkpoint(TRUNCATE);
            """, on: name)
        return workshop
    }

    private func leaves(_ workshop: Workshop, of table: String) throws -> (root: Int, leaves: [Int]) {
        let line = try workshop.raw().lines("SELECT rootpage FROM sqlite_master WHERE name = '\(table)'").first
        let root = try #require(line.flatMap { Int($0) })
        let survey = TableSurvey(try PageFile(workshop.url("Library.sqlite")), tables: [.init(name: table, root: root)])
        return (root, survey.leaves[table] ?? [])
    }

    private func copy(_ page: Int, over other: Int, in url: URL) throws {
        let bytes = try Data(contentsOf: url).subdata(in: (page - 1) * 4096..<page * 4096)
        try Damage.overwrite(other, with: bytes, in: url)
    }

    private func tags(_ workshop: Workshop) throws -> [String] {
        try workshop.raw("New.sqlite").lines("SELECT count(*) FROM ZTAG WHERE Z_PK >= 100")
    }

    private func rebuild(_ workshop: Workshop, _ options: String...) -> Run {
        Run(["rebuild", workshop.storePath, workshop.file("New.sqlite"), "--model", workshop.modelPath] + options)
    }

    @Test func `the damaged store itself is not replaced, by whatever path`() throws {
        let workshop = try makeStore()
        let before = try workshop.contents()
        for path in [workshop.storePath, workshop.path + "/./Library.sqlite"] {
            let run = Run(["rebuild", workshop.storePath, path, "--force"])
            #expect(run.code == .failure && run.err.contains("the damaged store itself"), "\(run.err)")
        }
        #expect(try workshop.contents() == before)
    }

    @Test func `the external data of the damaged store stay, also where its first page is lost`() throws {
        let workshop = try makeStore()
        let files = workshop.file(".Library_SUPPORT/_EXTERNAL_DATA")
        try FileManager.default.createDirectory(atPath: files, withIntermediateDirectories: true)
        try Data([1, 2, 3]).write(to: URL(fileURLWithPath: files + "/one"))
        try Damage.zero(1, in: workshop.url("Library.sqlite"))
        let run = Run(["rebuild", workshop.storePath, workshop.file("Library.db"), "--model", workshop.modelPath])
        #expect(run.code == .failure && run.err.contains("external data"), "\(run.err)")
        #expect(FileManager.default.contents(atPath: files + "/one") == Data([1, 2, 3]))
    }

    @Test(arguments: ["-wal", "-shm", "-journal"])
    func `the name of an auxiliary SQLite file is rejected for a new store`(ending: String) throws {
        let workshop = try makeStore(10)
        for command in ["rebuild", "copy"] {
            let run = Run([command, workshop.storePath, workshop.file("Other.sqlite\(ending)")])
            #expect(run.code == .failure && run.err.contains("auxiliary file of SQLite"), "\(run.err)")
        }
    }

    @Test(arguments: ["source", "Damaged.sqlite", "old-0"])
    func `the new store may have any name`(name: String) throws {
        let workshop = try makeStore(10)
        let run = Run(["rebuild", workshop.storePath, workshop.file(name)])
        #expect(run.code == .ok, "\(run.err)")
        #expect(try workshop.contents().keys.allSatisfy { !$0.contains(".sworm-") })
    }

    @Test func `a root with the content of a leaf hides no rows`() throws {
        let workshop = try makeStore()
        let (root, leaves) = try leaves(workshop, of: "ZTAG")
        try #require(leaves.count > 3)
        try copy(leaves[1], over: root, in: workshop.url("Library.sqlite"))
        _ = rebuild(workshop)
        #expect(try tags(workshop) == ["2000"])
    }

    @Test func `pages of another table take no rows of it, and a page that comes twice is lost once`() throws {
        let workshop = try makeStore()
        let (root, leaves) = try leaves(workshop, of: "ZTAG")
        let (_, authors) = try self.leaves(workshop, of: "ZAUTHOR")
        let url = workshop.url("Library.sqlite")
        let held = try #require(TablePage(PageFile(url).page(leaves[2]) ?? [], number: leaves[2], in: PageFile(url)))
        guard case .leaf(let cells) = held else { return #expect(Bool(false)) }
        try copy(root, over: authors[0], in: url)
        try copy(leaves[1], over: leaves[2], in: url)
        let run = rebuild(workshop)
        #expect(run.code == .found && run.out.contains("has the rows of another page"), "\(run.out)")
        #expect(run.out.contains("Author: page "), "\(run.out)")
        #expect(try tags(workshop) == ["\(2000 - cells.count)"])
    }

    @Test func `a transaction that was cut short is undone`() throws {
        let workshop = try makeStore()
        try workshop.execute("PRAGMA journal_mode = DELETE")
        let (store, copied) = (workshop.url("Library.sqlite"), workshop.url("Copied.sqlite"))
        do {
            let connection = try workshop.raw()
            try connection.execute(
                "PRAGMA cache_size = 1; PRAGMA cache_spill = 1; BEGIN; UPDATE ZTAG SET ZNAME = 'x' || ZNAME")
            // As a power cut leaves them.
            try FileManager.default.copyItem(at: store, to: copied)
            try FileManager.default.copyItem(atPath: store.path + "-journal", toPath: copied.path + "-journal")
            try connection.rollback()
        }
        let before = try Data(contentsOf: copied)
        let run = Run(["rebuild", copied.path, workshop.file("New.sqlite"), "--model", workshop.modelPath])
        // The copy has no external data.
        #expect(run.code == .found && run.out.hasSuffix(" 1 loss\n"), "\(run.out)\(run.err)")
        #expect(try workshop.raw("New.sqlite").lines("SELECT count(*) FROM ZTAG WHERE ZNAME LIKE 'x%'") == ["0"])
        #expect(try tags(workshop) == ["2000"])
        #expect(
            try Data(contentsOf: copied) == before && FileManager.default.fileExists(atPath: copied.path + "-journal"))
    }

    @Test func `a transaction of the log with a frame that did not reach the disk does not count`() throws {
        let workshop = try makeStore()
        let store = workshop.url("Library.sqlite")
        let connection = try workshop.raw()
        try connection.execute("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0")
        try connection.execute("UPDATE ZTAG SET ZNAME = 'first' WHERE Z_PK = 100")
        let whole = try Data(contentsOf: URL(fileURLWithPath: store.path + "-wal")).count
        try connection.execute("UPDATE ZTAG SET ZNAME = 'second'")
        let copied = workshop.url("Copied.sqlite")
        try FileManager.default.copyItem(at: store, to: copied)
        var log = try Data(contentsOf: URL(fileURLWithPath: store.path + "-wal"))
        try #require(log.count > whole + 3 * 4120)
        log.replaceSubrange(whole + 4120 + 24..<whole + 2 * 4120, with: Data(count: 4096))
        try log.write(to: URL(fileURLWithPath: copied.path + "-wal"))
        let run = Run(["rebuild", copied.path, workshop.file("New.sqlite"), "--model", workshop.modelPath])
        // The copy has no external data.
        #expect(run.code == .found && run.out.hasSuffix(" 1 loss\n"), "\(run.out)\(run.err)")
        let names = try workshop.raw("New.sqlite").lines(
            "SELECT ZNAME FROM ZTAG WHERE Z_PK IN (100, 101) ORDER BY Z_PK")
        #expect(names == ["first", "tag 101"])
    }

    @Test func `a table that is not in the schema is found by its rows`() throws {
        let workshop = try makeStore()
        try workshop.execute("PRAGMA writable_schema = ON; DELETE FROM sqlite_master WHERE name = 'ZTAG'")
        let run = rebuild(workshop)
        #expect(run.code == .found && run.out.contains("the schema has no table 'ZTAG'"), "\(run.out)")
        #expect(try tags(workshop) == ["2000"])
    }

    @Test func `statements of the schema are never run`() throws {
        let workshop = try makeStore(10)
        let sql = "CREATE TABLE ZX AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"
        try workshop.execute(
            "PRAGMA writable_schema = ON; INSERT INTO sqlite_master VALUES ('table', 'ZX', 'ZX', 3, '\(sql)')")
        #expect(rebuild(workshop).code == .ok)
        #expect(try tags(workshop) == ["10"])
    }

    @Test(arguments: [
        ("CREATE TABLE ZA ( Z_PK INTEGER PRIMARY KEY, ZNAME VARCHAR, ZX DECIMAL(3, 4) )", ["Z_PK", "ZNAME", "ZX"]),
        (
            #"create table "Z A" ("a "" b" INTEGER, [c] BLOB, `d` TEXT DEFAULT ('x,y'), UNIQUE (c))"#,
            [#"a " b"#, "c", "d"]
        ),
        ("CREATE TABLE ZA AS SELECT 1", nil), ("CREATE VIEW ZA (a) AS SELECT 1", nil),
        ("CREATE TABLE ZA (a INTEGER PRIMARY KEY) WITHOUT ROWID", nil), ("CREATE TABLE ZA (a, b", nil), ("", nil),
        ("CREATE VIRTUAL TABLE ZA USING rtree(a, b)", nil),
    ])
    func `the columns of a table are read from its statement`(sql: String, columns: [String]?) {
        #expect(SchemaStatement.columns(of: sql) == columns)
    }
}
