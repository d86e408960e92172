import Foundation
import SwormPredicates
import SwormSQLite
import Testing

@testable import OpenCoreData
@testable import SwormStore

/// Triggers of others that leave changes out: nothing may be lost without a word.
@Suite("Triggers with RAISE(IGNORE)") struct IgnoringTriggerTests {
    private let folder: StoreFolder
    private let coordinator: NSPersistentStoreCoordinator

    init() throws {
        folder = try StoreFolder()
        coordinator = try GraphLibrary.coordinator(at: folder.url())
        let context = context
        let tag = try context.make("Tag", ["name": "t"])
        let author = try context.make("Author", ["name": "Leo"])
        for index in 0..<3 {
            try context.make(
                "Book",
                ["title": "b\(index)", "isbn": "i\(index)", "year": index, "tags": Set([tag]), "author": author])
        }
        try context.make("Shelf", ["label": "s"])
        try context.save()
    }

    private var context: NSManagedObjectContext { GraphLibrary.context(coordinator) }

    /// Adds a trigger, and expects an error of some work with the error's and the store's content unchanged.
    private func expectRefusal(
        _ trigger: String, sourceLocation: SourceLocation = #_sourceLocation,
        _ work: (NSManagedObjectContext) throws -> Void
    ) throws {
        let raw = try folder.raw()
        try raw.execute("CREATE TRIGGER app BEFORE \(trigger) BEGIN SELECT RAISE(IGNORE); END")
        let before = try content()
        let context = context
        let error = coreDataError { try work(context) }
        #expect(error?.message.contains("RAISE(IGNORE)") == true, "\(error as Any)", sourceLocation: sourceLocation)
        #expect(try content() == before, sourceLocation: sourceLocation)
        try raw.execute("DROP TRIGGER app")
        // The same goes through without the trigger.
        let other = self.context
        #expect(coreDataError { try work(other) } == nil, sourceLocation: sourceLocation)
    }

    private func content() throws -> [String] {
        let raw = try folder.raw()
        let tables = try raw.lines(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'Z%' AND name NOT LIKE 'Z\\_%' ESCAPE '\\' OR name LIKE 'Z_%TAGS' ORDER BY 1"
        )
        return try tables.flatMap { table in try raw.lines("SELECT * FROM \(table)").map { "\(table) \($0)" } }
    }

    private func book(_ context: NSManagedObjectContext, _ year: Int) throws -> NSManagedObject {
        try #require(try context.all("Book", "year == %ld", year).first)
    }

    @Test func `a change of an object`() throws {
        try expectRefusal("UPDATE OF ZTITLE ON ZBOOK") { context in
            try book(context, 1).setValue("new", forKey: "title")
            // Others that are not concerned are not written either.
            try book(context, 2).setValue(7, forKey: "stock")
            try context.save()
        }
        try expectRefusal("UPDATE OF ZAUTHOR ON ZBOOK") { context in
            try book(context, 1).setValue(try context.make("Author", ["name": "New"]), forKey: "author")
            try context.save()
        }
    }

    @Test func `an insertion and a deletion`() throws {
        try expectRefusal("INSERT ON ZBOOK") { context in
            try context.make("Book", ["title": "new"])
            try context.save()
        }
        try expectRefusal("DELETE ON ZBOOK") { context in
            context.delete(try book(context, 1))
            try context.save()
        }
    }

    @Test func `links`() throws {
        let join = try #require(
            try folder.raw().lines(
                "SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'Z\\_%TAGS' ESCAPE '\\'"
            ).first)
        try expectRefusal("INSERT ON \(join)") { context in
            try context.make("Book", ["title": "new", "tags": Set(try context.all("Tag"))])
            try context.save()
        }
        try expectRefusal("DELETE ON \(join)") { context in
            try book(context, 2).setValue(Set<NSManagedObject>(), forKey: "tags")
            try context.save()
        }
    }

    @Test func `updates and deletions by statements`() throws {
        try expectRefusal("UPDATE OF ZTITLE ON ZBOOK WHEN OLD.ZYEAR = 1") { context in
            _ = try context.update("Book", "year > 0", ["title": .string("x")])
        }
        try expectRefusal("UPDATE OF ZTITLE ON ZBOOK") { context in
            _ = try context.update("Book", "isbn == 'i1'", ["title": .string("y")])
        }
        try expectRefusal("UPDATE ON ZBOOK WHEN OLD.ZYEAR = 1") { context in
            let request = NSBatchUpdateRequest(entityName: "Book")
            request.propertiesToUpdate = ["stock": 3]
            _ = try context.execute(request)
        }
        try expectRefusal("DELETE ON ZSHELF") { _ = try $0.deleteAll("Shelf") }
        try expectRefusal("DELETE ON ZBOOK WHEN OLD.ZYEAR = 2") { context in
            _ = try context.deleteAll("Book", "year > 0")
        }
        try expectRefusal("UPDATE OF ZAUTHOR ON ZBOOK") { _ = try $0.deleteAll("Author") }
    }

    @Test func `a trigger that applies the change, and ignores its own, is not reported`() throws {
        try folder.raw().execute(
            "CREATE TRIGGER app AFTER UPDATE ON ZBOOK WHEN NEW.ZYEAR > 100 BEGIN SELECT RAISE(IGNORE); END")
        let context = context
        try book(context, 1).setValue(200, forKey: "year")
        try context.save()
        #expect(try context.update("Book", "year < 3", ["stock": .int(1)]) == 2)
        #expect(try folder.raw().lines("SELECT ZYEAR, ZSTOCK FROM ZBOOK ORDER BY 1") == ["0|1", "2|1", "200|7"])
    }
}
