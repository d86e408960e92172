import SwormPredicates
import Testing

@testable import OpenCoreData
@testable import SwormStore

/// The SQL of migrations, word for word, without a database.
@Suite("The plan of a migration")
struct MigrationPlanTests {
    /// A mapping by names, but for those that have changed: `Old: New` for entities, `New.old: new` for properties.
    private func mapping(
        _ old: CompiledModel, _ new: CompiledModel, _ renames: [String: String] = [:]
    ) -> ModelMapping {
        func properties(_ before: [String], _ after: [String], _ entity: String) -> [ModelMapping.Property] {
            after.map { name in
                let source = before.first { (renames["\(entity).\($0)"] ?? $0) == name }
                return ModelMapping.Property(source: source, destination: name)
            }
        }
        var entities: [ModelMapping.Entity] = []
        for entity in old.entities {
            guard let image = new.entity(named: renames[entity.name] ?? entity.name) else {
                entities.append(.init(source: entity.name, destination: nil, attributes: [], relationships: []))
                continue
            }
            entities.append(
                .init(
                    source: entity.name, destination: image.name,
                    attributes: properties(
                        entity.attributes.map(\.name), image.attributes.map(\.name), image.name),
                    relationships: properties(
                        entity.relationships.map(\.name), image.relationships.map(\.name), image.name)))
        }
        return ModelMapping(entities: entities)
    }

    private func source(_ model: CompiledModel, keys: [Int: Int64] = [:]) -> MigrationSource {
        let schema = StoreSchema(model: model)
        var types: [String: [String: String]] = [:]
        for table in schema.layout.tables.values {
            types[table.name] = Dictionary(uniqueKeysWithValues: table.columns.map { ($0.name, $0.declaredType) })
        }
        types["Z_MODELCACHE"] = ["Z_CONTENT": "BLOB"]
        let indexes = schema.indexes().map {
            SchemaObject(kind: .index, name: $0.name, table: $0.table, sql: $0.sql)
        }
        return MigrationSource(layout: schema.layout, types: types, objects: indexes, highestKeys: keys)
    }

    private func plan(
        _ old: [ModelSketch.Entity], _ new: [ModelSketch.Entity], _ renames: [String: String] = [:],
        keys: [Int: Int64] = [:]
    ) throws -> MigrationPlan {
        let (old, new) = (ModelSketch(old).compiled(), ModelSketch(new).compiled())
        return try MigrationPlanner(
            mapping(old, new, renames), from: source(old, keys: keys), of: old, to: new
        ).plan()
    }

