import Foundation
import SwormSQLite
import Testing

@testable import OpenCoreData
@testable import SwormStore

/// Columns, indexes and references of other programs, where a table is made anew.
@Suite("Columns and references of other programs in a migration")
struct ForeignColumnMigrationTests {
    /// Books and films, which may be of one table.
    func model(
        _ book: String = "Book", year: Bool = true, together: Bool = false,
        others: [NSAttributeDescription] = []
    ) -> NSManagedObjectModel {
        var properties: [NSPropertyDescription] = [Build.attribute("title")]
        if year { properties.append(Build.attribute("year", .integer32AttributeType)) }
        let one = Build.entity(book, properties + others)
        one.renamingIdentifier = "Book"
        let two = Build.entity("Film", [Build.attribute("name")])
        let model = NSManagedObjectModel()
        model.entities = [one, two]
        guard together else { return model }
        let work = Build.entity("Work")
        work.subentities = [one, two]
        model.entities = [work, one, two]
        return model
    }

    func store(_ sql: String) throws -> MigratedStore {
        let store = try MigratedStore(model()) { context in
            for index in 1...3 {
                try context.make("Book", ["title": "book \(index)", "year": 1900 + index])
                try context.make("Film", ["name": "film \(index)"])
            }
        }
        try execute(sql, store)
        return store
    }

    func execute(_ sql: String, _ store: MigratedStore) throws {
        try Connection(.file(path: store.url.path)).execute(sql)
    }

    /// No mapping is inferred that brings tables together.
    static let together = ModelMapping(entities: [
        .init(
            source: "Book", destination: "Book",
            attributes: ["title", "year"].map { .init(source: $0, destination: $0) }, relationships: []),
        .init(
            source: "Film", destination: "Film", attributes: [.init(source: "name", destination: "name")],
            relationships: []),
    ])

    private func refusal(_ store: MigratedStore, _ new: NSManagedObjectModel) throws -> CoreDataError {
        let before = try store.folder.contents()
        let error = try #require(coreDataError { try store.run(to: new) })
        #expect(error.errorCode == NSMigrationError)
        #expect(try store.folder.contents() == before)
        let rehearsal = try MigrationRehearsal(
            of: store.url, from: .init("1", model: store.model), through: [.init("2", model: new)]
        ).run()
        #expect(rehearsal.steps.map(\.refusals) == [[error.message]])
        return error
    }

    private static let columns = """
        ALTER TABLE ZBOOK ADD COLUMN mine TEXT NOT NULL DEFAULT 'a, (b' COLLATE NOCASE;
        ALTER TABLE ZBOOK ADD COLUMN "order" BLOB /* ) */ CHECK ("order" <> 'never, ever');
        ALTER TABLE ZBOOK ADD COLUMN long AS (length(ZTITLE));
        UPDATE ZBOOK SET mine = 'mine ' || Z_PK, "order" = x'00ff' WHERE Z_PK < 3;
        CREATE INDEX Zmine ON ZBOOK (mine, ZTITLE); CREATE UNIQUE INDEX my_rows ON ZBOOK (Z_PK, mine);
        """

