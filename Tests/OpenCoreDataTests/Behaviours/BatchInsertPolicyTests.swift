import Foundation
import SwormSQLite
import Testing

@testable import OpenCoreData
@testable import SwormStore

/// Source: Apple's "Loading and displaying a large data feed", and WWDC 2019, session 230.
@Suite("Behaviours: batch insertions and the merge policy")
struct BatchInsertPolicyTests {
    private static let trumping: [NSMergePolicy] = [.mergeByPropertyObjectTrump, .overwrite]
    private static let keeping: [NSMergePolicy] = [.mergeByPropertyStoreTrump, .rollback]

    private let library: HistoryLibrary
    private var context: NSManagedObjectContext { library.context }

    init() throws {
        library = try HistoryLibrary()
        for isbn in ["1", "2", "3"] {
            try context.make("Book", ["title": "old \(isbn)", "isbn": isbn, "year": 1900, "stock": 3])
        }
        try context.save()
    }

    private func execute(
        _ objects: [[String: Any]], _ policy: NSMergePolicy, _ type: NSBatchInsertRequestResultType = .objectIDs
    ) throws -> Any? {
        context.mergePolicy = policy
        let request = NSBatchInsertRequest(entityName: "Book", objects: objects)
        request.resultType = type
        return try (context.execute(request) as? NSBatchInsertResult)?.result
    }

    private func keys(_ result: Any?) -> [String]? {
        (result as? [NSManagedObjectID])?.map { $0.uriRepresentation().lastPathComponent }
    }

    private func rows() throws -> [String] {
        try library.folder.raw().lines("SELECT Z_PK, Z_OPT, ZTITLE, ZISBN, ZYEAR, ZSTOCK FROM ZBOOK ORDER BY Z_PK")
    }

    private let before = ["1|1|old 1|1|1900|3", "2|1|old 2|2|1900|3", "3|1|old 3|3|1900|3"]

