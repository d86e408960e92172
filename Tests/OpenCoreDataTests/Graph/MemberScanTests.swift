import Foundation
import SwormSQLite
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("Members that are read with the whole of their table", .overEachStore)
struct MemberScanTests {
    private static let authors = 4200

    /// Authors with none to three books each, which do not lie beside each other in their table.
    private func library() throws -> (folder: StoreFolder, context: NSManagedObjectContext) {
        let folder = try StoreFolder()
        let context = try GraphLibrary.context(at: folder.url())
        var authors: [NSManagedObject] = []
        for number in 0..<Self.authors { authors.append(try context.make("Author", ["name": "author \(number)"])) }
        for book in 0..<3 {
            for number in authors.indices where book < number % 4 {
                try context.make("Book", ["title": "\(number).\(book)", "author": authors[number]])
            }
        }
        try context.save()
        context.reset()
        return (folder, context)
    }

    private func number(of author: NSManagedObject) -> Int {
        author.text("name").flatMap { Int($0.dropFirst("author ".count)) } ?? -1
    }

    private func expectOwnBooks(of authors: [NSManagedObject]) {
        for author in authors {
            let number = number(of: author)
            let titles = author.set("books").compactMap { $0.text("title") }.sorted()
            #expect(titles == (0..<number % 4).map { "\(number).\($0)" })
        }
    }