    @Test func `a table that is recreated keeps columns and indexes of other programs`() throws {
        let store = try store(Self.columns)
        let report = try store.run(to: model(year: false))
        #expect(report.notes == [])
        #expect(try store.lines("SELECT count(*) FROM pragma_table_info('ZBOOK') WHERE name = 'ZYEAR'") == ["0"])
        #expect(
            try store.lines("SELECT Z_PK, ZTITLE, mine, hex(\"order\"), long FROM ZBOOK ORDER BY Z_PK") == [
                "1|book 1|mine 1|00FF|6", "2|book 2|mine 2|00FF|6", "3|book 3|a, (b||6",
            ])
        #expect(
            try store.lines("SELECT type, dflt_value FROM pragma_table_info('ZBOOK') WHERE name = 'mine'") == [
                "TEXT|'a, (b'"
            ])
        #expect(try store.lines("SELECT count(*) FROM ZBOOK WHERE mine = 'MINE 1'") == ["1"])
        #expect(throws: SQLiteError.self) { try execute("UPDATE ZBOOK SET \"order\" = 'never, ever'", store) }
        #expect(
            try store.lines("SELECT name FROM sqlite_master WHERE type = 'index' AND name LIKE '%m%' ORDER BY 1") == [
                "Zmine", "my_rows",
            ])
        try store.write { context in try context.make("Book", ["title": "new"]) }
        #expect(try store.lines("SELECT mine FROM ZBOOK WHERE ZTITLE = 'new'") == ["a, (b"])
    }

    @Test func `a type can be any string`() throws {
        let store = try store(
            """
            ALTER TABLE ZBOOK ADD COLUMN odd "a) -- \"\"b"; ALTER TABLE ZFILM ADD COLUMN own "NOT NULL";
            UPDATE ZBOOK SET odd = 'x'; UPDATE ZFILM SET own = 'y';
            """)
        let report = try store.run(to: model(together: true), mapping: Self.together)
        #expect(report.notes == [])
        #expect(
            try store.lines("SELECT name, type FROM pragma_table_info('ZWORK') WHERE name IN ('odd', 'own')") == [
                "odd|a) -- \"b", "own|NOT NULL",
            ])
        #expect(try store.lines("SELECT count(odd), count(own) FROM ZWORK") == ["3|3"])
    }

    @Test func `the declaration of a deleted column is deleted, and the values stay`() throws {
        let store = try store(
            """
            ALTER TABLE ZBOOK ADD COLUMN mine TEXT CHECK (ZYEAR > 0); UPDATE ZBOOK SET mine = 'x';
            ALTER TABLE ZBOOK ADD COLUMN century AS (ZYEAR / 100);
            """)
        let report = try store.run(to: model(year: false))
        #expect(report.notes.count == 1, "\(report.notes)")
        #expect(report.notes.contains { $0.contains("mine, century") && $0.contains("ZYEAR") })
        #expect(try store.lines("SELECT mine FROM ZBOOK") == ["x", "x", "x"])
    }

    @Test func `tables that become one keep the columns of both`() throws {
        let store = try store(
            """
            ALTER TABLE ZBOOK ADD COLUMN mine TEXT; ALTER TABLE ZFILM ADD COLUMN Mine INTEGER;
            ALTER TABLE ZFILM ADD COLUMN own TEXT NOT NULL DEFAULT 'd';
            UPDATE ZBOOK SET mine = '01'; UPDATE ZFILM SET mine = 2, own = ZNAME;
            """)
        let report = try store.run(to: model(together: true), mapping: Self.together)
        #expect(report.notes.count == 2, "\(report.notes)")
        #expect(report.notes.contains { $0.contains("Mine") && $0.contains("lost its declared type") })
        #expect(report.notes.contains { $0.contains("own") && $0.contains("only its declared type") })
        #expect(
            try store.lines("SELECT quote(mine), count(*), count(own) FROM ZWORK GROUP BY 1 ORDER BY 1") == [
                "'01'|3|0", "2|3|3",
            ])
    }

    @Test func `a column whose name the new model needs is in the way only with values`() throws {
        let store = try store("ALTER TABLE ZBOOK ADD COLUMN zpages TEXT; UPDATE ZBOOK SET zpages = 'x' WHERE Z_PK = 1")
        let new = model(others: [Build.attribute("pages", .integer32AttributeType)])
        let error = try refusal(store, new)
        #expect(error.message.contains("'ZBOOK' has a column 'zpages'") && error.message.contains("with 1 value"))
        try execute("UPDATE ZBOOK SET zpages = NULL", store)
        let report = try store.run(to: new)
        #expect(report.notes.count == 1 && report.notes.contains { $0.contains("zpages") }, "\(report.notes)")
        #expect(try store.lines("SELECT type FROM pragma_table_info('ZBOOK') WHERE name = 'ZPAGES'") == ["INTEGER"])
    }

    @Test func `a join table that is created from links reports deleted columns of other programs`() throws {
        func model(_ toMany: Bool) -> NSManagedObjectModel {
            let (book, tag) = (Build.entity("Book"), Build.entity("Tag", [Build.attribute("name")]))
            let tags = toMany ? Build.toMany("tags", tag) : Build.toOne("tags", tag)
            let books = Build.toMany("books", book)
            Build.connect(tags, books)
            book.properties.append(tags)
            tag.properties.append(books)
            return Build.model(book, tag)
        }
        let store = try MigratedStore(model(true)) { context in
            try context.make("Book", ["tags": Set([try context.make("Tag", ["name": "a"])])])
        }
        try execute("ALTER TABLE Z_1TAGS ADD COLUMN since TEXT; UPDATE Z_1TAGS SET since = 'now'", store)
        let rehearsal = try MigrationRehearsal(
            of: store.url, from: .init("1", model: store.model), through: [.init("2", model: model(false))]
        ).run()
        #expect(rehearsal.migrates && !rehearsal.keepsEverything)
        #expect(rehearsal.steps.flatMap(\.findings).contains { $0.kind == .lost && $0.message.contains("since") })
        let report = try store.run(to: model(false))
        #expect(report.notes.contains { $0.contains("since") && $0.contains("1 value") }, "\(report.notes)")
    }

    // MARK: References

    private static let readers = """
        CREATE TABLE readers (id INTEGER PRIMARY KEY, book INTEGER UNIQUE REFERENCES ZBOOK (Z_PK) ON DELETE CASCADE,
            film INTEGER UNIQUE REFERENCES "ZFILM");
        INSERT INTO readers (book, film) VALUES (1, 2), (2, 3), (3, 1);
        """

    private func broken(_ store: MigratedStore) throws -> [String] {
        try store.lines("PRAGMA foreign_key_check")
    }

    private func targets(_ store: MigratedStore) throws -> [String] {
        try store.lines("SELECT \"table\" FROM pragma_foreign_key_list('readers') ORDER BY 1")
    }

    @Test func `references point to a table that was recreated, or has another name`() throws {
        let store = try store(Self.readers)
        try store.run(to: model(year: false))
        #expect(try targets(store) == ["ZBOOK", "ZFILM"])
        #expect(try broken(store) == [])
        try store.run(to: model("Volume", year: false))
        #expect(try targets(store) == ["ZFILM", "ZVOLUME"])
        #expect(try broken(store) == [])
        let rebuilt = model("Text", others: [Build.attribute("more")])
        rebuilt.entitiesByName["Text"]?.renamingIdentifier = "Volume"
        rebuilt.entitiesByName["Text"]?.attributesByName["title"]?.renamingIdentifier = "none"
        let report = try store.run(to: rebuilt)
        #expect(report.notes == [])
        #expect(try targets(store) == ["ZFILM", "ZTEXT"])
        #expect(try broken(store) == [])
        try execute("PRAGMA foreign_keys = ON; DELETE FROM ZTEXT WHERE Z_PK = 1", store)
        #expect(try store.lines("SELECT book, film FROM readers ORDER BY book") == ["2|3", "3|1"])
    }

    @Test func `references follow objects that get other keys`() throws {
        let store = try store(Self.readers)
        let titles =
            "SELECT b.ZTITLE, f.ZNAME FROM readers LEFT JOIN ZWORK AS b ON b.Z_PK = book LEFT JOIN ZWORK AS f ON f.Z_PK = film"
        let report = try store.run(to: model(together: true), mapping: Self.together)
        #expect(report.notes == [])
        #expect(try targets(store) == ["ZWORK", "ZWORK"])
        #expect(try broken(store) == [])
        #expect(try store.lines(titles + " ORDER BY 1") == ["book 1|film 2", "book 2|film 3", "book 3|film 1"])
    }

    @Test func `references from tables of the model follow, too`() throws {
        let references = """
            ALTER TABLE ZFILM ADD COLUMN book INTEGER REFERENCES ZBOOK (Z_PK);
            ALTER TABLE ZBOOK ADD COLUMN film INTEGER REFERENCES ZFILM; UPDATE ZFILM SET book = 4 - Z_PK;
            UPDATE ZBOOK SET film = (SELECT Z_PK FROM ZFILM WHERE book = ZBOOK.Z_PK);
            """
        let store = try store(references)
        try store.run(to: model(year: false))
        #expect(try broken(store) == [])
        #expect(try store.lines("SELECT \"table\" FROM pragma_foreign_key_list('ZFILM')") == ["ZBOOK"])
        try execute("PRAGMA foreign_keys = ON; UPDATE ZFILM SET book = 1", store)
        let merged = try self.store(references)
        let titles = "SELECT b.ZTITLE, f.ZNAME FROM ZWORK AS b, ZWORK AS f WHERE b.film = f.Z_PK ORDER BY 1"
        let before = try merged.lines(
            titles.replacing("ZWORK AS b", with: "ZBOOK AS b").replacing("ZWORK", with: "ZFILM"))
        try merged.run(to: model(together: true), mapping: Self.together)
        #expect(try merged.lines(titles) == before)
    }

    @Test func `references keep values that are not keys`() throws {
        let store = try store(
            """
            CREATE TABLE marks (film REFERENCES ZFILM); CREATE TABLE words (film TEXT REFERENCES ZFILM);
            INSERT INTO marks VALUES (1), (-1), ('none'), (9223372036854775807), (1.5), (3);
            INSERT INTO words VALUES ('none'), ('2'), ('-1');
            """)
        try store.run(to: model(together: true), mapping: Self.together)
        #expect(
            try store.lines("SELECT quote(film) FROM marks ORDER BY rowid") == [
                "4", "-1", "'none'", "9223372036854775807", "1.5", "6",
            ])
        #expect(try store.lines("SELECT quote(film) FROM words ORDER BY rowid") == ["'none'", "'5'", "'-1'"])
    }

    @Test func `references to deleted objects are reported`() throws {
        let store = try store(Self.readers)
        let new = NSManagedObjectModel()
        new.entities = [Build.entity("Film", [Build.attribute("name")])]
        let report = try store.run(to: new)
        #expect(report.notes.count == 1, "\(report.notes)")
        #expect(report.notes.contains { $0.contains("3 rows") && $0.contains("readers") })
        #expect(try targets(store) == ["ZBOOK", "ZFILM"])
    }

    // MARK: Names and numbers

    @Test func `a table whose name differs by case alone from one that is needed is rejected`() throws {
        let store = try store("CREATE TABLE zpage (text TEXT)")
        let new = model()
        new.entities.append(Build.entity("Page"))
        let error = try refusal(store, new)
        #expect(error.message.contains("a table 'zpage'") && error.message.contains("the name 'ZPAGE'"))
        try execute("DROP TABLE zpage; CREATE INDEX zPage ON ZBOOK (ZTITLE)", store)
        #expect(try refusal(store, new).message.contains("an index 'zPage'"))
        try execute("DROP INDEX zPage; CREATE VIRTUAL TABLE zpagE USING rtree (id, a, b)", store)
        #expect(try refusal(store, new).message.contains("a table 'zpagE'"))
        try execute("DROP TABLE zpagE", store)
        try store.migrate(to: new)
    }

    @Test func `a foreign row in Z_PRIMARYKEY is rejected if its number is needed`() throws {
        let store = try store("INSERT INTO Z_PRIMARYKEY VALUES (3, 'mine', 0, 7), (99, NULL, 0, 0)")
        try store.run(to: model(others: [Build.attribute("more")]))
        let new = model(others: [Build.attribute("more")])
        new.entities.append(Build.entity("Page"))
        let error = try refusal(store, new)
        #expect(error.message.contains("Z_PRIMARYKEY") && error.message.contains("number 3 ('mine')"))
        try execute("UPDATE Z_PRIMARYKEY SET Z_ENT = 98 WHERE Z_ENT = 3", store)
        try store.run(to: new)
        #expect(
            try store.lines("SELECT Z_ENT, Z_NAME, Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT BETWEEN 3 AND 99 ORDER BY 1")
                == [
                    "3|Page|0", "98|mine|7", "99|NULL|0",
                ])
    }

    @Test func `a model without entities is rejected`() throws {
        let store = try store("CREATE TABLE notes (text TEXT)")
        #expect(try refusal(store, NSManagedObjectModel()).message.contains("no entities"))
    }
}