    @Test func `a new attribute is a new column, and nothing else changes`() throws {
        let plan = try plan(
            [.init(name: "Book", attributes: ["title": .string], unique: [["title"]])],
            [.init(name: "Book", attributes: ["title": .string, "year": .integer32], unique: [["title"]])], keys: [1: 9]
        )
        #expect(plan.changes.map(\.sql) == ["ALTER TABLE ZBOOK ADD COLUMN ZYEAR INTEGER"])
        #expect(
            plan.completion.map(\.sql) == [
                "DELETE FROM Z_PRIMARYKEY WHERE Z_ENT <= 1",
                "INSERT INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES (?1, ?2, ?3, ?4)",
            ])
        #expect(plan.completion.last?.values == [.integer(1), .text("Book"), .integer(0), .integer(9)])
        #expect(plan.uniqueIndexes.isEmpty)
    }

    @Test func `a deleted column takes the table with it`() throws {
        let plan = try plan(
            [.init(name: "Book", attributes: ["title": .string, "year": .integer32], unique: [["title"]])],
            [.init(name: "Book", attributes: ["title": .string], unique: [["title"]])])
        #expect(
            plan.changes.map(\.sql) == [
                "ALTER TABLE ZBOOK RENAME TO SwormOld_1",
                "CREATE TABLE ZBOOK ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZTITLE VARCHAR )",
                "INSERT INTO ZBOOK (Z_PK, Z_ENT, Z_OPT, ZTITLE) SELECT Z_PK, Z_ENT, Z_OPT, ZTITLE FROM SwormOld_1",
                "DROP TABLE SwormOld_1",
            ])
        #expect(plan.uniqueIndexes.map(\.name) == ["Z_Book_UNIQUE_title"])
        #expect(
            plan.completion.first?.sql
                == "CREATE UNIQUE INDEX Z_Book_UNIQUE_title ON ZBOOK (ZTITLE COLLATE BINARY ASC)")
    }

    @Test func `other names are other names of tables and columns, also round in a circle`() throws {
        let plan = try plan(
            [.init(name: "Book", attributes: ["one": .string, "two": .string])],
            [.init(name: "Work", attributes: ["one": .string, "two": .string])],
            ["Book": "Work", "Work.one": "two", "Work.two": "one"])
        #expect(
            plan.changes.map(\.sql) == [
                "ALTER TABLE ZBOOK RENAME TO ZWORK", "ALTER TABLE ZWORK RENAME COLUMN ZTWO TO SwormMoved_0",
                "ALTER TABLE ZWORK RENAME COLUMN ZONE TO SwormMoved_1",
                "ALTER TABLE ZWORK RENAME COLUMN SwormMoved_0 TO ZONE",
                "ALTER TABLE ZWORK RENAME COLUMN SwormMoved_1 TO ZTWO",
            ])
    }

    @Test func `numbers that shift change rows, columns, join tables and their indexes`() throws {
        let entities: [ModelSketch.Entity] = [
            .init(name: "Book", relationships: ["tags ->> Tag.books"]),
            .init(name: "Novel", parent: "Book"),
            .init(name: "Loan", relationships: ["book -> Book"]),
            .init(name: "Tag", relationships: ["books ->> Book.tags"]),
        ]
        let plan = try plan(entities, entities + [.init(name: "Aisle")])
        #expect(
            plan.changes.map(\.sql) == [
                "DROP INDEX \"Z_1TAGS_Z_4TAGS_INDEX\"",
                "DROP INDEX \"ZLOAN_ZBOOK_INDEX\"",
                "ALTER TABLE Z_1TAGS RENAME TO Z_2TAGS",
                "ALTER TABLE ZLOAN RENAME COLUMN Z1_BOOK TO Z2_BOOK",
                "ALTER TABLE Z_2TAGS RENAME COLUMN Z_1BOOKS TO Z_2BOOKS",
                "ALTER TABLE Z_2TAGS RENAME COLUMN Z_4TAGS TO Z_5TAGS",
                "CREATE TABLE ZAISLE ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER )",
                "UPDATE ZBOOK SET Z_ENT = CASE Z_ENT WHEN 1 THEN 2 WHEN 2 THEN 3 ELSE Z_ENT END WHERE Z_ENT IN (1, 2)",
                "UPDATE ZLOAN SET Z_ENT = CASE Z_ENT WHEN 3 THEN 4 ELSE Z_ENT END WHERE Z_ENT IN (3)",
                "UPDATE ZTAG SET Z_ENT = CASE Z_ENT WHEN 4 THEN 5 ELSE Z_ENT END WHERE Z_ENT IN (4)",
                "UPDATE ZLOAN SET Z2_BOOK = (SELECT t.Z_ENT FROM ZBOOK AS t WHERE t.Z_PK = ZLOAN.ZBOOK) WHERE ZBOOK IS NOT NULL",
            ])
        #expect(
            plan.completion.prefix(2).map(\.sql) == [
                "CREATE INDEX Z_2TAGS_Z_5TAGS_INDEX ON Z_2TAGS (Z_5TAGS, Z_2BOOKS)",
                "CREATE INDEX ZLOAN_ZBOOK_INDEX ON ZLOAN (ZBOOK)",
            ])
    }

    @Test func `tables that are merged give the second's objects other keys, and change the links to them`() throws {
        let plan = try plan(
            [
                .init(name: "Book", attributes: ["title": .string], relationships: ["films ->> Film.book"]),
                .init(name: "Film", attributes: ["title": .string], relationships: ["book -> Book.films"]),
                .init(name: "Loan", relationships: ["film -> Film"]),
            ],
            [
                .init(name: "Work", attributes: ["title": .string]),
                .init(name: "Book", parent: "Work", relationships: ["films ->> Film.book"]),
                .init(name: "Film", parent: "Work", relationships: ["book -> Book.films"]),
                .init(name: "Loan", relationships: ["film -> Film"]),
            ], keys: [1: 70, 2: 30])
        #expect(
            plan.changes.map(\.sql) == [
                "ALTER TABLE ZBOOK RENAME TO SwormOld_1",
                "ALTER TABLE ZFILM RENAME TO SwormOld_2",
                "ALTER TABLE ZLOAN RENAME TO SwormOld_3",
                "CREATE TABLE ZLOAN ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZFILM INTEGER )",
                "CREATE TABLE ZWORK ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZBOOK INTEGER, ZTITLE VARCHAR )",
                "INSERT INTO ZLOAN (Z_PK, Z_ENT, Z_OPT, ZFILM) SELECT Z_PK, 1, Z_OPT, ZFILM + 70 FROM SwormOld_3",
                "INSERT INTO ZWORK (Z_PK, Z_ENT, Z_OPT, ZTITLE) SELECT Z_PK, 3, Z_OPT, ZTITLE FROM SwormOld_1",
                "INSERT INTO ZWORK (Z_PK, Z_ENT, Z_OPT, ZTITLE, ZBOOK) SELECT Z_PK + 70, 4, Z_OPT, ZTITLE, ZBOOK FROM SwormOld_2",
                "DROP TABLE SwormOld_1",
                "DROP TABLE SwormOld_2",
                "DROP TABLE SwormOld_3",
            ])
    }

    @Test func `a to-one relationship that becomes to-many is gathered, and written into a join table`() throws {
        let plan = try plan(
            [
                .init(name: "Book", relationships: ["author -> Author.books"]),
                .init(name: "Author", relationships: ["books =>> Book.author"]),
            ],
            [
                .init(name: "Book", relationships: ["author ->> Author.books"]),
                .init(name: "Author", relationships: ["books =>> Book.author"]),
            ])
        #expect(
            plan.changes.map(\.sql) == [
                "CREATE TABLE temp.SwormLinks_1 (O INTEGER, M INTEGER, P INTEGER, Q INTEGER)",
                "INSERT INTO temp.SwormLinks_1 (O, M, P, Q) SELECT ZAUTHOR, Z_PK, Z_FOK_AUTHOR, NULL FROM ZBOOK WHERE ZAUTHOR IS NOT NULL",
                "ALTER TABLE ZBOOK RENAME TO SwormOld_2",
                "CREATE TABLE ZBOOK ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER )",
                "CREATE TABLE Z_1BOOKS ( Z_1AUTHOR INTEGER, Z_2BOOKS INTEGER, Z_FOK_2BOOKS INTEGER, PRIMARY KEY (Z_1AUTHOR, Z_2BOOKS) )",
                "INSERT INTO ZBOOK (Z_PK, Z_ENT, Z_OPT) SELECT Z_PK, Z_ENT, Z_OPT FROM SwormOld_2",
                "DROP TABLE SwormOld_2",
                "DELETE FROM temp.SwormLinks_1 WHERE NOT EXISTS (SELECT 1 FROM ZAUTHOR AS t WHERE t.Z_PK = O) OR NOT EXISTS (SELECT 1 FROM ZBOOK AS t WHERE t.Z_PK = M)",
                "CREATE INDEX temp.SwormLinks_1_O ON SwormLinks_1 (O)",
                "CREATE INDEX temp.SwormLinks_1_M ON SwormLinks_1 (M)",
                "INSERT INTO Z_1BOOKS (Z_1AUTHOR, Z_2BOOKS, Z_FOK_2BOOKS) SELECT O, M, 1024 + 1024 * row_number() OVER (PARTITION BY O ORDER BY min(P), M) FROM temp.SwormLinks_1 GROUP BY O, M",
                "DROP TABLE temp.SwormLinks_1",
            ])
    }

    @Test func `a to-many relationship that becomes to-one keeps the first`() throws {
        let plan = try plan(
            [
                .init(name: "Book", relationships: ["tags ->> Tag.books"]),
                .init(name: "Tag", relationships: ["books ->> Book.tags"]),
            ],
            [
                .init(name: "Book", relationships: ["tags -> Tag.books"]),
                .init(name: "Tag", relationships: ["books =>> Book.tags"]),
            ])
        #expect(
            plan.changes.map(\.sql) == [
                "CREATE TABLE temp.SwormLinks_1 (O INTEGER, M INTEGER, P INTEGER, Q INTEGER)",
                "INSERT INTO temp.SwormLinks_1 (O, M, P, Q) SELECT Z_1BOOKS, Z_2TAGS, NULL, NULL FROM Z_1TAGS WHERE Z_1BOOKS IS NOT NULL",
                "DROP TABLE Z_1TAGS",
                "ALTER TABLE ZBOOK ADD COLUMN ZTAGS INTEGER",
                "ALTER TABLE ZBOOK ADD COLUMN Z_FOK_TAGS INTEGER",
                "DELETE FROM temp.SwormLinks_1 WHERE NOT EXISTS (SELECT 1 FROM ZBOOK AS t WHERE t.Z_PK = O) OR NOT EXISTS (SELECT 1 FROM ZTAG AS t WHERE t.Z_PK = M)",
                "DELETE FROM temp.SwormLinks_1 WHERE rowid IN (SELECT K FROM (SELECT rowid AS K, row_number() OVER (PARTITION BY O ORDER BY P, M) AS N FROM temp.SwormLinks_1) WHERE N > 1)",
                "CREATE INDEX temp.SwormLinks_1_O ON SwormLinks_1 (O)",
                "CREATE INDEX temp.SwormLinks_1_M ON SwormLinks_1 (M)",
                "UPDATE ZBOOK SET ZTAGS = (SELECT M FROM temp.SwormLinks_1 WHERE O = ZBOOK.Z_PK), Z_FOK_TAGS = (SELECT Q FROM temp.SwormLinks_1 WHERE O = ZBOOK.Z_PK) WHERE Z_PK IN (SELECT O FROM temp.SwormLinks_1)",
                "UPDATE ZBOOK SET Z_FOK_TAGS = 1024 + 1024 * N FROM (SELECT Z_PK AS K, row_number() OVER (PARTITION BY ZTAGS ORDER BY Z_FOK_TAGS, Z_PK) AS N FROM ZBOOK WHERE ZTAGS IS NOT NULL) WHERE Z_PK = K",
                "DROP TABLE temp.SwormLinks_1",
            ])
    }

    @Test func `deleted objects nullify the links to them`() throws {
        let plan = try plan(
            [
                .init(name: "Book"), .init(name: "Novel", parent: "Book"), .init(name: "Poem", parent: "Book"),
                .init(name: "Loan", relationships: ["book -> Book"]),
            ],
            [
                .init(name: "Book"), .init(name: "Novel", parent: "Book"),
                .init(name: "Loan", relationships: ["book -> Book"]),
            ])
        #expect(
            plan.changes.map(\.sql) == [
                "DELETE FROM ZBOOK WHERE Z_ENT IN (3)",
                "UPDATE ZLOAN SET Z_ENT = CASE Z_ENT WHEN 4 THEN 3 ELSE Z_ENT END WHERE Z_ENT IN (4)",
                "UPDATE ZLOAN SET ZBOOK = NULL, Z1_BOOK = NULL WHERE ZBOOK IS NOT NULL AND NOT EXISTS (SELECT 1 FROM ZBOOK AS t WHERE t.Z_PK = ZLOAN.ZBOOK)",
            ])
    }

    @Test func `a child that leaves takes its rows with it`() throws {
        let plan = try plan(
            [.init(name: "Book", attributes: ["title": .string]), .init(name: "Novel", parent: "Book")],
            [
                .init(name: "Book", attributes: ["title": .string]),
                .init(name: "Novel", attributes: ["title": .string]),
            ], keys: [1: 5])
        #expect(
            plan.changes.map(\.sql) == [
                "ALTER TABLE ZBOOK RENAME TO SwormOld_1",
                "CREATE TABLE ZBOOK ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZTITLE VARCHAR )",
                "CREATE TABLE ZNOVEL ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZTITLE VARCHAR )",
                "INSERT INTO ZBOOK (Z_PK, Z_ENT, Z_OPT, ZTITLE) SELECT Z_PK, Z_ENT, Z_OPT, ZTITLE FROM SwormOld_1 WHERE Z_ENT IN (1)",
                "INSERT INTO ZNOVEL (Z_PK, Z_ENT, Z_OPT, ZTITLE) SELECT Z_PK, Z_ENT, Z_OPT, ZTITLE FROM SwormOld_1 WHERE Z_ENT IN (2)",
                "DROP TABLE SwormOld_1",
            ])
    }

    @Test func `a name that another program's table has is rejected`() throws {
        let old = ModelSketch([.init(name: "Book")]).compiled()
        let new = ModelSketch([.init(name: "Book"), .init(name: "Page")]).compiled()
        var source = source(old)
        source.types["ZPAGE"] = ["text": "TEXT"]
        let planner = try MigrationPlanner(mapping(old, new), from: source, of: old, to: new)
        let error = try #require(throws: CoreDataError.self) { try planner.plan() }
        #expect(error.errorCode == NSMigrationError)
        #expect(error.message.contains("ZPAGE"))
    }
}
