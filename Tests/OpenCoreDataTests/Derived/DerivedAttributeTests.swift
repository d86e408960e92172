import Foundation
import SwormPredicates
import SwormSQLite
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite(.overEachStore) struct DerivedAttributeTests {
    @Test(arguments: [false, true])
    func `a count follows members that are added, move and are deleted`(_ inFile: Bool) throws {
        let folder = try StoreFolder()
        let context = try DerivedLibrary.context(at: inFile ? folder.url() : nil)
        let (one, two) = (try context.make("Book"), try context.make("Novel"))
        #expect(one.value(forKey: "pageCount") == nil)
        let pages = try [5, 7, 9].map { try context.make("Page", ["words": $0, "book": one]) }
        try context.save()
        #expect(one.number("pageCount") == 3 && two.number("pageCount") == 0)
        #expect(one.number("words") == 21 && two.number("words") == 0)
        #expect(one.number("longest") == 9 && two.number("longest") == nil)
        pages[2].setValue(two, forKey: "book")
        try context.save()
        #expect(one.number("pageCount") == 2 && two.number("pageCount") == 1)
        #expect(one.number("words") == 12 && two.number("words") == 9)
        pages[0].setValue(100, forKey: "words")
        context.delete(pages[1])
        try context.save()
        #expect(one.number("pageCount") == 1 && one.number("words") == 100 && one.number("longest") == 100)
        context.delete(two)
        try context.save()
        #expect(try context.all("Page").count == 1)
    }

    @Test func `a value at the end of a path follows the path and its end`() throws {
        let context = try DerivedLibrary.context()
        let (leo, fyodor) = (
            try context.make("Author", ["name": "Leo"]), try context.make("Author", ["name": "Fyodor"])
        )
        let book = try context.make("Book", ["author": leo])
        let page = try context.make("Page", ["book": book])
        try context.save()
        #expect(book.text("authorName") == "Leo" && page.text("writer") == "Leo")
        leo.setValue("Lev", forKey: "name")
        try context.save()
        #expect(book.text("authorName") == "Lev" && page.text("writer") == "Lev")
        book.setValue(fyodor, forKey: "author")
        try context.save()
        #expect(book.text("authorName") == "Fyodor" && page.text("writer") == "Fyodor")
        #expect(leo.number("bookCount") == 0 && fyodor.number("bookCount") == 1)
        book.setValue(nil, forKey: "author")
        try context.save()
        #expect(book.text("authorName") == nil && page.text("writer") == nil)
        let names = try context.all("Book", "authorName == nil")
        #expect(names == [book])
    }

    @Test func `strings are folded, and the time of the last save is kept`() throws {
        let context = try DerivedLibrary.context()
        let author = try context.make("Author", ["name": "Émile ZOLA"])
        let novel = try context.make("Novel", ["title": "Nana", "genre": "Réalisme"])
        try context.save()
        #expect(author.text("plainName") == "emile zola")
        #expect(novel.text("loud") == "NANA" && novel.text("quiet") == "nana")
        #expect(novel.text("plainGenre") == "realisme")
        let first = try #require(novel.value(forKey: "saved") as? Date)
        #expect(abs(first.timeIntervalSinceNow) < 60)
        novel.setValue("Germinal", forKey: "title")
        try context.save()
        #expect(novel.text("quiet") == "germinal")
        #expect(try #require(novel.value(forKey: "saved") as? Date) > first)
        #expect(try context.all("Author", "plainName BEGINSWITH %@", "emi") == [author])
    }

    @Test func `a canonical value is that of Foundation's folding`() throws {
        let context = try DerivedLibrary.context()
        // The tables for `[cd]` keep the marks of one letter together, however many they are.
        let name = "ב" + String(repeating: "\u{591}", count: 80) + "\u{5B0}"
        let expected = name.folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil)
        #expect(!folded(name, options: .canonical).unicodeScalars.elementsEqual(expected.unicodeScalars))
        let author = try context.make("Author", ["name": name])
        try context.save()
        let value = try #require(author.text("plainName"))
        #expect(value.unicodeScalars.elementsEqual(expected.unicodeScalars))
    }

    @Test func `members in a join table are counted and summed from both sides`() throws {
        let context = try DerivedLibrary.context()
        let book = try context.make("Book")
        let tags = try [1.5, 2].map { try context.make("Tag", ["weight": $0]) }
        book.setValue(Set(tags), forKey: "tags")
        let people = try (0..<3).map { _ in try context.make("Person") }
        people[0].setValue(Set(people[1...]), forKey: "friends")
        try context.save()
        #expect(book.number("tagCount") == 2 && book.value(forKey: "tagWeight") as? Double == 3.5)
        #expect(people.map { $0.number("friendCount") } == [2, 1, 1])
        tags[0].setValue(Set<NSManagedObject>(), forKey: "books")
        tags[1].setValue(4.0, forKey: "weight")
        people[2].setValue(Set<NSManagedObject>(), forKey: "friends")
        try context.save()
        #expect(book.number("tagCount") == 1 && book.value(forKey: "tagWeight") as? Double == 4)
        #expect(people.map { $0.number("friendCount") } == [1, 1, 0])
        context.delete(tags[1])
        try context.save()
        #expect(book.number("tagCount") == 0 && book.value(forKey: "tagWeight") as? Double == 0)
    }

    @Test func `other contexts, and objects that were fetched, get the new values`() throws {
        let coordinator = try GraphLibrary.coordinator(model: DerivedLibrary.model())
        let writer = GraphLibrary.context(coordinator)
        let leo = try writer.make("Author", ["name": "Leo"])
        try writer.make("Book", ["author": leo, "title": "Childhood"])
        try writer.save()
        let (fetching, merging) = (GraphLibrary.context(coordinator), GraphLibrary.context(coordinator))
        let merged = try #require(try merging.all("Book").first)
        #expect(merged.text("authorName") == "Leo")
        let observer = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextDidSave, object: fetching, queue: nil
        ) { [weak merging] in merging?.mergeChanges(fromContextDidSave: $0) }
        defer { NotificationCenter.default.removeObserver(observer) }
        let book = try #require(try fetching.all("Book").first)
        #expect(book.text("authorName") == "Leo")
        try #require(book.object("author")).setValue("Lev", forKey: "name")
        try fetching.save()
        #expect(book.text("authorName") == "Lev" && book.text("title") == "Childhood" && !book.hasChanges)
        #expect(merged.text("authorName") == "Lev")
    }

    @Test func `a derived value changes no version, and a save that fails changes no derived value`() throws {
        let folder = try StoreFolder()
        let context = try DerivedLibrary.context(at: folder.url())
        let leo = try context.make("Author", ["name": "Leo"])
        let book = try context.make("Book", ["author": leo])
        try context.save()
        leo.setValue("Lev", forKey: "name")
        try context.save()
        let read = "SELECT Z_OPT, ZAUTHORNAME FROM ZBOOK"
        #expect(try folder.raw().lines(read) == ["1|Lev"])
        try folder.raw().execute(
            "CREATE TRIGGER no AFTER UPDATE OF ZWORDS ON ZPAGE BEGIN SELECT RAISE(ABORT, 'no'); END")
        let page = try context.make("Page", ["book": book])
        try context.save()
        page.setValue(1, forKey: "words")
        leo.setValue("Leon", forKey: "name")
        #expect(throws: CocoaError.self) { try context.save() }
        #expect(book.text("authorName") == "Lev")
        #expect(try folder.raw().lines(read) == ["1|Lev"])
    }

    @Test func `a store without triggers is kept right all the same, and keeps its schema`() throws {
        let folder = try StoreFolder()
        do {
            let context = try DerivedLibrary.context(at: folder.url())
            let leo = try context.make("Author", ["name": "Leo"])
            let book = try context.make("Book", ["author": leo])
            try context.make("Page", ["book": book])
            try context.save()
        }
        let raw = try folder.raw()
        for name in try raw.lines("SELECT name FROM sqlite_master WHERE type = 'trigger'") {
            try raw.execute("DROP TRIGGER \(name)")
        }
        let context = try DerivedLibrary.context(at: folder.url())
        let book = try #require(try context.all("Book").first)
        try context.make("Page", ["book": book, "words": 3])
        book.object("author")?.setValue("Lev", forKey: "name")
        try context.save()
        #expect(book.number("pageCount") == 2 && book.text("authorName") == "Lev" && book.number("words") == 3)
        #expect(try raw.lines("SELECT name FROM sqlite_master WHERE type = 'trigger'") == [])
    }

    @Test func `what cannot be worked out is left alone`() throws {
        let entity = Build.entity(
            "E",
            [
                Build.attribute("a"), Build.derived("b", .stringAttributeType, "median:(a)"),
                Build.derived("c", .stringAttributeType, "missing.path"),
                Build.derived("d", .stringAttributeType, "canonical:(a)"),
            ])
        let context = GraphLibrary.context(try GraphLibrary.coordinator(model: Build.model(entity)))
        let object = try context.make("E", ["a": "Å"])
        try context.save()
        #expect(object.text("b") == nil && object.text("c") == nil && object.text("d") == "a")
    }

    @Test func `a value that the column cannot hold is not put there, and numbers are made to fit`() throws {
        let page = Build.entity(
            "Page",
            [Build.attribute("words", .integer32AttributeType), Build.attribute("price", .decimalAttributeType)])
        let unfit: [NSAttributeType] = [
            .binaryDataAttributeType, .dateAttributeType, .UUIDAttributeType, .integer32AttributeType,
            .doubleAttributeType, .decimalAttributeType, .booleanAttributeType, .URIAttributeType,
        ]
        let book = Build.entity(
            "Book",
            unfit.enumerated().map { Build.derived("unfit\($0)", $1, "title") } + [
                Build.attribute("title"), Build.derived("time", .stringAttributeType, "now()"),
                Build.derived("titles", .stringAttributeType, "count:(pages)"),
                Build.derived("mean", .integer32AttributeType, "average:(pages.words)"),
                Build.derived("exact", .doubleAttributeType, "average:(pages.words)"),
                Build.derived("price", .doubleAttributeType, "max:(pages.price)"),
                Build.derived("small", .integer16AttributeType, "sum:(pages.words)"),
            ])
        let (pages, owner) = (Build.toMany("pages", page), Build.toOne("book", book))
        Build.connect(pages, owner)
        page.properties += [owner, Build.derived("half", .integer64AttributeType, "book.exact")]
        book.properties.append(pages)
        let folder = try StoreFolder()
        let model = Build.model(book, page)
        let context = GraphLibrary.context(try GraphLibrary.coordinator(at: folder.url(), model: model))
        let first = try context.make("Book", ["title": "12"])
        let price = NSDecimalNumber(string: "12345678901234567890.5")
        for words in [2, 70_001] { try context.make("Page", ["words": words, "price": price, "book": first]) }
        try context.save()
        // From the file, and not from what the triggers said.
        let fresh = GraphLibrary.context(try GraphLibrary.coordinator(at: folder.url(), model: model))
        for book in [first, try #require(try fresh.all("Book").first)] {
            for slot in unfit.indices { #expect(book.value(forKey: "unfit\(slot)") == nil) }
            #expect(book.value(forKey: "time") == nil && book.value(forKey: "titles") == nil)
            #expect(book.number("mean") == 35_001 && book.value(forKey: "exact") as? Double == 35_001.5)
            #expect(book.value(forKey: "price") as? Double == 12_345_678_901_234_567_890.5)
            #expect(book.number("small") == 70_003)
            #expect(book.set("pages").allSatisfy { $0.number("half") == 35_001 })
        }
    }

    @Test func `derived values that are set end with the save`() throws {
        let folder = try StoreFolder()
        let context = try DerivedLibrary.context(at: folder.url())
        let book = try context.make("Book", ["title": "a", "pageCount": 77, "authorName": "nobody"])
        try context.save()
        #expect(book.number("pageCount") == 0 && book.text("authorName") == nil)
        try context.make("Page", ["book": book])
        try context.save()
        book.setValue(42, forKey: "pageCount")
        book.setValue("nobody", forKey: "authorName")
        try context.save()
        #expect(book.number("pageCount") == 1 && book.text("authorName") == nil && !book.hasChanges)
        let fetched = try DerivedLibrary.context(at: folder.url())
        let again = try #require(try fetched.all("Book").first)
        again.setValue(42, forKey: "pageCount")
        again.setValue("b", forKey: "title")
        try fetched.save()
        #expect(again.number("pageCount") == 1 && again.text("title") == "b")
        #expect(try folder.raw().lines("SELECT ZPAGECOUNT, ZTITLE FROM ZBOOK") == ["1|b"])
    }

    @Test func `an object that reads its derived values again reads its relationships again, too`() throws {
        let coordinator = try GraphLibrary.coordinator(model: DerivedLibrary.model())
        let writer = GraphLibrary.context(coordinator)
        let authors = try ["Leo", "Fyodor"].map { try writer.make("Author", ["name": $0]) }
        let book = try writer.make("Book", ["author": authors[0]])
        try writer.save()
        let reader = GraphLibrary.context(coordinator)
        let seen = try #require(try reader.all("Book").first)
        #expect(seen.object("author")?.text("name") == "Leo" && seen.text("authorName") == "Leo")
        book.setValue(authors[1], forKey: "author")
        try writer.save()
        try reader.make("Page", ["book": seen])
        try reader.save()
        #expect(seen.number("pageCount") == 1)
        #expect(seen.object("author")?.text("name") == seen.text("authorName"))
    }

    @Test func `a history contains the saved objects, and not the values derived from them`() throws {
        let folder = try StoreFolder()
        let coordinator = try GraphLibrary.coordinator(
            at: folder.url(), model: DerivedLibrary.model(),
            options: [NSPersistentHistoryTrackingKey: NSNumber(value: true)])
        let context = GraphLibrary.context(coordinator)
        let leo = try context.make("Author", ["name": "Leo"])
        let book = try context.make("Book", ["author": leo])
        try context.save()
        leo.setValue("Lev", forKey: "name")
        try context.save()
        #expect(book.text("authorName") == "Lev")
        let changes = "SELECT ZCHANGETYPE, ZENTITY FROM ACHANGE WHERE ZTRANSACTIONID = 2"
        #expect(try folder.raw().lines(changes) == ["1|1"])
    }
}
