import Foundation
import SwormSQLite
import Testing

@testable import OpenCoreData
@testable import SwormStore

/// Views and triggers that other programs have put into a store.
@Suite("Views and triggers of other programs in a migration")
struct ForeignObjectMigrationTests {
    private func store(_ sql: String) throws -> MigratedStore {
        let store = try MigratedStore(GraphLibrary.model()) { try $0.make("Tag", ["name": "a"]) }
        try Connection(.file(path: store.url.path)).execute(sql)
        return store
    }

    /// A shelf has no label any more.
    private func newModel() throws -> NSManagedObjectModel {
        let model = GraphLibrary.model()
        let shelf = try #require(model.entitiesByName["Shelf"])
        shelf.properties = shelf.properties.filter { $0.name != "label" } + [Build.attribute("other")]
        return model
    }

    private func names(_ store: MigratedStore) throws -> [String] {
        try store.lines(
            "SELECT name FROM sqlite_master WHERE type IN ('view', 'trigger') AND name NOT LIKE 'Z%' ORDER BY name")
    }

    @Test func `a view that can be written stays so`() throws {
        let store = try store(
            """
            CREATE TABLE log (text TEXT);
            CREATE VIEW tags AS SELECT Z_PK, ZNAME AS name FROM ZTAG;
            CREATE TRIGGER tag_made INSTEAD OF INSERT ON tags BEGIN INSERT INTO log VALUES (NEW.name); END;
            CREATE TRIGGER tag_named INSTEAD OF UPDATE OF name ON tags
            BEGIN UPDATE ZTAG SET ZNAME = NEW.name WHERE Z_PK = OLD.Z_PK; END;
            CREATE TRIGGER tag_gone INSTEAD OF DELETE ON tags BEGIN DELETE FROM ZSHELF WHERE ZLABEL = OLD.name; END;
            """)
        let report = try store.run(to: newModel())
        #expect(report.notes.count == 1, "\(report.notes)")
        #expect(report.notes.contains { $0.contains("trigger 'tag_gone'") && $0.contains("ZLABEL") })
        #expect(try names(store) == ["tag_made", "tag_named", "tags"])
        try Connection(.file(path: store.url.path)).execute(
            "INSERT INTO tags (name) VALUES ('new'); UPDATE tags SET name = 'b' WHERE name = 'a'")
        #expect(try store.lines("SELECT text FROM log") == ["new"])
        #expect(try store.lines("SELECT ZNAME FROM ZTAG") == ["b"])
    }

    @Test func `triggers are tried by their own events`() throws {
        let store = try store(
            """
            CREATE TABLE notes (text TEXT NOT NULL, length AS (length(text)));
            CREATE TABLE log (text TEXT);
            CREATE TRIGGER note_changed AFTER UPDATE OF text ON notes BEGIN INSERT INTO log VALUES (NEW.text); END;
            CREATE TRIGGER note_made AFTER INSERT ON notes BEGIN INSERT INTO log VALUES ('made'); END;
            CREATE TRIGGER tag_named AFTER UPDATE OF ZNAME ON ZTAG BEGIN UPDATE ZSHELF SET ZLABEL = 'y'; END;
            CREATE TRIGGER tag_changed AFTER UPDATE OF ZNAME ON ZTAG BEGIN INSERT INTO log VALUES (NEW.ZNAME); END;
            """)
        let report = try store.run(to: newModel())
        #expect(report.notes.count == 1, "\(report.notes)")
        #expect(report.notes.contains { $0.contains("trigger 'tag_named'") && $0.contains("ZLABEL") })
        #expect(try names(store) == ["note_changed", "note_made", "tag_changed"])
        try Connection(.file(path: store.url.path)).execute(
            "INSERT INTO notes (text) VALUES ('a'); UPDATE notes SET text = 'b'")
        try store.write { context in try context.all("Tag").first?.setValue("renamed", forKey: "name") }
        #expect(try store.lines("SELECT text FROM log") == ["made", "b", "renamed"])
    }

    @Test func `a view of a deleted table is dropped, and everything that reads it`() throws {
        let store = try store(
            """
            CREATE VIEW early AS SELECT * FROM late;
            CREATE VIEW first AS SELECT * FROM labels;
            CREATE VIEW labels AS SELECT ZLABEL FROM ZSHELF;
            CREATE VIEW late AS SELECT ZNAME FROM ZTAG;
            CREATE VIEW counted AS SELECT program_function(ZNAME) FROM ZTAG;
            CREATE TRIGGER label_made INSTEAD OF INSERT ON labels BEGIN SELECT 1; END;
            """)
        let report = try store.run(to: newModel())
        #expect(report.notes.count == 3, "\(report.notes)")
        for name in ["view 'first'", "view 'labels'", "trigger 'label_made'"] {
            #expect(report.notes.contains { $0.contains(name) })
        }
        #expect(try names(store) == ["counted", "early", "late"])
        #expect(try store.lines("SELECT * FROM early") == ["a"])
    }
}
