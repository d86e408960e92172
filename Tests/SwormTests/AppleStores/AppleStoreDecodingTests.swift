// Rows are compared with plain SQL, which needs the driver of the package.
#if canImport(SwormSQLite)
import Foundation
import Sworm
import TestSupport
import Testing

/// Plain structs with tables, over stores that Apple's framework wrote.
@Suite(
    "Structs out of stores that Apple's framework wrote",
    .enabled(if: Fixtures.folder != nil, AppleStoreFixtures.missing))
struct AppleStoreDecodingTests {
    typealias Fixture = AppleStoreFixtures.Fixture

    private static let journals = AppleStoreFixtures.stores(
        of: "JournalEntry", attributes: ["date", "height", "location", "period", "rating", "wind"])
    private static let bookmarks = AppleStoreFixtures.stores(
        of: "BookmarkEntity", attributes: ["uuid", "title", "url", "isFolder", "isFavorite"])
    private static let laterBookmarks = AppleStoreFixtures.stores(
        of: "BookmarkEntity",
        attributes: [
            "uuid", "title", "url", "isFolder", "isPendingDeletion", "modifiedAt",
            "lastChildrenPayloadReceivedFromSync",
        ])
    private static let garages = AppleStoreFixtures.stores(
        of: "Person", attributes: ["id", "firstName", "lastName", "updatedAt", "isDriving"])
    private static let moods = AppleStoreFixtures.stores(
        of: "Mood",
        attributes: [
            "date", "latitude", "longitude", "rating", "remoteID", "creatorID", "markedForRemoteDeletion", "colors",
            "markedForDeletionDate",
        ])

    /// Checks the three ways to values: straight from rows, one at a time, and through managed objects.
    private func expect<Value: ManagedObjectConvertible & Equatable>(
        _ expected: [Value], of type: Value.Type, in container: PersistentContainer
    ) throws {
        #expect(!expected.isEmpty)
        try container.perform { context in
            let decoded = try context.decode(Value.all)
            #expect(decoded == expected)
            var streamed: [Value] = []
            try context.forEach(Value.all) { streamed.append($0) }
            #expect(streamed == expected)
            let fetched = try context.fetch(Value.all).map { try $0.decode() }
            #expect(fetched == expected)
            let count = try context.count(of: Value.all)
            #expect(count == expected.count)
        }
    }

