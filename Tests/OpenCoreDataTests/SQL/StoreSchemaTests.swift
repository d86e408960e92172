import Foundation
@testable import OpenCoreData
@testable import SwormStore
import SwormPredicates
import SwormSQLite
import Testing

@Suite("The schema of a new store")
struct StoreSchemaTests {
    @Test func `tables come first, each with its join tables, then indexes, then the system's`() {
        let model = ModelSketch([
            .init(
                name: "Car", attributes: ["maker": .string, "plate": .string], relationships: ["owner -> Person.cars"],
                unique: [["plate"]],
                indexes: [
                    .init(
                        kind: .fetchIndex, name: "byMaker",
                        elements: [.property("maker", ascending: true), .property("plate", ascending: false)])
                ]),
            .init(name: "Racer", parent: "Car", relationships: ["drivers =>> Person.racers"]),
            .init(
                name: "Person", attributes: ["first": .string, "last": .string],
                relationships: ["cars ->> Car.owner", "racers =>> Racer.drivers"], unique: [["first", "last"]]),
        ]).compiled()
        #expect(
            StoreSchema(model: model).statements() == [
                "CREATE TABLE ZCAR ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZOWNER INTEGER, ZMAKER VARCHAR, ZPLATE VARCHAR )",
                "CREATE TABLE Z_2DRIVERS ( Z_2RACERS INTEGER, Z_3DRIVERS INTEGER, Z_FOK_2RACERS INTEGER, Z_FOK_3DRIVERS INTEGER, PRIMARY KEY (Z_2RACERS, Z_3DRIVERS) )",
                "CREATE TABLE ZPERSON ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZFIRST VARCHAR, ZLAST VARCHAR )",
                "CREATE INDEX ZCAR_ZOWNER_INDEX ON ZCAR (ZOWNER)", "CREATE INDEX ZCAR_Z_ENT_INDEX ON ZCAR (Z_ENT)",
                "CREATE INDEX Z_2DRIVERS_Z_3DRIVERS_INDEX ON Z_2DRIVERS (Z_3DRIVERS, Z_2RACERS)",
                "CREATE INDEX Z_Car_byMaker ON ZCAR (ZMAKER COLLATE BINARY ASC, ZPLATE COLLATE BINARY DESC)",
                "CREATE UNIQUE INDEX Z_Car_UNIQUE_plate ON ZCAR (ZPLATE COLLATE BINARY ASC)",
                "CREATE UNIQUE INDEX Z_Person_UNIQUE_first_last ON ZPERSON (ZFIRST COLLATE BINARY ASC, ZLAST COLLATE BINARY ASC)",
                "CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER)",
                "CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB)",
                "CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)",
            ])
    }

    @Test func `the keys of to-many relationships without inverse are indexed, reflections too`() {
        let statements = StoreSchema(model: .library).statements()
        #expect(statements.contains("CREATE INDEX ZNOTE_Z2NOTES_INDEX ON ZNOTE (Z2NOTES)"))
        #expect(
            statements.contains(
                "CREATE TABLE Z_2SIMILAR ( Z_2SIMILAR INTEGER, REFLEXIVE INTEGER, PRIMARY KEY (Z_2SIMILAR, REFLEXIVE) )"
            ))
        #expect(statements.contains("CREATE INDEX Z_2SIMILAR_REFLEXIVE_INDEX ON Z_2SIMILAR (REFLEXIVE, Z_2SIMILAR)"))
    }

    @Test func `a flagged attribute is indexed for its entity and every descendant`() {
        let flag = CompiledIndex(kind: .flag, name: "date", elements: [.property("date", ascending: true)])
        for repeated in [[], [flag]] {
            let model = ModelSketch([
                .init(name: "Message", attributes: ["date": .date], indexes: [flag]),
                .init(name: "Text", parent: "Message", indexes: repeated),
            ]).compiled()
            let indexes = StoreSchema(model: model).statements().filter { $0.contains("COLLATE") }
            #expect(
                indexes == [
                    "CREATE INDEX Z_Message_date ON ZMESSAGE (ZDATE COLLATE BINARY ASC)",
                    "CREATE INDEX Z_Text_date ON ZMESSAGE (ZDATE COLLATE BINARY ASC)",
                ])
        }
    }

    private func indexText(_ index: CompiledIndex) -> [String] {
        let model = ModelSketch([
            .init(
                name: "Asset", attributes: ["state": .integer16, "name": .string, "size.width": .double],
                relationships: ["owner -> Owner.assets"], indexes: [index]),
            .init(name: "Owner", relationships: ["assets ->> Asset.owner"]),
        ]).compiled()
        return StoreSchema(model: model).statements().filter { $0.contains("COLLATE") }
    }

    @Test func `an index can name the key, the entity, keys of relationships and leaves`() {
        let index = CompiledIndex(
            kind: .fetchIndex, name: "all",
            elements: [
                .primaryKey(ascending: false), .entity(ascending: true), .property("owner", ascending: true),
                .property("size.width", ascending: true),
            ])
        #expect(
            indexText(index) == [
                "CREATE INDEX Z_Asset_all ON ZASSET (Z_PK COLLATE BINARY DESC, Z_ENT COLLATE BINARY ASC, ZOWNER COLLATE BINARY ASC, ZWIDTH COLLATE BINARY ASC)"
            ])
    }

    @Test func `an index of a relationship alone is not made twice`() {
        #expect(indexText(.init(kind: .fetchIndex, name: "o", elements: [.property("owner", ascending: true)])) == [])
    }

    @Test func `the predicate of a partial index is printed with its constants`() throws {
        func filter(_ predicate: PredicateTree) throws -> String {
            let text = try #require(
                indexText(
                    .init(
                        kind: .fetchIndex, name: "part", elements: [.property("state", ascending: false)],
                        predicate: predicate)
                ).first)
            return String(text.dropFirst("CREATE INDEX Z_Asset_part ON ZASSET (ZSTATE COLLATE BINARY DESC)".count))
        }
        let state = PredicateTree.comparison(Comparison(.path(["state"]), by: .equal, with: .value(.int(-1))))
        let name = PredicateTree.comparison(Comparison(.path(["name"]), by: .notEqual, with: .value(.string("It's"))))
        let empty = PredicateTree.comparison(Comparison(.path(["owner"]), by: .equal, with: .value(.null)))
        let minus = PredicateTree.comparison(Comparison(.path(["state"]), by: .less, with: .negate(.value(.int(-3)))))
        #expect(try filter(state) == " WHERE ZSTATE = -1")
        #expect(try filter(.and([state, name])) == " WHERE (ZSTATE = -1 AND ZNAME <> 'It''s')")
        #expect(try filter(.or([.not(empty), minus])) == " WHERE (NOT (ZOWNER IS NULL) OR ZSTATE < 3)")
        // What an index cannot say is left out; the index then covers every row.
        let path = PredicateTree.comparison(Comparison(.path(["owner", "x"]), by: .equal, with: .value(.int(1))))
        #expect(try filter(.and([state, path])) == "")
    }

    @Test func `every entity has its row of keys`() {
        let rows = StoreSchema(model: .library).primaryKeyStatements().map(\.bindings)
        #expect(rows.count == 6)
        #expect(rows[2] == [.int64(3), .text("Novel"), .int64(2), .int64(0)])
    }

    @Test func `names that SQL would not take bare are quoted`() throws {
        let model = ModelSketch([
            .init(
                name: "Straße", attributes: ["größe \"x\"": .string],
                relationships: ["nächste ->> Straße.zurück", "zurück ->> Straße.nächste"],
                unique: [["größe \"x\""]])
        ]).compiled()
        let connection = try Connection(.memory(name: "test"))
        let schema = StoreSchema(model: model)
        for statement in schema.statements() { try connection.execute(statement) }
        for row in schema.primaryKeyStatements() { try QueryRunner.run(row, on: connection) }
        #expect(try QueryRunner.rows(.init(sql: "SELECT Z_NAME FROM Z_PRIMARYKEY"), on: connection) == [["Straße"]])
    }
}
