import Foundation
@testable import OpenCoreData
import Testing

@testable import SwormCommand
@testable import SwormStore

@Suite("sworm-tool show")
struct ShowTests {
    let workshop: Workshop

    init() throws {
        workshop = try Workshop()
        try workshop.makeStore(keepsModel: true)
    }

    @Test func `an object is shown with its values, its relationships in both directions and its changes`() throws {
        let run = workshop.run("show", "Book/1")
        #expect(run.code == .ok)
        let lines = run.lines.map { $0.replacing(#/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/#, with: "DATE") }
        #expect(
            lines == [
                "Book/1  War and Peace                                                  version 1",
                "  cover        <3 bytes>",
                "  id           173EF017-8551-4F2A-9A51-0123456789AB",
                "  isRead       true",
                "  price        12.3",
                "  rating       4.5",
                "  title        War and Peace",
                "  weight       1.25",
                "  year         1869",
                "points at",
                "  author       Author/1  Leo",
                "  sequel       Book/2  Anna Karenina",
                "who points at this",
                "  Book.sequel  0",
                "  Tag.books    2  Tag/1  old",
                "                  Tag/2  long",
                "history",
                "  DATE  tests  inserted  transaction 1",
                "",
            ])
    }

    @Test(arguments: ["Book/1", "Book/p1", " book/1 ", "x-coredata://STORE/Book/p1"])
    func `an object is named by its entity and key, or by its URI`(name: String) throws {
        let identifier = try StoreInspector(url: workshop.url("Library.sqlite")).metadata.identifier
        let run = workshop.run("show", name.replacing("STORE", with: identifier))
        #expect(run.lines.first?.hasPrefix("Book/1  War and Peace") == true, "\(run.err)")
    }

    @Test func `the URI of an object of another store is an error`() {
        let run = workshop.run("show", "x-coredata://9F70BB9C-1DCE-41B6-ACA3-2DCC03C49165/Book/p1")
        #expect(run.code == .failure)
        #expect(run.err.contains("write Book/1"))
    }

    @Test func `a row with the number of a wrong entity is an error`() throws {
        for number in [99, 1] {
            try workshop.execute("UPDATE ZBOOK SET Z_ENT = \(number) WHERE Z_PK = 2")
            let run = workshop.run("show", "Book/1")
            #expect(run.code == .failure)
            #expect(run.err.contains("the store is damaged") || run.err.contains("store is damaged"), "\(run.err)")
        }
    }

    @Test func `an object of a sub-entity is shown with its own entity`() {
        let run = workshop.run("show", "Book/4")
        #expect(run.lines.first?.hasPrefix("Comic/4  Tintin") == true)
        #expect(run.out.contains("  isColored       true\n"))
        #expect(run.out.contains("  parodies        Comic/4  Tintin\n"))
        #expect(run.out.contains("  Comic.parodies  1  Comic/4  Tintin\n"))
    }

    @Test func `a relationship and its inverse are shown once`() {
        // A to-one relationship with a to-one inverse.
        let profile = workshop.run("show", "Profile/1").out
        #expect(profile.contains("points at\n  author  "))
        #expect(!profile.contains("who points at this"))
        // The to-many side of a to-one relationship, in the order of the relationship.
        let author = workshop.run("show", "Author/1").out
        #expect(author.contains("points at\n  profile      Profile/1  Wrote much.\n"))
        #expect(
            author.contains(
                "  Book.author  2  Book/1  War and Peace\n                  Book/2  Anna Karenina\n"))
    }

    @Test func `a to-many relationship without an inverse is shown at both ends`() {
        let shelf = workshop.run("show", "Shelf/1").out
        #expect(shelf.contains("points at\n  posters  2  Poster/1  sea\n              Poster/2  land\n"))
        let poster = workshop.run("show", "Item/2").out
        #expect(poster.contains("who points at this\n  Shelf.posters  1  Shelf/1  wall\n"))
    }

    @Test func `only the first objects of a relationship are shown, unless all are requested`() throws {
        let books = (11...30).map { "(\($0), 2, 1, 'Volume \($0)', 2)" }.joined(separator: ", ")
        try workshop.execute("INSERT INTO ZBOOK (Z_PK, Z_ENT, Z_OPT, ZTITLE, ZAUTHOR) VALUES \(books)")
        let some = workshop.run("show", "Author/2")
        #expect(some.out.contains("  Book.author  21  Book/11  Volume 11\n"))
        #expect(some.out.contains("Volume 18\n                   and 13 more: --all shows them\n"))
        #expect(!some.out.contains("Volume 19"))
        let all = workshop.run("show", "Author/2", "--all")
        #expect(all.out.contains("Volume 30"))
        #expect(!all.out.contains("more: --all"))
    }

