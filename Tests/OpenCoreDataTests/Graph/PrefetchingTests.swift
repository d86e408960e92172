import Foundation
import SwormSQLite
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("Relationships that are read with a fetch", .overEachStore)
struct PrefetchingTests {
    /// Authors with as many books as their number says; each book with two reviews, a tag, and a shelf where it is a novel,
    /// which every other one is.
    private func library(_ authors: Int) throws -> (counter: StatementCounter, context: NSManagedObjectContext) {
        let counter = StatementCounter()
        let context = GraphLibrary.context(try GraphLibrary.coordinator(options: counter.options))
        let tags = try (0..<3).map { try context.make("Tag", ["name": "tag \($0)"]) }
        let shelf = try context.make("Shelf", ["label": "novels"])
        for number in 0..<authors {
            let author = try context.make("Author", ["name": "author \(number)"])
            for index in 0..<number {
                let book = try context.make(
                    index % 2 == 0 ? "Novel" : "Book", ["title": "\(number).\(index)", "author": author])
                book.mutableSetValue(forKey: "tags").add(tags[index % 3])
                if index % 2 == 0 { book.setValue(shelf, forKey: "shelf") }
                for mark in 1...2 {
                    book.mutableOrderedSetValue(forKey: "reviews").add(try context.make("Review", ["mark": mark]))
                }
            }
        }
        try context.save()
        context.reset()
        return (counter, context)
    }

