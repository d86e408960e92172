import Foundation
import SwormSQLite
import Testing

@testable import OpenCoreData
@testable import SwormStore

/// R-trees that Core Data has made for indexes of places.
@Suite("R-trees in a migration")
struct LocationTreeMigrationTests {
    private func model(
        _ entity: String = "Place", tree: Bool = true, latitude: Bool = true, others: [String] = [],
        index name: String = "where"
    ) -> NSManagedObjectModel {
        let columns = (latitude ? ["latitude"] : []) + ["longitude"]
        let place = Build.entity(
            entity, columns.map { Build.attribute($0, .doubleAttributeType) } + others.map { Build.attribute($0) })
        place.renamingIdentifier = "Place"
        let index = NSFetchIndexDescription(
            name: name,
            elements: ["latitude", "longitude"].compactMap { place.attributesByName[$0] }.map {
                NSFetchIndexElementDescription(property: $0, collationType: .rTree)
            })
        if tree { place.indexes = [index] }
        let hut = Build.entity("Hut")
        place.subentities = [hut]
        let model = NSManagedObjectModel()
        model.entities = [place, hut]
        return model
    }

    /// A store as Core Data leaves it, with a place for each of three objects.
    private func store() throws -> MigratedStore {
        let store = try MigratedStore(model()) { context in
            for (index, name) in ["Place", "Hut", "Place"].enumerated() {
                try context.make(name, ["latitude": Double(index), "longitude": 0.5])
            }
        }
        let values = "NEW.Z_PK, NEW.ZLATITUDE, NEW.ZLATITUDE, NEW.ZLONGITUDE, NEW.ZLONGITUDE"
        try Connection(.file(path: store.url.path)).execute(
            """
            CREATE VIRTUAL TABLE Z_RT_Place_where USING RTREE (Z_PK INTEGER PRIMARY KEY, ZLATITUDE_MIN FLOAT,
                ZLATITUDE_MAX FLOAT, ZLONGITUDE_MIN FLOAT, ZLONGITUDE_MAX FLOAT);
            INSERT INTO Z_RT_Place_where SELECT Z_PK, ZLATITUDE, ZLATITUDE, ZLONGITUDE, ZLONGITUDE FROM ZPLACE;
            CREATE TRIGGER Z_RT_Place_where_INSERT AFTER INSERT ON ZPLACE FOR EACH ROW
            BEGIN INSERT OR REPLACE INTO Z_RT_Place_where VALUES (\(values)); END;
            CREATE TRIGGER Z_RT_Place_where_DELETE AFTER DELETE ON ZPLACE FOR EACH ROW
            BEGIN DELETE FROM Z_RT_Place_where WHERE Z_PK = OLD.Z_PK; END;
            """)
        return store
    }

    private func trees(_ store: MigratedStore) throws -> [String] {
        try store.lines("SELECT name FROM sqlite_master WHERE name LIKE 'Z_RT_%' ORDER BY 1")
    }

    private func isGone(from store: MigratedStore) throws -> Bool {
        try trees(store) == [] && store.lines("PRAGMA integrity_check") == ["ok"]
    }

    @Test func `a tree stays with its triggers, without deleted objects`() throws {
        let store = try store()
        let before = try trees(store)
        #expect(before.count == 6)
        let new = model(others: ["name"])
        new.entities = new.entities.filter { $0.name != "Hut" }
        new.entities.first?.subentities = []
        let report = try store.run(to: new)
        #expect(report.notes == [])
        #expect(try trees(store) == before)
        let keys = try store.lines("SELECT Z_PK FROM ZPLACE ORDER BY 1")
        #expect(keys.count == 2)
        #expect(try store.lines("SELECT Z_PK FROM Z_RT_Place_where ORDER BY 1") == keys)
        try store.write { context in try context.make("Place", ["latitude": 9.0, "longitude": 9.0]) }
        #expect(try store.lines("SELECT count(*) FROM Z_RT_Place_where WHERE ZLATITUDE_MIN > 8") == ["1"])
    }

    @Test func `a tree is deleted with its index, and with its entity`() throws {
        let unindexed = try store()
        #expect(try unindexed.run(to: model(tree: false, others: ["name"])).notes == [])
        #expect(try isGone(from: unindexed))
        let renamed = try store()
        #expect(try renamed.run(to: model("Spot")).notes == [])
        #expect(try isGone(from: renamed))
        let left = try store()
        #expect(try left.run(to: Build.model(Build.entity("Other"))).notes == [])
        #expect(try isGone(from: left))
        try left.checkFile()
    }

    @Test func `a tree is deleted with one of its columns`() throws {
        let store = try store()
        let report = try store.run(to: model(latitude: false))
        #expect(report.notes.contains { $0.contains("'Z_RT_Place_where' was dropped") }, "\(report.notes)")
        #expect(try isGone(from: store))
        try store.write { context in try context.make("Place", ["longitude": 9.0]) }
    }

    @Test func `a tree is deleted without the triggers of a tree whose name begins with its own`() throws {
        let store = try store()
        try Connection(.file(path: store.url.path)).execute(
            """
            CREATE VIRTUAL TABLE Z_RT_Place_where_else USING RTREE (Z_PK INTEGER PRIMARY KEY, ZLATITUDE_MIN FLOAT,
                ZLATITUDE_MAX FLOAT);
            INSERT INTO Z_RT_Place_where_else SELECT Z_PK, ZLATITUDE, ZLATITUDE FROM ZPLACE;
            CREATE TRIGGER Z_RT_Place_where_else_INSERT AFTER INSERT ON ZPLACE FOR EACH ROW
            BEGIN INSERT INTO Z_RT_Place_where_else VALUES (NEW.Z_PK, NEW.ZLATITUDE, NEW.ZLATITUDE); END;
            """)
        #expect(try store.run(to: model(others: ["name"], index: "where_else")).notes == [])
        #expect(try trees(store).allSatisfy { $0.hasPrefix("Z_RT_Place_where_else") })
        try store.write { context in try context.make("Place", ["latitude": 9.0, "longitude": 9.0]) }
        #expect(try store.lines("SELECT count(*) FROM Z_RT_Place_where_else WHERE ZLATITUDE_MIN > 8") == ["1"])
    }
}