    @Test(arguments: trumping)
    func `where objects win, an existing row gets the given values and keeps the others`(policy: NSMergePolicy) throws {
        let token = library.token
        let result = try execute(
            [
                ["title": "new 4", "isbn": "4"], ["title": "new 2", "isbn": "2", "year": NSNull()],
                ["isbn": "1", "stock": 7], ["title": "free"], ["title": "again", "isbn": "4", "year": 5],
            ], policy)
        #expect(keys(result) == ["p4", "p2", "p1", "p5"])
        #expect(
            try rows() == [
                "1|2|old 1|1|1900|7", "2|2|new 2|2|NULL|3", "3|1|old 3|3|1900|3", "4|2|again|4|5|7",
                "5|1|free|NULL|NULL|7",
            ])
        let changes = try context.history(
            .fetchHistory(after: token), .changesOnly, as: [NSPersistentHistoryChange].self)
        #expect(
            changes.map(\.text).sorted() == ["insert Book/p4", "insert Book/p5", "update Book/p1", "update Book/p2"])
        let properties = changes.map { $0.updatedProperties.map { Set($0.map(\.name)) } }
        #expect(properties.contains(["stock"]) && properties.contains(["title", "year"]))
        #expect(try context.transactions(.fetchHistory(after: token)).count == 1)
        try library.verify()
    }

    @Test(arguments: keeping)
    func `where the store wins, existing rows stay as they are`(policy: NSMergePolicy) throws {
        let token = library.token
        let objects: [[String: Any]] = [
            ["title": "new 2", "isbn": "2"], ["title": "new 4", "isbn": "4"], ["title": "again", "isbn": "4"],
        ]
        #expect(keys(try execute(objects, policy)) == ["p4"])
        #expect(try rows() == before + ["4|1|new 4|4|NULL|7"])
        #expect(try context.changeTexts(.fetchHistory(after: token)) == ["insert Book/p4"])
        #expect(try execute(objects, policy, .count) as? Int == 0)
        try library.verify()
    }

    @Test func `by default, a taken value is the error 133021, and nothing is inserted`() throws {
        for objects in [
            [["title": "new 4", "isbn": "4"], ["title": "new 2", "isbn": "2"]],
            [["title": "new 4", "isbn": "4"], ["title": "again", "isbn": "4"]],
        ] {
            let error = try #require(throws: CocoaError.self) { try execute(objects, .error) }
            #expect(error.code == .managedObjectConstraintMerge)
            #expect(error.localizedDescription.contains("isbn"))
            #expect(try rows() == before)
        }
        try library.verify()
    }

    @Test func `results are a status, a number, or ids`() throws {
        let objects: [[String: Any]] = [["title": "a", "isbn": "1"], ["title": "b", "isbn": "9"], ["isbn": "1"]]
        #expect(try execute(objects, .mergeByPropertyObjectTrump, .statusOnly) as? Bool == true)
        #expect(try execute(objects, .mergeByPropertyObjectTrump, .count) as? Int == 2)
        #expect(keys(try execute(objects, .mergeByPropertyObjectTrump)) == ["p1", "p4"])
    }

    @Test func `the ids are merged into a context that has the objects`() throws {
        let view = GraphLibrary.context(library.coordinator)
        let book = try #require(try view.all("Book", "isbn == '2'").first)
        #expect(book.text("title") == "old 2")
        let result = try execute([["title": "new", "isbn": "2"]], .mergeByPropertyObjectTrump)
        let ids = try #require(result as? [NSManagedObjectID])
        NSManagedObjectContext.mergeChanges(fromRemoteContextSave: [NSUpdatedObjectsKey: ids], into: [view])
        #expect(book.text("title") == "new")
    }

    @Test func `handlers of dictionaries and of objects give values, too`() throws {
        context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        var count = 0
        let dictionaries = NSBatchInsertRequest(entityName: "Book") { (values: NSMutableDictionary) in
            count += 1
            values["isbn"] = "\(count)"
            values["year"] = 2000 + count
            return count > 2
        }
        try context.execute(dictionaries)
        var number = 1
        let objects = NSBatchInsertRequest(entityName: "Book") { (object: NSManagedObject) in
            number += 1
            object.setValue("\(number)", forKey: "isbn")
            object.setValue("object \(number)", forKey: "title")
            return number > 4
        }
        try context.execute(objects)
        #expect(
            try rows() == [
                "1|2|old 1|1|2001|3", "2|3|object 2|2|2002|3", "3|2|object 3|3|1900|3", "4|1|object 4|4|NULL|7",
            ])
        try library.verify()
    }

    @Test(arguments: trumping)
    func `a handler of objects replaces values of an existing row by defaults and nil`(policy: NSMergePolicy) throws {
        try context.make("Book", ["title": "old 4", "isbn": "4", "year": 1900, "stock": 3])
        try context.save()
        context.mergePolicy = policy
        var number = 2
        let request = NSBatchInsertRequest(entityName: "Book") { (object: NSManagedObject) in
            number += 1
            object.setValue("\(number)", forKey: "isbn")
            // The default of the stock is 7.
            if number == 3 { object.setValue(7, forKey: "stock") }
            if number == 4 { object.setValue(nil, forKey: "year") }
            return number > 4
        }
        try context.execute(request)
        #expect(
            try rows() == [
                "1|1|old 1|1|1900|3", "2|1|old 2|2|1900|3", "3|2|old 3|3|1900|7", "4|2|old 4|4|NULL|3",
            ])
        try library.verify()
    }

    @Test func `a value that a save would reject is rejected, for new rows and for existing ones`() throws {
        context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        func code(_ objects: [[String: Any]]) -> Int? {
            coreDataError { _ = try execute(objects, .mergeByPropertyObjectTrump) }?.errorCode
        }
        #expect(code([["title": "a", "isbn": "1"], ["isbn": "9"]]) == NSValidationMissingMandatoryPropertyError)
        #expect(code([["isbn": "1", "title": NSNull()]]) == NSValidationMissingMandatoryPropertyError)
        #expect(code([["isbn": "1", "year": "x"]]) == NSManagedObjectValidationError)
        let author = try context.make("Author", ["name": "Leo"])
        #expect(code([["isbn": "1", "author": author]]) != nil)
        context.rollback()
        #expect(try rows() == before)
    }

    @Test(arguments: trumping + keeping)
    func `an error that has rolled the transaction back ends the insertion, and nothing is written`(
        policy: NSMergePolicy
    ) throws {
        try library.folder.raw().execute(
            """
            CREATE TRIGGER stop BEFORE INSERT ON ZBOOK WHEN NEW.ZISBN = '2'
            BEGIN SELECT RAISE(ROLLBACK, 'stopped'); END
            """)
        let objects: [[String: Any]] = [
            ["title": "new 9", "isbn": "9"], ["title": "new 2", "isbn": "2"], ["title": "new 8", "isbn": "8"],
        ]
        #expect(throws: (any Error).self) { try execute(objects, policy) }
        #expect(try rows() == before)
        try library.folder.raw().execute("DROP TRIGGER stop")
        #expect(keys(try execute(objects, policy))?.contains("p4") == true)
        try library.verify()
    }

    @Test func `a row of a sub-entity is kept by the store's policies, and an error by the others`() throws {
        try context.make("Novel", ["title": "novel", "isbn": "7"])
        try context.save()
        for policy in Self.trumping {
            expectError(.managedObjectConstraintMerge) { _ = try execute([["title": "a", "isbn": "7"]], policy) }
        }
        for policy in Self.keeping { #expect(keys(try execute([["title": "a", "isbn": "7"]], policy)) == []) }
        #expect(try context.all("Novel").map { $0.text("title") } == ["novel"])
    }

    @Test func `a row with the values of two rows is an error where objects win`() throws {
        let thing = Build.entity("Thing", [Build.attribute("a"), Build.attribute("b"), Build.attribute("n")])
        thing.uniquenessConstraints = [["a"], ["b"]]
        let context = GraphLibrary.context(try GraphLibrary.coordinator(model: Build.model(thing)))
        try context.make("Thing", ["a": "1", "b": "1"])
        try context.make("Thing", ["a": "2", "b": "2"])
        try context.save()
        func insert(_ values: [String: Any]) throws {
            try context.execute(NSBatchInsertRequest(entityName: "Thing", objects: [values]))
        }
        context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        expectError(.managedObjectConstraintMerge) { try insert(["a": "1", "b": "2", "n": "x"]) }
        try insert(["a": "1", "b": "1", "n": "y"])
        try insert(["a": "2", "b": "3"])
        context.refreshAllObjects()
        let texts = try context.all("Thing", sort: "a").map { "\($0.text("b") ?? "") \($0.text("n") ?? "")" }
        #expect(texts == ["1 y", "3 "])
    }

    @Test func `long content of an existing row is replaced, and no file is left over`() throws {
        let photo = Build.entity(
            "Photo",
            [
                Build.attribute("name"),
                Build.attribute("bytes", .binaryDataAttributeType) { $0.allowsExternalBinaryDataStorage = true },
            ])
        photo.uniquenessConstraints = [["name"]]
        let (folder, model) = (try StoreFolder(), Build.model(photo))
        let coordinator = try GraphLibrary.coordinator(at: folder.url(), model: model)
        let context = GraphLibrary.context(coordinator)
        func bytes(_ byte: UInt8) -> Data { Data(repeating: byte, count: 200_000) }
        func insert(_ values: [String: Any]...) throws {
            try context.execute(NSBatchInsertRequest(entityName: "Photo", objects: values))
        }
        try insert(["name": "a", "bytes": bytes(1)], ["name": "b", "bytes": bytes(2)])
        context.mergePolicy = NSMergePolicy.mergeByPropertyStoreTrump
        try insert(["name": "a", "bytes": bytes(3)])
        context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        try insert(["name": "b", "bytes": bytes(4)], ["name": "c", "bytes": bytes(5)])
        let found = try context.all("Photo", sort: "name").map { ($0.value(forKey: "bytes") as? Data)?.first }
        #expect(found == [1, 4, 5])
        context.reset()
        for store in coordinator.persistentStores { try coordinator.remove(store) }
        #expect(try StoreVerification.issues(of: folder.url(), model: model.compiled()) == [])
    }
}