    private func request(_ entity: String, _ paths: String..., sort: String? = nil) -> NSFetchRequest<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        request.relationshipKeyPathsForPrefetching = paths
        request.sortDescriptors = sort.map { [NSSortDescriptor(key: $0, ascending: true)] }
        return request
    }

    private func titles(_ author: NSManagedObject) -> [String] {
        author.set("books").compactMap { $0.text("title") }.sorted()
    }

    /// The titles of the books of an author with a number.
    private func titles(_ number: Int) -> [String] { (0..<number).map { "\(number).\($0)" }.sorted() }

    @Test func `relationships of every kind are not faults after the fetch`() throws {
        let (counter, context) = try library(8)
        let authors = try counter.expect(5) {
            try context.fetch(
                request("Author", "books.reviews", "books.tags", "books.shelf", "books", sort: "name"))
        }
        counter.expect(0) {
            for (number, author) in authors.enumerated() {
                #expect(!author.hasFault(forRelationshipNamed: "books"))
                #expect(titles(author) == titles(number))
                for book in author.set("books") {
                    #expect(book.object("author") === author)
                    #expect(book.list("reviews").compactMap { $0.value(forKey: "mark") as? Int } == [1, 2])
                    #expect(book.set("tags").compactMap { $0.text("name") }.count == 1)
                    #expect((book.object("shelf")?.text("label") == "novels") == (book.entity.name == "Novel"))
                }
            }
        }
    }

    @Test(arguments: [1, 2, 5, 11, 12, 66, 67])
    func `a limit of the rows omits no member, and needs no statement for each owner`(limit: Int) throws {
        let (counter, context) = try library(12)
        context.faulting.largestReadAhead = limit
        var authors: [NSManagedObject] = []
        let count = try counter.count {
            authors = try context.fetch(request("Author", "books", sort: "age"))
        }
        #expect(limit < 12 || count <= 2 + 2 * 66 / limit + 4, "\(count)")
        for (number, author) in authors.enumerated() {
            #expect(titles(author) == titles(number))
        }
        // As rows, without objects.
        context.reset()
        let model = try #require(context.compiledModel)
        let entity = try #require(model.entity(named: "Author"))
        let path = try PrefetchPath(["books"], entity: entity.number, model: model)
        guard case .relationship(let slot) = entity.slot(named: "books") else { throw CancellationError() }
        let rows = try #require(
            try context.fetchRows(
                FetchSpecification(entity: entity.number), reading: FetchReading(prefetch: [path])))
        for row in 0..<rows.count where row < limit {
            let members = try rows.members(row: row, slot: slot)
            #expect(members?.members.count == row)
        }
    }

    @Test func `rows that the context wrote itself are read in batches as well`() throws {
        let (counter, context) = try library(40)
        let authors = try context.all("Author", sort: "age")
        for author in authors { author.setValue(50, forKey: "age") }
        try context.save()
        _ = try counter.expect(3) { try context.fetch(request("Author", "books.shelf")) }
        counter.expect(0) {
            for (number, author) in authors.enumerated() {
                #expect(author.set("books").count == number)
                #expect(author.set("books").allSatisfy { ($0.object("shelf")?.isFault ?? false) == false })
            }
        }
        // What is known is not read again.
        _ = try counter.expect(1) { try context.fetch(request("Author", "books.shelf")) }
    }

    @Test func `unsaved changes stay`() throws {
        let (_, context) = try library(4)
        let book = try #require(try context.all("Book", "title == '3.1'").first)
        let author = try #require(try context.all("Author", "name == 'author 1'").first)
        let shelf = try context.make("Shelf", ["label": "new"])
        book.setValue(author, forKey: "author")
        book.setValue(shelf, forKey: "shelf")
        context.delete(try #require(try context.all("Book", "title == '2.0'").first))
        let authors = try context.fetch(request("Author", "books.shelf", "books.tags", sort: "name"))
        #expect(authors.map(titles) == [[], ["1.0", "3.1"], ["2.1"], ["3.0", "3.2"]])
        #expect(book.object("shelf") === shelf)
        try context.save()
        context.reset()
        let again = try context.fetch(request("Author", "books", sort: "name"))
        #expect(again.map(titles) == [[], ["1.0", "3.1"], ["2.1"], ["3.0", "3.2"]])
    }

    @Test(arguments: [
        ("boks", "no relationship named 'boks'. Did you mean 'books'?"), ("name", "is an attribute"),
        ("books.titel", "entity Book has no relationship named 'titel'"), ("", "no relationship named ''"),
        ("books.", "no relationship named ''"), ("books.title", "'title' of Book is an attribute"),
    ])
    func `a path that names anything else is an error that says so`(path: String, words: String) throws {
        let (counter, context) = try library(2)
        try counter.expect(0) {
            let error = try #require(coreDataError { _ = try context.fetch(request("Author", path)) })
            #expect(error.message.contains(words) && error.message.contains("'\(path)'"), "\(error.message)")
        }
    }

    @Test func `a damaged row is reported when it is read, and not by the objects that point to it`() throws {
        let folder = try StoreFolder()
        do {
            let context = try GraphLibrary.context(at: folder.url())
            for number in 0..<4 {
                let author = try context.make("Author", ["name": "author \(number)"])
                try context.make("Book", ["title": "book \(number)", "author": author])
            }
            try context.save()
        }
        let raw = try folder.raw()
        try raw.execute("UPDATE ZBOOK SET ZTITLE = x'ff' WHERE ZTITLE = 'book 2'")
        try raw.execute("UPDATE ZAUTHOR SET ZNAME = x'ff' WHERE ZNAME = 'author 1'")
        let context = try GraphLibrary.context(at: folder.url())
        let books = request("Book", "author", sort: "title")
        books.predicate = NSPredicate(format: "title IN {'book 0', 'book 1', 'book 3'}")
        let led = try context.fetch(books)
        #expect(led.compactMap { $0.object("author")?.text("name") } == ["author 0", "author 3"])
        let error = coreDataError { try context.save() }
        #expect(error?.isOfDamage == true && error?.message.contains("name") == true)
        let authors = request("Author", "books", sort: "name")
        authors.predicate = NSPredicate(format: "name IN {'author 0', 'author 2', 'author 3'}")
        let found = try context.fetch(authors)
        #expect(found.count == 3)
        #expect(found.first?.set("books").first?.text("title") == "book 0")
        #expect(found.last?.set("books").first?.text("title") == "book 3")
        withExtendedLifetime(folder) {}
    }
}