    /// A container over contexts that the application makes by itself.
    private func container(_ fixture: Fixture) throws -> PersistentContainer {
        let model = try #require(NSManagedObjectModel(contentsOf: fixture.modelFile))
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        _ = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: fixture.store,
            options: [NSReadOnlyPersistentStoreOption: true])
        return PersistentContainer(managedObjectContext: {
            let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            context.persistentStoreCoordinator = coordinator
            return context
        })
    }

    private static let isUsualFolder = ProcessInfo.processInfo.environment["SWORM_FIXTURES"] == nil

    @Test(.enabled(if: isUsualFolder, "skipped: SWORM_FIXTURES names a folder whose stores these tables need not know"))
    func `every table meets a store, and some have the very model of their tables`() throws {
        #expect(Self.journals.count >= 1)
        #expect(Self.bookmarks.count >= 1)
        #expect(Self.laterBookmarks.count >= 1)
        #expect(Self.garages.count >= 1)
        #expect(Self.moods.count >= 1)
        let model = try NSManagedObjectModel(tables: Bookmarks.Item.self)
        let fitting = try Self.bookmarks.filter { fixture in
            let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
                ofType: NSSQLiteStoreType, at: fixture.store, options: nil)
            return model.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata)
        }
        #expect(!fitting.isEmpty)
    }

    // MARK: Journals

    private static func journalEntries(_ fixture: Fixture) throws -> [SurfJournal.Entry] {
        try SQLCopy(fixture.store).rows(
            "SELECT ZDATE, ZHEIGHT, ZLOCATION, ZPERIOD, ZRATING, ZWIND FROM ZJOURNALENTRY ORDER BY Z_PK"
        ) { row in
            SurfJournal.Entry(
                date: row.date(), height: row.text(), location: row.text(), period: row.text(),
                rating: row.integer().map { Int16(truncatingIfNeeded: $0) }, wind: row.text())
        }
    }

    @Test(arguments: journals) func `entries of a journal are those of its rows`(_ fixture: Fixture) throws {
        let expected = try Self.journalEntries(fixture)
        try expect(expected, of: SurfJournal.Entry.self, in: container(fixture))
        try expect(
            expected, of: SurfJournal.Entry.self,
            in: PersistentContainer(
                modelFile: fixture.modelFile, checking: SurfJournal.Entry.self, at: .readOnly(fixture.store)))
    }

    /// Its tables alone give a model with the very hashes of the file: no model file is needed.
    @Test(arguments: journals) func `a journal opens with tables alone`(_ fixture: Fixture) throws {
        let store = try PersistentContainer(for: SurfJournal.Entry.self, at: .readOnly(fixture.store))
        try expect(Self.journalEntries(fixture), of: SurfJournal.Entry.self, in: store)
    }

    @Test(arguments: journals) func `a condition on a journal finds the objects of a filter`(_ fixture: Fixture) throws
    {
        let entries = try Self.journalEntries(fixture)
        let location = try #require(entries.compactMap(\.location).first)
        let found = try container(fixture).perform { context in
            try context.decode(SurfJournal.Entry.all.where { $0.rating >= 3 && $0.location == location }.sort(\.date))
        }
        let expected = entries.filter { $0.rating ?? 0 >= 3 && $0.location == location }
        #expect(found.count == expected.count)
        #expect(found.map(\.date) == expected.map(\.date).sorted { $0 ?? .distantPast < $1 ?? .distantPast })
    }

    // MARK: Bookmarks

    @Test(arguments: bookmarks) func `bookmarks are those of their rows, walked in their order`(_ fixture: Fixture)
        throws
    {
        let sql = try SQLCopy(fixture.store)
        let columns = "ZUUID, ZTITLE, ZURL, ZISFOLDER, ZISFAVORITE"
        func items(_ rest: String) throws -> [Bookmarks.Item] {
            try sql.rows("SELECT \(columns) FROM ZBOOKMARKENTITY \(rest)") { row in
                Bookmarks.Item(
                    uuid: row.text() ?? "", title: row.text(), url: row.text(), isFolder: row.bool() ?? false,
                    isFavorite: row.bool() ?? false)
            }
        }
        let all = try items("ORDER BY Z_PK")
        try expect(all, of: Bookmarks.Item.self, in: container(fixture))
        let keys = try sql.rows("SELECT Z_PK FROM ZBOOKMARKENTITY ORDER BY Z_PK") { $0.integer() ?? 0 }
        let store = try PersistentContainer(
            modelFile: fixture.modelFile, checking: Bookmarks.Item.self, at: .readOnly(fixture.store))
        var walked = 0
        try store.perform { context in
            for (object, key) in zip(try context.fetch(Bookmarks.Item.all), keys) {
                let children = try object.children.decode()
                let favorites = try object.favorites.decode()
                #expect(children == (try items("WHERE ZPARENT = \(key) ORDER BY Z_FOK_PARENT")))
                #expect(favorites == (try items("WHERE ZFAVORITEFOLDER = \(key) ORDER BY Z_FOK_FAVORITEFOLDER")))
                let parent = try object.parent?.decode()
                let parents = try items("WHERE Z_PK = (SELECT ZPARENT FROM ZBOOKMARKENTITY WHERE Z_PK = \(key))")
                #expect(parent == parents.first)
                walked += children.count + favorites.count
            }
        }
        #expect(walked > 0)
    }

    /// Self relations in both directions, ordered, with delete rules: the tables say all of it.
    @Test(arguments: bookmarks) func `bookmarks of the first version open with tables alone`(_ fixture: Fixture) throws
    {
        let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
            ofType: NSSQLiteStoreType, at: fixture.store, options: nil)
        let model = try NSManagedObjectModel(tables: Bookmarks.Item.self)
        // The second version differs by modifiers of the hashes alone.
        guard model.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata) else {
            #expect(throws: StoreError.self) {
                try PersistentContainer(for: Bookmarks.Item.self, at: .readOnly(fixture.store))
            }
            return
        }
        let store = try PersistentContainer(for: Bookmarks.Item.self, at: .readOnly(fixture.store))
        let count = try store.perform { try $0.count(of: Bookmarks.Item.all) }
        #expect(count > 0)
    }

    @Test(arguments: laterBookmarks)
    func `favourites in many folders are walked in the order of the join table`(_ fixture: Fixture) throws {
        let sql = try SQLCopy(fixture.store)
        func items(_ rest: String) throws -> [Bookmarks.LaterItem] {
            try sql.rows(
                """
                SELECT b.ZUUID, b.ZTITLE, b.ZURL, b.ZISFOLDER, b.ZISPENDINGDELETION, b.ZMODIFIEDAT
                FROM ZBOOKMARKENTITY b \(rest)
                """
            ) { row in
                Bookmarks.LaterItem(
                    uuid: row.text() ?? "", title: row.text(), url: row.text(), isFolder: row.bool() ?? false,
                    isPendingDeletion: row.bool(), modifiedAt: row.date())
            }
        }
        let store = try PersistentContainer(
            modelFile: fixture.modelFile, checking: Bookmarks.LaterItem.self, at: .readOnly(fixture.store))
        try expect(items("ORDER BY b.Z_PK"), of: Bookmarks.LaterItem.self, in: store)
        let keys = try sql.rows("SELECT Z_PK FROM ZBOOKMARKENTITY ORDER BY Z_PK") { $0.integer() ?? 0 }
        var walked = 0
        try store.perform { context in
            for (object, key) in zip(try context.fetch(Bookmarks.LaterItem.all), keys) {
                let favorites = try object.favorites.decode()
                let expected = try items(
                    """
                    JOIN Z_1FAVORITES j ON j.Z_1FAVORITES = b.Z_PK WHERE j.Z_1FAVORITEFOLDERS = \(key)
                    ORDER BY j.Z_FOK_1FAVORITES
                    """)
                #expect(favorites == expected)
                let folders = try object.favoriteFolders.decode().map(\.uuid).sorted()
                let back = try items(
                    "JOIN Z_1FAVORITES j ON j.Z_1FAVORITEFOLDERS = b.Z_PK WHERE j.Z_1FAVORITES = \(key) ORDER BY b.ZUUID"
                )
                #expect(folders == back.map(\.uuid))
                walked += favorites.count
            }
        }
        #expect(walked > 0)
    }

    // MARK: Cars

    @Test(arguments: garages) func `cars and their owners are those of their rows`(_ fixture: Fixture) throws {
        let sql = try SQLCopy(fixture.store)
        let cars = try sql.rows(
            "SELECT ZMAKER, ZMODEL, ZNUMBERPLATE, ZMARKEDFORDELETIONASOF FROM ZCAR ORDER BY Z_PK"
        ) { row in
            Garage.Car(
                maker: row.text(), model: row.text(), numberPlate: row.text() ?? "", markedForDeletionAsOf: row.date())
        }
        let people = try sql.rows("SELECT ZID, ZFIRSTNAME, ZLASTNAME, ZUPDATEDAT FROM ZPERSON ORDER BY Z_PK") { row in
            Garage.Person(
                id: row.uuid() ?? UUID(), firstName: row.text(), lastName: row.text(),
                updatedAt: row.date() ?? .distantPast)
        }
        let special = try sql.rows(
            """
            SELECT ZNUMBERPLATE, ZISLIMITEDEDITION FROM ZCAR
            WHERE Z_ENT = (SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = 'ExpensiveSportCar') ORDER BY Z_PK
            """
        ) { row in Garage.SportCar(numberPlate: row.text() ?? "", isLimitedEdition: row.bool()) }
        let store = try PersistentContainer(
            modelFile: fixture.modelFile, checking: Garage.Car.self, Garage.SportCar.self, Garage.Person.self,
            at: .readOnly(fixture.store))
        try expect(cars, of: Garage.Car.self, in: store)
        try expect(people, of: Garage.Person.self, in: store)
        try expect(special, of: Garage.SportCar.self, in: store)
        let name = try #require(people.compactMap(\.lastName).first)
        let plates = try sql.rows(
            """
            SELECT c.ZNUMBERPLATE, p.ZLASTNAME FROM ZCAR c LEFT JOIN ZPERSON p ON p.Z_PK = c.ZOWNER ORDER BY c.Z_PK
            """
        ) { ($0.text() ?? "", $0.text()) }
        try store.perform { context in
            let owned = try context.decode(Garage.Car.all.where { $0.owner.lastName == name }).map(\.numberPlate)
            #expect(owned == plates.filter { $0.1 == name }.map(\.0))
            let none = try context.decode(Garage.Car.all.where { $0.owner == nil }).map(\.numberPlate)
            #expect(none == plates.filter { $0.1 == nil }.map(\.0))
            for car in try context.fetch(Garage.Car.all) {
                let plate = try car.decode().numberPlate
                let owner = try car.owner?.decode()
                #expect(owner?.lastName == plates.first { $0.0 == plate }?.1)
            }
            for person in try context.fetch(Garage.Person.all) {
                let owner = try person.decode()
                let cars = try person.cars.decode().map(\.numberPlate).sorted()
                let expected = try sql.rows(
                    "SELECT c.ZNUMBERPLATE, p.ZID FROM ZCAR c JOIN ZPERSON p ON p.Z_PK = c.ZOWNER ORDER BY c.ZNUMBERPLATE"
                ) { ($0.text() ?? "", $0.uuid()) }
                #expect(cars == expected.filter { $0.1 == owner.id }.map(\.0))
            }
        }
    }

    // MARK: Moods

    @Test(arguments: moods) func `moods and their countries are those of their rows`(_ fixture: Fixture) throws {
        let sql = try SQLCopy(fixture.store)
        // Earlier versions keep a country in the table of its abstract parent.
        let tables = try sql.rows("SELECT name FROM sqlite_master WHERE type = 'table'") { $0.text() ?? "" }
        let table = tables.contains("ZCOUNTRY") ? "ZCOUNTRY" : "ZGEOGRAPHICREGION"
        let countries = try sql.rows(
            """
            SELECT ZNUMERICISO3166CODE, ZNUMBEROFMOODS, ZUPDATEDAT, ZMARKEDFORDELETIONDATE, Z_PK FROM \(table)
            WHERE Z_ENT = (SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = 'Country') ORDER BY Z_PK
            """
        ) { row in
            Moods.Country(
                numericISO3166Code: Int16(truncatingIfNeeded: row.integer() ?? 0), numberOfMoods: row.integer() ?? 0,
                updatedAt: row.date() ?? .distantPast, markedForDeletionDate: row.date())
        }
        let moods = try sql.rows(
            """
            SELECT ZDATE, ZLATITUDE, ZLONGITUDE, ZRATING, ZREMOTEID, ZCREATORID, ZMARKEDFORREMOTEDELETION FROM ZMOOD
            ORDER BY Z_PK
            """
        ) { row in
            Moods.Mood(
                date: row.date() ?? .distantPast, latitude: row.real(), longitude: row.real(),
                rating: Int16(truncatingIfNeeded: row.integer() ?? 0), remoteID: row.text(), creatorID: row.text(),
                markedForRemoteDeletion: row.bool() ?? false)
        }
        let store = try PersistentContainer(
            modelFile: fixture.modelFile, checking: Moods.Mood.self, at: .readOnly(fixture.store))
        try expect(countries, of: Moods.Country.self, in: store)
        try expect(moods, of: Moods.Mood.self, in: store)
        let codes = try sql.rows(
            """
            SELECT m.ZREMOTEID, c.ZNUMERICISO3166CODE FROM ZMOOD m LEFT JOIN \(table) c ON c.Z_PK = m.ZCOUNTRY
            ORDER BY m.Z_PK
            """
        ) { row -> Int16? in
            _ = row.text()
            return row.integer().map { Int16(truncatingIfNeeded: $0) }
        }
        try store.perform { context in
            let found = try context.fetch(Moods.Mood.all).map { try $0.country?.decode().numericISO3166Code }
            #expect(found == codes)
            let total = try context.fetch(Moods.Country.all).map { $0.moods.count }.reduce(0, +)
            #expect(total == codes.count { $0 != nil })
            for code in Set(codes.compactMap { $0 }) {
                let count = try context.count(of: Moods.Mood.all.where { $0.country.numericISO3166Code == code })
                #expect(count == codes.count { $0 == code })
            }
        }
    }
}
#endif