    @Test func `JSON has the members of the object in a fixed form`() throws {
        let json = try #require(try workshop.run("show", "Book/1", "--json").json() as? [String: Any])
        #expect(json["object"] as? String == "Book/1")
        #expect(json["label"] as? String == "War and Peace")
        #expect(json["version"] as? Int == 1)
        let attributes = try #require(json["attributes"] as? [String: Any])
        #expect(attributes["year"] as? Int == 1869)
        #expect(attributes["isRead"] as? Bool == true)
        let targets = try #require(json["to"] as? [[String: Any]])
        #expect(targets.map { $0["relationship"] as? String } == ["author", "sequel"])
        let author = try #require((targets[0]["objects"] as? [[String: Any]])?.first)
        #expect(author["object"] as? String == "Author/1")
        #expect(author["label"] as? String == "Leo")
        let sources = try #require(json["from"] as? [[String: Any]])
        #expect(sources.map { $0["relationship"] as? String } == ["Book.sequel", "Tag.books"])
        #expect(sources.map { $0["count"] as? Int } == [0, 2])
        let changes = try #require(json["history"] as? [[String: Any]])
        #expect(changes.map { $0["kind"] as? String } == ["inserted"])
        #expect(changes.first?["author"] as? String == "tests")
    }

    @Test func `the history has the latest changes with the properties that they changed`() throws {
        let container = try PersistentStore(workshop)
        try container.change { $0.setValue("Peace", forKey: "title") }
        try container.change { $0.setValue(1870, forKey: "year") }
        let run = workshop.run("show", "Book/1")
        let history = run.lines.drop { $0 != "history" }.dropFirst().dropLast()
        #expect(history.count == 3)
        for (line, change) in zip(history, ["updated  year ", "updated  title ", "inserted "]) {
            #expect(line.contains(change))
        }
    }

    @Test func `an object that does not exist is an error that names the keys of its entity`() {
        let run = workshop.run("show", "Book/99")
        #expect(run.code == .failure)
        #expect(run.err.contains("error: the store has no object Book/99"))
        #expect(run.err.contains("hint: the keys of Book are from 1 to 4"))
        #expect(workshop.run("show", "Buch/1").err.contains("the model has no entity 'Buch'"))
        #expect(workshop.run("show", "Book").code == .usage)
        #expect(workshop.run("show", "Book/0").code == .usage)
        #expect(workshop.run("show", "Book/+1").code == .usage)
        #expect(workshop.run("show", "Book/99999999999999999999").code == .usage)
    }

    @Test func `a key without a row is shown as an object that does not exist`() throws {
        try workshop.execute("UPDATE ZBOOK SET ZAUTHOR = 77 WHERE Z_PK = 1")
        let run = workshop.run("show", "Book/1")
        #expect(run.code == .ok)
        #expect(run.out.contains("  author       Author/77  does not exist\n"))
        let json = try #require(try workshop.run("show", "Book/1", "--json").json() as? [String: Any])
        let author = ((json["to"] as? [[String: Any]])?.first?["objects"] as? [[String: Any]])?.first
        #expect(author?["exists"] as? Bool == false)
    }

    @Test func `control characters of a store do not reach the output`() throws {
        try workshop.execute("UPDATE ZBOOK SET ZTITLE = 'a' || char(27) || '[2J' || char(10) || 'b' WHERE Z_PK = 1")
        let run = workshop.run("show", "Book/1")
        #expect(!run.out.contains("\u{1B}"))
        #expect(run.lines.first?.hasPrefix("Book/1  a·[2J↵b") == true)
        try workshop.execute("UPDATE ZBOOK SET ZTITLE = 'a' || char(8238) || 'b' || char(8232) || 'c' WHERE Z_PK = 1")
        #expect(workshop.run("show", "Book/1").lines.first?.hasPrefix("Book/1  a·b·c") == true)
    }

    @Test func `no file of the store changes`() throws {
        let before = try workshop.contents()
        _ = workshop.run("show", "Book/1")
        #expect(try workshop.contents() == before)
    }
}

/// The store of a workshop, opened with contexts that record the history.
private struct PersistentStore {
    let coordinator: NSPersistentStoreCoordinator

    init(_ workshop: Workshop) throws {
        let model = try NSManagedObjectModel.load(contentsOf: URL(fileURLWithPath: workshop.modelPath))
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: workshop.url("Library.sqlite"),
            options: [NSPersistentHistoryTrackingKey: true as NSNumber])
    }

    /// Changes the first book in a transaction of its own.
    func change(_ body: (NSManagedObject) -> Void) throws {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
            request.predicate = NSPredicate(format: "title CONTAINS 'Peace'")
            if let book = try context.fetch(request).first { body(book) }
            try context.save()
        }
    }
}
