import Foundation
import Testing

@testable import SwormCommand

@Suite("dump, import, diff and query of rows that break rules")
struct BrokenRowTests {
    /// A store whose first author has a profile.
    private func workshop() throws -> Workshop {
        let workshop = try Workshop()
        try workshop.makeStore()
        try workshop.execute(
            """
            INSERT INTO ZPROFILE (Z_PK, Z_ENT, Z_OPT, ZAUTHOR) SELECT 50, Z_ENT, 1, 1 FROM Z_PRIMARYKEY WHERE Z_NAME = 'Profile';
            UPDATE ZAUTHOR SET ZPROFILE = 50 WHERE Z_PK = 1;
            UPDATE Z_PRIMARYKEY SET Z_MAX = 50 WHERE Z_NAME = 'Profile';
            """)
        return workshop
    }

    private func comesBack(_ workshop: Workshop, warnings: [String]) throws {
        let dump = workshop.run("dump")
        #expect(dump.code == .ok, "\(dump.err)")
        try Data(dump.out.utf8).write(to: workshop.url("dump.ndjson"))
        let copy = workshop.file("New.sqlite")
        let imported = Run(["import", workshop.file("dump.ndjson"), copy, "--model", workshop.modelPath])
        #expect(imported.code == .ok, "\(imported.err)")
        for warning in warnings { #expect(imported.err.contains(warning), "\(imported.err)") }
        let diff = workshop.run("diff", copy)
        #expect(diff.out == "no differences\n" && diff.code == .ok, "\(diff.out)")
        #expect(workshop.run("dump", store: copy).lines.dropFirst() == dump.lines.dropFirst())
        func kinds(_ store: String) -> [String] {
            workshop.run("verify", store: store).lines.compactMap {
                $0.hasPrefix("fault: ") ? $0.split(separator: "[").last.map(String.init) : nil
            }.sorted()
        }
        #expect(kinds(copy) == kinds(workshop.storePath))
    }

    @Test func `an object with the highest key is distinguished from one that is not there`() throws {
        let workshop = try Workshop()
        try workshop.makeStore(keepsModel: true)
        try workshop.copyStore(to: "Other", with: [""])
        try workshop.execute(
            "UPDATE ZTAG SET Z_PK = \(Int64.max) WHERE Z_PK = (SELECT max(Z_PK) FROM ZTAG)", on: "Other.sqlite")
        let run = workshop.run("diff", workshop.file("Other.sqlite"))
        #expect(run.code == .found && run.out.contains("Tag/p\(Int64.max)"), "\(run.out)\(run.err)")
        let back = Run(["diff", workshop.file("Other.sqlite"), workshop.storePath])
        #expect(back.code == .found && back.out.contains("Tag/p\(Int64.max)"), "\(back.out)\(back.err)")
    }

    @Test(arguments: [
        ("UPDATE ZBOOK SET ZTITLE = NULL WHERE Z_PK = 1", ["Book/p1 has no value of 'title'"]),
        ("UPDATE ZBOOK SET ZSEQUEL = 77 WHERE Z_PK = 1", ["'sequel' points to ?/p77"]),
        ("UPDATE ZAUTHOR SET ZPROFILE = NULL", ["Profile/p50: 'author' names Author/p1, whose 'profile'"]),
        ("UPDATE ZPROFILE SET ZAUTHOR = NULL", ["Author/p1: 'profile' names Profile/p50, whose 'author'"]),
        ("UPDATE ZPROFILE SET ZAUTHOR = 2", ["'profile' names", "'author' names Author/p2"]),
        ("DELETE FROM ZTAG WHERE Z_PK = 1", ["Book/p1: 'tags' points to ?/p1"]),
        ("DELETE FROM ZAUTHOR WHERE Z_PK = 1", ["'author' points to ?/p1"]),
        (
            "UPDATE ZBOOK SET ZTITLE = NULL; DELETE FROM ZTAG; DELETE FROM ZAUTHOR",
            ["has no value of 'title'", "points to ?/p1", "points to ?/p2"]
        ),
    ])
    func `they come back as they are`(sql: String, warnings: [String]) throws {
        let workshop = try workshop()
        try workshop.execute(sql)
        try comesBack(workshop, warnings: warnings)
    }

    @Test func `a missing external file is dumped, compared and imported as missing`() throws {
        let workshop = try workshop()
        let folder = workshop.file(".Library_SUPPORT/_EXTERNAL_DATA")
        let name = try #require(try FileManager.default.contentsOfDirectory(atPath: folder).first)
        let before = workshop.run("dump").out
        let intact = workshop.file("Intact.sqlite")
        #expect(Run(["copy", workshop.storePath, intact]).err.isEmpty)
        try FileManager.default.removeItem(atPath: folder + "/" + name)
        let dump = workshop.run("dump")
        #expect(dump.code == .ok && dump.out.contains("{\"missing\":\"\(name)\"}") && dump.out != before)
        #expect(dump.err.contains("missing in") && dump.err.contains(name))
        try comesBack(workshop, warnings: [])
        #expect(workshop.run("verify", store: workshop.file("New.sqlite")).out.contains("[external-missing]"))
        // Content and its absence differ.
        let diff = workshop.run("diff", intact)
        #expect(diff.code == .found && diff.out.contains("1 changed"), "\(diff.out)")
        for format in ["table", "csv", "json", "ndjson"] {
            for blobs in ["hash", "base64"] {
                let query = workshop.run("query", "Book", "--format", format, "--blobs", blobs)
                #expect(query.code == .ok && query.err.contains(name), "\(format) \(query.err)")
            }
        }
        let copy = Run(["copy", workshop.storePath, workshop.file("Copy.sqlite")])
        #expect(copy.code == .ok && copy.err.contains("warning: ") && copy.err.contains(name), "\(copy.err)")
        let inspected = workshop.run("inspect")
        #expect(inspected.out.contains("warning: ") && inspected.out.contains(name), "\(inspected.out)")
    }

    @Test func `triggers and trees of the application's own are listed`() throws {
        let workshop = try workshop()
        #expect(workshop.run("dump").err.isEmpty)
        try workshop.execute(
            """
            CREATE TRIGGER OWN_NOTE AFTER INSERT ON ZBOOK BEGIN SELECT 1; END;
            CREATE VIRTUAL TABLE OWN_TREE USING rtree(id, low, high);
            """)
        let dump = workshop.run("dump")
        #expect(dump.code == .ok)
        #expect(dump.err.contains("trigger 'OWN_NOTE'") && dump.err.contains("virtual table 'OWN_TREE'"), "\(dump.err)")
    }
}
