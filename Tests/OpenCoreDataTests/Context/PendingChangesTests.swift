import Foundation
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("Fetches over unsaved changes", .overEachStore)
struct PendingChangesTests {
    private func library() throws -> NSManagedObjectContext {
        let context = try GraphLibrary.context()
        let leo = try context.make("Author", ["name": "Leo", "age": 80])
        let ann = try context.make("Author", ["name": "Ann", "age": 30])
        for (index, title) in ["War", "Peace", "Anna"].enumerated() {
            let book = try context.make(
                "Book", ["title": title, "year": 1860 + index, "author": index < 2 ? leo : ann])
            for mark in 1...2 { try context.make("Review", ["mark": mark + index, "book": book]) }
        }
        try context.save()
        return context
    }

    private func titles(_ context: NSManagedObjectContext, _ format: String?, _ arguments: Any...) throws -> [String] {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.predicate = format.map { NSPredicate(format: $0, argumentArray: arguments) }
        request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
        return try context.fetch(request).compactMap { $0.text("title") }
    }

    @Test func `inserted, changed and deleted objects count, and without them the store's rows do`() throws {
        let context = try library()
        try context.make("Book", ["title": "New", "year": 1900])
        try context.all("Book", "title == 'War'").first?.setValue(1, forKey: "year")
        if let gone = try context.all("Book", "title == 'Anna'").first { context.delete(gone) }
        #expect(try titles(context, "year > 1000") == ["New", "Peace"])
        #expect(try titles(context, nil) == ["New", "Peace", "War"])
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        #expect(try context.count(for: request) == 3)
        request.includesPendingChanges = false
        #expect(try context.count(for: request) == 3)
        request.predicate = NSPredicate(format: "year > 1000")
        #expect(try context.count(for: request) == 3)
    }

    @Test func `limit and offset are taken after the changes are laid over`() throws {
        let context = try library()
        for title in ["AA", "ZZ"] { try context.make("Book", ["title": title]) }
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
        request.fetchLimit = 2
        request.fetchOffset = 1
        #expect(try context.fetch(request).compactMap { $0.text("title") } == ["Anna", "Peace"])
        request.fetchOffset = 4
        #expect(try context.fetch(request).compactMap { $0.text("title") } == ["ZZ"])
    }

    @Test func `a predicate that looks beyond its rows sees changed neighbours`() throws {
        let context = try library()
        try context.all("Author", "name == 'Leo'").first?.setValue("Lev", forKey: "name")
        #expect(try titles(context, "author.name == 'Lev'") == ["Peace", "War"])
        #expect(try titles(context, "author.name == 'Leo'") == [])
        for review in try context.all("Review", "mark == 1") { review.setValue(99, forKey: "mark") }
        #expect(try titles(context, "ANY reviews.mark > 50") == ["War"])
        try context.make(
            "Review", ["mark": 70, "book": try #require(try context.all("Book", "title == 'Anna'").first)])
        #expect(try titles(context, "ANY reviews.mark > 50") == ["Anna", "War"])
        #expect(try titles(context, "reviews.@count == 3") == ["Anna"])
        #expect(try titles(context, "SUBQUERY(reviews, $r, $r.mark > 50).@count == 1") == ["Anna", "War"])
    }

    @Test func `moving an object between owners is seen from both`() throws {
        let context = try library()
        let ann = try #require(try context.all("Author", "name == 'Ann'").first)
        try context.all("Book", "title == 'War'").first?.setValue(ann, forKey: "author")
        #expect(try titles(context, "author == %@", ann) == ["Anna", "War"])
        let authors = try context.all("Author", "books.@count == 2")
        #expect(authors.count == 1 && authors.first === ann)
    }

    @Test func `an order over unsaved objects is the store's order`() throws {
        let context = try GraphLibrary.context()
        for (title, year) in [("b", nil), ("É", 1), ("Z", 2), ("a", 2), ("z", nil)] as [(String, Int?)] {
            let book = try context.make("Book", ["title": title])
            if let year { book.setValue(year, forKey: "year") }
        }
        func order(_ keys: [(String, Bool)]) throws -> [String] {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
            request.sortDescriptors = keys.map { NSSortDescriptor(key: $0.0, ascending: $0.1) }
            return try context.fetch(request).compactMap { $0.text("title") }
        }
        let requests: [[(String, Bool)]] = [
            [("title", true)], [("year", true), ("title", true)], [("year", false), ("title", false)], [],
            [("author.name", true), ("title", false)],
        ]
        let pending = try requests.map(order)
        try context.save()
        #expect(try requests.map(order) == pending)
        #expect(pending[0] == ["Z", "a", "b", "z", "É"])
        #expect(pending[1] == ["b", "z", "É", "Z", "a"])
    }

    @Test func `an unknown key is an error that names it, before and after a save`() throws {
        let context = try library()
        for format in ["nothing == 1", "author.nothing == 1", "reviews.mark == 1"] {
            #expect(throws: (any Error).self) { try context.all("Book", format) }
        }
        try context.make("Book", ["title": "x"])
        #expect(throws: (any Error).self) { try context.all("Book", "nothing == 1") }
        #expect(throws: (any Error).self) { try context.all("Nothing") }
        #expect(throws: (any Error).self) { try context.all("Book", nil, sort: "nothing") }
    }

    @Test func `a misspelt name comes with the nearest one`() throws {
        let context = try library()
        func message(_ work: () throws -> Void) -> String {
            do {
                try work()
                return ""
            } catch {
                return (error as? CocoaError)?.localizedDescription ?? ""
            }
        }
        #expect(message { _ = try context.all("Bok") }.contains("Did you mean 'Book'?"))
        #expect(message { _ = try context.all("book") }.contains("Did you mean 'Book'?"))
        #expect(message { _ = try context.all("Book", nil, sort: "titel") }.contains("Did you mean 'title'?"))
        #expect(message { _ = try context.all("Book", "autor.name == 'x'") }.contains("Did you mean 'author'?"))
        #expect(!message { _ = try context.all("Nothing") }.contains("Did you mean"))
    }
}