    private func authors(_ context: NSManagedObjectContext, ascending: Bool = true) throws -> [NSManagedObject] {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: ascending)]
        return try context.fetch(request)
    }

    @Test(arguments: [true, false])
    func `every author of a long list has its own books`(ascending: Bool) throws {
        let (folder, context) = try library()
        let authors = try authors(context, ascending: ascending)
        #expect(authors.count == Self.authors)
        expectOwnBooks(of: authors)
        withExtendedLifetime(folder) {}
    }

    @Test func `saves in between are visible`() throws {
        let (folder, context) = try library()
        let authors = try authors(context)
        expectOwnBooks(of: Array(authors.prefix(2000)))
        let late = try #require(authors.last { number(of: $0) % 4 == 0 })
        try context.make("Book", ["title": "late", "author": late])
        try context.save()
        #expect(late.set("books").compactMap { $0.text("title") } == ["late"])
        context.refreshAllObjects()
        #expect(late.set("books").compactMap { $0.text("title") } == ["late"])
        withExtendedLifetime(folder) {}
    }

    @Test func `members that had to be objects are the same objects again`() throws {
        let (folder, context) = try library()
        let books = try context.all("Book")
        let authors = try authors(context)
        for author in authors {
            for book in author.set("books") { #expect(book.object("author") === author) }
        }
        #expect(Set(authors.flatMap { $0.set("books") }).isSubset(of: books))
        withExtendedLifetime(folder) {}
    }

    @Test(arguments: [1, 300, 1600, 3500])
    func `however many members may be read at a time, each author has its own`(limit: Int) throws {
        let (folder, context) = try library()
        context.faulting.largestReadAhead = limit
        let authors = try authors(context)
        expectOwnBooks(of: limit < 300 ? Array(authors.prefix(300)) : authors)
        withExtendedLifetime(folder) {}
    }

    @Test func `the rest of a long table is read at once when a third of it has been asked for`() throws {
        let (folder, _) = try library()
        let counter = StatementCounter()
        let coordinator = try GraphLibrary.coordinator(at: folder.url(), options: counter.options)
        let (context, other) = (GraphLibrary.context(coordinator), GraphLibrary.context(coordinator))
        let all = try authors(context)
        context.faulting.largestReadAhead = 300
        let early = counter.count { expectOwnBooks(of: Array(all.prefix(1000))) }
        #expect(early >= 5, "\(early)")
        expectOwnBooks(of: Array(all[1000..<1800]))
        counter.expect(0) { expectOwnBooks(of: Array(all.dropFirst(1800))) }

        // A loop that ends before that has not read what follows.
        let some = try authors(other)
        other.faulting.largestReadAhead = 300
        expectOwnBooks(of: Array(some.prefix(1000)))
        let late = counter.count { expectOwnBooks(of: Array(some.suffix(1))) }
        #expect(late > 0)
        withExtendedLifetime(folder) {}
    }

    @Test func `a table with too many members for one reading is read in batches to its end`() throws {
        let (folder, _) = try library()
        let counter = StatementCounter()
        let context = GraphLibrary.context(
            try GraphLibrary.coordinator(at: folder.url(), options: counter.options))
        // Of the last two thousand owners, those that may still be read at once, there are more than 20 times 100 members.
        context.faulting.largestReadAhead = 100
        let all = try authors(context)
        expectOwnBooks(of: Array(all.prefix(2200)))
        let rest = counter.count { expectOwnBooks(of: Array(all.dropFirst(2200))) }
        #expect(rest > 10, "\(rest)")
        withExtendedLifetime(folder) {}
    }

    @Test func `backward loops run as few statements`() throws {
        let (folder, _) = try library()
        let counter = StatementCounter()
        let context = GraphLibrary.context(
            try GraphLibrary.coordinator(at: folder.url(), options: counter.options))
        let all = try authors(context)
        // Four blocks of a thousand and the rest, and never the table: what comes behind has been read.
        counter.expect(4) { expectOwnBooks(of: all.dropFirst(1000).reversed()) }
        counter.expect(1) { expectOwnBooks(of: all.prefix(1000).reversed()) }

        context.reset()
        let books = try context.all("Book")
        let toOne = counter.count {
            for book in books.reversed() {
                let number = book.object("author").map { self.number(of: $0) }
                let title = book.text("title")
                let expected = title.flatMap { Int($0.prefix { $0 != "." }) }
                #expect(expected == number)
            }
        }
        #expect((2...7).contains(toOne), "\(toOne)")
        withExtendedLifetime(folder) {}
    }

    @Test(arguments: [true, false])
    func `a damaged row makes few of its neighbours be read alone`(isBackward: Bool) throws {
        let (folder, writing) = try library()
        let store = try #require(writing.persistentStoreCoordinator?.persistentStores.first)
        try writing.persistentStoreCoordinator?.remove(store)
        try folder.raw().execute("UPDATE ZBOOK SET Z_ENT = 99 WHERE ZTITLE = '1001.0'")
        let counter = StatementCounter()
        let coordinator = try GraphLibrary.coordinator(at: folder.url(), options: counter.options)
        let context = GraphLibrary.context(coordinator)
        let sound = try authors(context).filter { number(of: $0) != 1001 }
        let toMany = counter.count { expectOwnBooks(of: isBackward ? sound.reversed() : sound) }
        #expect(toMany < 60, "\(toMany)")

        try folder.raw().execute("UPDATE ZBOOK SET Z_ENT = (SELECT min(Z_ENT) FROM ZBOOK)")
        try folder.raw().execute("UPDATE ZAUTHOR SET Z_ENT = 99 WHERE ZNAME = 'author 1001'")
        let other = GraphLibrary.context(coordinator)
        let books = try other.all("Book").filter { $0.text("title")?.hasPrefix("1001.") != true }
        let toOne = counter.count {
            for book in isBackward ? books.reversed() : books {
                let number = book.object("author").map { self.number(of: $0) }
                let expected = book.text("title").flatMap { Int($0.prefix { $0 != "." }) }
                #expect(expected == number)
            }
        }
        #expect(toOne < 100, "\(toOne)")
        withExtendedLifetime(folder) {}
    }

    @Test func `authors whose keys lie far apart are looked up in batches`() throws {
        let (folder, context) = try library()
        let authors = try authors(context)
        let some = authors.filter { $0.objectID.key % 20 == 0 }
        context.reset()
        let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
        request.predicate = NSPredicate(format: "name IN %@", some.compactMap { $0.text("name") })
        expectOwnBooks(of: try context.fetch(request))
        withExtendedLifetime(folder) {}
    }

    @Test func `one damaged key of an owner does not make every other owner read the table`() throws {
        let (folder, context) = try library()
        let store = try #require(context.persistentStoreCoordinator?.persistentStores.first)
        try context.persistentStoreCoordinator?.remove(store)
        try folder.raw().execute("UPDATE ZBOOK SET ZAUTHOR = 3000.5 WHERE ZTITLE = '4199.0'")
        let counter = StatementCounter()
        let reading = GraphLibrary.context(try GraphLibrary.coordinator(at: folder.url(), options: counter.options))
        let count = try counter.count {
            let authors = try authors(reading)
            #expect(authors.reduce(0) { $0 + $1.set("books").count } == Self.authors / 4 * 6 - 1)
        }
        // The authors, the longest key and the table in vain, and batches.
        #expect(count < 20, "\(count)")
    }
}
