import Foundation
import SwormPredicates
import SwormSQLite
import Testing

@testable import OpenCoreData
@testable import SwormStore

/// Items that third parties have added to a file besides tables, such as triggers, still work when we write.
@Suite struct ForeignTriggerTests {
    private static func model() -> NSManagedObjectModel {
        let place = Build.entity(
            "Place",
            [
                Build.attribute("name"), Build.attribute("latitude", .doubleAttributeType),
                Build.attribute("longitude", .doubleAttributeType), Build.attribute("code", .integer32AttributeType),
                Build.attribute("note"),
            ])
        place.uniquenessConstraints = [["name", "code"]]
        return Build.model(place)
    }

    private func context(_ folder: StoreFolder) throws -> NSManagedObjectContext {
        GraphLibrary.context(try GraphLibrary.coordinator(at: folder.url(), model: Self.model()))
    }

    private func store(_ change: String) throws -> StoreFolder {
        let folder = try StoreFolder()
        let coordinator = try GraphLibrary.coordinator(at: folder.url(), model: Self.model())
        try coordinator.remove(try #require(coordinator.persistentStores.first))
        try folder.raw().execute(change)
        return folder
    }

    @Test func `an R-tree follows insertions, updates and deletions`() throws {
        let columns = "Z_PK, ZLATITUDE_MIN, ZLATITUDE_MAX, ZLONGITUDE_MIN, ZLONGITUDE_MAX"
        let values = "NEW.Z_PK, NEW.ZLATITUDE ,NEW.ZLATITUDE, NEW.ZLONGITUDE, NEW.ZLONGITUDE"
        let folder = try store(
            """
            CREATE VIRTUAL TABLE Z_RT_Place_rect USING RTREE (Z_PK INTEGER PRIMARY KEY, ZLATITUDE_MIN FLOAT, ZLATITUDE_MAX FLOAT, ZLONGITUDE_MIN FLOAT, ZLONGITUDE_MAX FLOAT);
            CREATE TRIGGER Z_RT_Place_rect_INSERT AFTER INSERT ON ZPLACE FOR EACH ROW BEGIN INSERT OR REPLACE INTO Z_RT_Place_rect (\(columns)) VALUES (\(values)) ; END;
            CREATE TRIGGER Z_RT_Place_rect_UPDATE AFTER UPDATE ON ZPLACE FOR EACH ROW BEGIN DELETE FROM Z_RT_Place_rect WHERE Z_PK = NEW.Z_PK ; INSERT INTO Z_RT_Place_rect (\(columns)) VALUES (\(values)) ; END;
            CREATE TRIGGER Z_RT_Place_rect_DELETE AFTER DELETE ON ZPLACE FOR EACH ROW BEGIN DELETE FROM Z_RT_Place_rect WHERE Z_PK = OLD.Z_PK ; END
            """)
        let context = try context(folder)
        let places = try [1.0, 2].map { try context.make("Place", ["latitude": $0, "longitude": 5.0]) }
        try context.save()
        let rows = "SELECT ZLATITUDE_MIN FROM Z_RT_Place_rect ORDER BY 1"
        #expect(try folder.raw().lines(rows) == ["1.0", "2.0"])
        places[0].setValue(9.0, forKey: "latitude")
        try context.save()
        #expect(try folder.raw().lines(rows) == ["2.0", "9.0"])
        context.delete(places[1])
        try context.save()
        #expect(try folder.raw().lines(rows) == ["9.0"])
        #expect(try context.all("Place", "latitude == 9") == [places[0]])
    }

    @Test func `a file that was locked when R-trees were looked for is looked into again`() throws {
        let folder = try StoreFolder()
        let other = try folder.raw()
        try other.execute("CREATE VIRTUAL TABLE tree USING RTREE (id, low, high)")
        let connection = StoreConnection(try folder.raw())
        try other.execute("BEGIN EXCLUSIVE")
        #expect(throws: SQLiteError.self) { try connection.trustTrees() }
        try other.execute("ROLLBACK")
        #expect(try connection.integer("PRAGMA trusted_schema") == 0)
        try connection.trustTrees()
        #expect(try connection.integer("PRAGMA trusted_schema") == 1)
    }

    @Test func `a trigger that calls an unknown function fails the save with its name, and nothing is written`() throws
    {
        let folder = try store(
            "CREATE TRIGGER app AFTER INSERT ON ZPLACE BEGIN SELECT AppOwnFunction(NEW.Z_PK); END")
        let context = try context(folder)
        let place = try context.make("Place", ["name": "Home"])
        let error = try #require(coreDataError { try context.save() })
        #expect(error.message.contains("'AppOwnFunction'") && error.message.contains("trigger"))
        #expect(place.isInserted)
        #expect(try folder.raw().lines("SELECT count(*) FROM ZPLACE") == ["0"])
    }

    @Test func `changes that an application's trigger reports are visible immediately`() throws {
        let folder = try store(
            """
            CREATE TRIGGER ZT_Place_note AFTER UPDATE OF ZNAME ON ZPLACE FOR EACH ROW BEGIN
            UPDATE ZPLACE SET ZNOTE = 'was ' || OLD.ZNAME WHERE Z_PK = NEW.Z_PK;
            SELECT NSCoreDataTriggerUpdateAffectedObjectValue('ZPLACE', Z_ENT, Z_PK, 'note', ZNOTE) FROM ZPLACE WHERE Z_PK = NEW.Z_PK; END
            """)
        let context = try context(folder)
        let place = try context.make("Place", ["name": "Home"])
        try context.save()
        place.setValue("Work", forKey: "name")
        try context.save()
        #expect(place.text("note") == "was Home")
    }

    @Test(arguments: [
        "CONSTRAINT ZNAME_ZCODE UNIQUE (ZNAME, ZCODE)", "UNIQUE (ZNAME, ZCODE)",
    ])
    func `a constraint inside the table is kept, and its violation is a conflict`(_ constraint: String) throws {
        let columns =
            "Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCODE INTEGER, ZLATITUDE FLOAT, ZLONGITUDE FLOAT, ZNAME VARCHAR, ZNOTE VARCHAR"
        let folder = try store(
            """
            DROP TABLE ZPLACE; CREATE TABLE ZPLACE ( \(columns), \(constraint) );
            CREATE INDEX ZPLACE_ZNOTE_INDEX ON ZPLACE (ZNOTE);
            CREATE INDEX ZPLACE_ZCODE_ZNOTE ON ZPLACE (ZCODE, ZNOTE)
            """)
        let schema = "SELECT sql FROM sqlite_master ORDER BY rowid"
        let before = try folder.raw().lines(schema)
        let context = try context(folder)
        let first = try context.make("Place", ["name": "Home", "code": 1])
        try context.save()
        let other = self.otherContext(context)
        let second = try other.make("Place", ["name": "Home", "code": 1])
        expectError(.managedObjectConstraintMerge) { try other.save() }
        other.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        second.setValue("new", forKey: "note")
        try other.save()
        #expect(try folder.raw().lines("SELECT Z_PK, ZNAME, ZNOTE FROM ZPLACE") == ["1|Home|new"])
        context.refresh(first, mergeChanges: false)
        #expect(first.text("note") == "new")
        #expect(try folder.raw().lines(schema) == before)
    }

    private func otherContext(_ context: NSManagedObjectContext) -> NSManagedObjectContext {
        let other = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        other.persistentStoreCoordinator = context.persistentStoreCoordinator
        return other
    }

    @Test func `a highest key that is too low is corrected by the next write`() throws {
        let folder = try store("SELECT 1")
        let first = try context(folder)
        try first.make("Place", ["name": "a"])
        try first.save()
        try folder.raw().execute(
            "INSERT INTO ZPLACE (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (40, 1, 1, 'b'); UPDATE Z_PRIMARYKEY SET Z_MAX = 0")
        let context = try context(folder)
        let place = try context.make("Place", ["name": "c"])
        try context.save()
        #expect(place.objectID.uriRepresentation().lastPathComponent == "p41")
        #expect(try folder.raw().lines("SELECT Z_MAX FROM Z_PRIMARYKEY") == ["41"])
    }
}
