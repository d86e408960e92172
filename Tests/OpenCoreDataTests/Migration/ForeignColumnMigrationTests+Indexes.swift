import SwormSQLite
import Testing

@testable import OpenCoreData
@testable import SwormStore

/// Indexes of other programs.
extension ForeignColumnMigrationTests {
    @Test func `an index of another program moves with the objects to a table of another name`() throws {
        let store = try store(
            "CREATE UNIQUE INDEX my_titles ON ZBOOK (ZTITLE) WHERE ZTITLE > ''; CREATE INDEX \"on all\" ON \"ZBOOK\"(ZYEAR)"
        )
        let report = try store.run(to: model("Volume", year: false))
        #expect(report.notes.count == 1 && report.notes.contains { $0.contains("on all") }, "\(report.notes)")
        #expect(
            try store.lines("SELECT tbl_name, sql FROM sqlite_master WHERE name IN ('my_titles', 'on all')") == [
                "ZVOLUME|CREATE UNIQUE INDEX my_titles ON ZVOLUME (ZTITLE) WHERE ZTITLE > ''"
            ])
    }

    @Test func `an index moves along, whatever its name and its SQL`() throws {
        let store = try store(
            """
            CREATE INDEX "on (all) on all"
            ON\tZBOOK(ZTITLE); CREATE UNIQUE INDEX [my ON b] on "ZBOOK" (Z_PK, ZTITLE)
            """)
        #expect(try store.run(to: model("Volume", year: false)).notes == [])
        #expect(
            try store.lines(
                "SELECT name, tbl_name FROM sqlite_master WHERE name IN ('on (all) on all', 'my ON b') ORDER BY 1")
                == ["my ON b|ZVOLUME", "on (all) on all|ZVOLUME"])
        #expect(try store.lines("SELECT \"unique\" FROM pragma_index_list('ZVOLUME') WHERE name = 'my ON b'") == ["1"])
    }

    @Test func `an index of a quoted column is deleted with the column`() throws {
        let store = try store("CREATE INDEX years ON ZBOOK (\"ZYEAR\"); CREATE INDEX rest ON ZBOOK (Z_PK % 2)")
        let report = try store.run(to: model(year: false))
        #expect(report.notes.count == 1 && report.notes.contains { $0.contains("index 'years'") }, "\(report.notes)")
        #expect(try store.lines("SELECT name FROM sqlite_master WHERE name IN ('years', 'rest')") == ["rest"])
    }

    @Test func `an index whose rows are no longer unique leaves no trace`() throws {
        let store = try store("CREATE UNIQUE INDEX my_titles ON ZBOOK (ifnull(ZTITLE, ''))")
        let report = try store.run(to: model(together: true), mapping: Self.together)
        #expect(report.notes.count == 1 && report.notes.contains { $0.contains("my_titles") }, "\(report.notes)")
        #expect(try store.lines("SELECT count(*) FROM sqlite_master WHERE name = 'my_titles'") == ["0"])
        #expect(try store.lines("PRAGMA integrity_check") == ["ok"])
    }

    @Test func `the deletion of an index with a name like Core Data's is reported`() throws {
        let store = try store("CREATE INDEX Z_Book_mine ON ZBOOK (ZTITLE); CREATE INDEX ZBOOK_other ON ZBOOK (ZTITLE)")
        let report = try store.run(to: model(others: [Build.attribute("more")]))
        #expect(report.notes.count == 1 && report.notes.contains { $0.contains("Z_Book_mine") }, "\(report.notes)")
        #expect(try store.lines("SELECT name FROM sqlite_master WHERE name = 'ZBOOK_other'") == ["ZBOOK_other"])
    }
}
