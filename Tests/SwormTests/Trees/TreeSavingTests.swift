import Foundation
import Sworm
import SwormTools
import TestSupport
import Testing

@Suite("Saving trees", .overEachStore) struct TreeSavingTests {
    typealias Author = ReadingRoom.Author
    typealias Book = ReadingRoom.Book
    typealias Review = ReadingRoom.Review
    typealias Tag = ReadingRoom.Tag
    typealias Country = ReadingRoom.Country
    typealias BookPage = ReadingRoom.BookPage
    typealias BookPatch = ReadingRoom.BookPatch
    typealias AuthorPage = ReadingRoom.AuthorPage

    private static func day(_ number: Int) -> Date { Date(timeIntervalSinceReferenceDate: Double(number) * 86_400) }

    private let pages = [
        BookPage(
            isbn: "1", title: "War and Peace", rating: 5, author: Author(name: "Leo", born: 1828),
            reviews: [Review(day: day(2), mark: 3, text: "long"), Review(day: day(1), mark: 5, text: "good")],
            tags: ["war", "peace"]),
        BookPage(isbn: "2", title: "Resurrection", author: Author(name: "Leo", born: 1828), tags: ["peace"]),
        BookPage(isbn: "3", title: "Anonymous"),
    ]

    private func read(_ test: TestStore) throws -> [BookPage] {
        try test.container.perform { try $0.decode(BookPage.all.sort(\.isbn)) }
    }

    @discardableResult
    private func save(_ pages: [BookPage], in test: TestStore) throws -> TreeSaveResult {
        try test.container.perform { try $0.save(contentsOf: pages) }
    }

    @Test func `a first save inserts all objects, and a second one writes nothing`() throws {
        let test = try ReadingRoom.store()
        let first = try save(pages, in: test)
        #expect(first == TreeSaveResult(inserted: 3 + 1 + 2 + 2))
        #expect(try read(test) == pages)
        let second = try save(pages, in: test)
        #expect(second.isEmpty)
        #expect(second == TreeSaveResult(unchanged: 3 + 1 + 2))
        #expect(try read(test) == pages)
    }

    @Test func `what differs is written, and what is gone is deleted or unlinked by its role`() throws {
        let test = try ReadingRoom.store()
        try self.save(pages, in: test)
        var changed = pages
        changed[0].title = "War"
        changed[0].reviews.remove(at: 0)
        changed[0].reviews[0].mark = 4
        changed[0].reviews.append(Review(day: Self.day(7), mark: 1, text: "new"))
        changed[0].tags = ["peace", "new"]
        changed[1].author = nil
        changed[2].author = Author(name: "Lesya", born: 1871)
        let result = try save(changed, in: test)
        // The tag "war" and the author of the second book are unlinked.
        #expect(result == TreeSaveResult(inserted: 3, updated: 2, deleted: 1, unlinked: 2, unchanged: 3))
        #expect(try read(test).map(\.reviews) == changed.map(\.reviews))
        #expect(try read(test).map(\.author) == changed.map(\.author))
        #expect(try read(test).map { Set($0.tags) } == changed.map { Set($0.tags) })
        #expect(try test.container.perform { try $0.count(of: Tag.all) } == 3)
        #expect(try test.container.perform { try $0.count(of: Review.all) } == 2)
        #expect(try test.container.perform { try $0.count(of: Author.all) } == 2)
        #expect(try save(changed, in: test).isEmpty)
        try test.verifyIfFile()
    }

    @Test func `the order of an ordered relation is that of the list`() throws {
        let test = try ReadingRoom.store()
        try self.save(pages, in: test)
        var changed = pages
        changed[0].reviews.reverse()
        #expect(try save(changed, in: test) == TreeSaveResult(updated: 1, unchanged: 5))
        #expect(try read(test)[0].reviews == changed[0].reviews)
        #expect(try save(changed, in: test).isEmpty)
    }

    @Test func `trees inside of trees are saved, and the way back is not`() throws {
        let test = try ReadingRoom.store()
        var page = AuthorPage(name: "Leo", born: 1828, country: "RU", books: Array(pages.prefix(2)))
        let first = try test.container.perform { try $0.save(contentsOf: [page]) }
        #expect(first.inserted == 8)
        let found = try test.container.perform { try $0.decode(AuthorPage.all) }
        #expect(found == [page])
        page.books.removeLast()
        page.books[0].author = Author(name: "Somebody else", born: 1)
        let result = try test.container.perform { try $0.save(contentsOf: [page]) }
        #expect(result == TreeSaveResult(deleted: 1, unchanged: 4))
        let names = try test.container.perform { try $0.fetch(Author.all.select(\.name)) }
        #expect(names == ["Leo"])
    }

    @Test func `what is left out is not changed`() throws {
        let test = try ReadingRoom.store()
        try self.save(pages, in: test)
        func patch(_ json: String) throws -> TreeSaveResult {
            let body = try JSONDecoder().decode(BookPatch.self, from: Data(json.utf8))
            return try test.container.perform { try $0.save(contentsOf: [body]) }
        }
        #expect(try patch(#"{"isbn": "1"}"#).isEmpty)
        #expect(try read(test) == pages)
        #expect(try patch(#"{"isbn": "1", "reviews": []}"#) == TreeSaveResult(deleted: 2, unchanged: 1))
        #expect(try read(test)[0].reviews == [])
        let none = BookPatch(isbn: "1", author: .some(nil))
        #expect(
            try test.container.perform { try $0.save(contentsOf: [none]) } == TreeSaveResult(unlinked: 1, unchanged: 1))
        #expect(try read(test)[0].author == nil)
        let linked = BookPatch(isbn: "1", author: Author(name: "Leo", born: 0))
        #expect(
            try test.container.perform { try $0.save(contentsOf: [linked]) } == TreeSaveResult(linked: 1, unchanged: 1))
        #expect(try read(test)[0].author == Author(name: "Leo", born: 1828))
    }

    @Test func `one tree is saved with a handle, and at a handle`() throws {
        let test = try ReadingRoom.store()
        let name = try test.container.perform { context in
            let book = try context.save(pages[0])
            return try book.author?.decode(\.name)
        }
        #expect(name == "Leo")
        var changed = pages[0]
        changed.isbn = "9"
        let result = try test.container.perform { context in
            let book = try #require(try context.fetchOne(Book.all.where { $0.isbn == "1" }))
            let result = try book.save(changed)
            #expect(try book.decode(as: BookPage.self) == changed)
            return result
        }
        #expect(result == TreeSaveResult(updated: 1, unchanged: 3))
        #expect(try read(test) == [changed])
    }

    @Test func `the objects of a request that are not in the trees are deleted`() throws {
        let test = try ReadingRoom.store()
        try self.save(pages, in: test)
        let result = try test.container.perform {
            try $0.save(contentsOf: [pages[2]], replacing: Book.all.where { $0.title != "Resurrection" })
        }
        #expect(result == TreeSaveResult(deleted: 1, unchanged: 1))
        #expect(try read(test).map(\.isbn) == ["2", "3"])
    }

    @Test func `a preview has the changes and makes none`() throws {
        let test = try ReadingRoom.store()
        try self.save(pages, in: test)
        var changed = pages
        changed[0].title = "War"
        changed[0].reviews.removeLast()
        changed[2].tags = ["new"]
        let preview = try test.container.read { try $0.plan(saving: changed) }
        #expect(preview.result == TreeSaveResult(inserted: 1, updated: 1, deleted: 1, unchanged: 4))
        #expect(
            preview.description == """
                [0]: update Book p1 (title: "War and Peace" -> "War")
                [2].tags[0]: insert Tag (name: "new")
                [0].reviews: delete Review p2
                """)
        #expect(try read(test) == pages)
        #expect(try save(changed, in: test) == preview.result)
    }

    @Test func `an object that is in the trees twice is written once`() throws {
        let test = try ReadingRoom.store()
        var twice = pages
        twice[1].author?.born = 1
        let error = storeError { try save(twice, in: test) }
        #expect(error?.code == .validation)
        #expect(error?.path == "[1].author")
        #expect(
            error?.message
                == "[1].author and [0].author are the same Author, and have different values: born is 1 and 1828. Make them equal, or save with `repeats: .last`."
        )
        #expect(try read(test).isEmpty)
        let result = try test.container.perform { try $0.save(contentsOf: twice, repeats: .last) }
        #expect(result.inserted == 8)
        #expect(try read(test)[0].author?.born == 1)
    }

    @Test func `all invalid values are errors with their positions, and nothing is kept`() throws {
        let test = try ReadingRoom.store()
        try self.save(pages, in: test)
        var wrong = pages
        wrong[0].title = "changed"
        wrong[0].reviews[1].mark = 9
        wrong[2].reviews = [Review(day: Self.day(1), mark: -1)]
        let error = storeError {
            try test.container.perform { context in
                try context.insert(Tag(name: "kept"))
                let inner = storeError { try context.save(contentsOf: wrong) }
                #expect(try context.decode(BookPage.all.sort(\.isbn)) == pages)
                if let inner { throw inner }
            }
        }
        #expect(error?.code == .validation)
        #expect(error?.path == "[0].reviews[1].mark")
        #expect(error?.issues.map(\.path) == ["[0].reviews[1].mark", "[2].reviews[0].mark"])
        #expect(
            error?.message
                == "[0].reviews[1].mark: 'mark' of Review: the number 9 is greater than the maximum value 5.")
        #expect(try read(test) == pages)
    }

    @Test func `a child is not taken from an owner that is not among the trees`() throws {
        let test = try ReadingRoom.store()
        let leo = AuthorPage(name: "Leo", born: 1828, books: [pages[2]])
        let lesya = AuthorPage(name: "Lesya", born: 1871, books: [])
        try test.container.perform { _ = try $0.save(contentsOf: [leo, lesya]) }
        var thief = lesya
        thief.books = [pages[2]]
        let error = storeError { try test.container.perform { try $0.save(contentsOf: [thief]) } }
        #expect(error?.code == .validation)
        #expect(
            error?.message
                == "[0].books[0] belongs to another Author that is not among the trees. Save that one too, or make the branch `.movable`."
        )
        var poor = leo
        poor.books = []
        let moved = try test.container.perform { try $0.save(contentsOf: [poor, thief]) }
        #expect(moved == TreeSaveResult(linked: 1, unchanged: 3))
        #expect(try test.container.perform { try $0.decode(AuthorPage.all.sort(\.name)) }.map(\.books.count) == [0, 1])
    }

    @Test func `branches that a save cannot write are errors of their tables`() throws {
        let test = try ReadingRoom.store()
        let error = storeError { try test.container.perform { try $0.save(contentsOf: [ReadingRoom.AuthorCard()]) } }
        #expect(error?.code == .invalidTable)
        #expect(
            error?.message
                == "AuthorCard.country does not say what a save does with the objects behind 'country'. Give it a role: `.owned`, `.shared`, `.added`, `.linked`, `.linkedOrInserted` or `.readOnly`."
        )
        let unknown = BookPatch(isbn: "x", author: Author(name: "Nobody"))
        let missing = storeError { try test.container.perform { try $0.save(contentsOf: [unknown]) } }
        #expect(missing?.code == .objectNotFound)
        #expect(missing?.path == "[0].author")
        #expect(try read(test).isEmpty)
    }

    #if !canImport(CoreData)
    /// A way of saving a tree in a `perform`.
    enum Way: CaseIterable { case pastObjects, throughObjects, single, atHandle, replacing }

    @Test(.over(.file, .server), arguments: Way.allCases)
    func `a save over a state that is no longer the latest is a conflict, and an unchanged tree is none`(way: Way)
        throws
    {
        let test = try ReadingRoom.store()
        try self.save(pages, in: test)
        let other = try PersistentContainer(
            for: Author.self, ReadingRoom.Category.self, at: test.location)
        func save(_ page: BookPage, by context: ManagedObjectContext) throws {
            switch way {
            case .pastObjects: try context.save(contentsOf: [page])
            case .throughObjects:
                try context.insert(ReadingRoom.Category(name: UUID().uuidString))
                try context.save(contentsOf: [page])
            case .single: try context.save(page)
            case .atHandle: try context.fetchOne(Book.all.where { $0.isbn == page.isbn })?.save(page)
            case .replacing:
                try context.save(contentsOf: [page], replacing: Book.all.where { $0.isbn == page.isbn })
            }
        }
        var theirs = pages[0]
        theirs.reviews.append(Review(day: Self.day(8), mark: 1, text: "theirs"))
        var mine = pages[0]
        mine.reviews.append(Review(day: Self.day(9), mark: 1, text: "mine"))
        for page in [mine, pages[0]] {
            let result = Result {
                try test.container.perform { context in
                    _ = try context.decode(Book.all)
                    try other.perform { try $0.save(contentsOf: [theirs]) }
                    try save(page, by: context)
                }
            }
            if page == mine {
                #expect(throws: StoreError.Code.conflict) { try result.get() }
                try other.perform { try $0.save(contentsOf: [pages[0]]) }
            } else {
                // Its state had no such review, so there was nothing to write.
                try result.get()
            }
            #expect(try read(test)[0].reviews == (page == mine ? pages[0] : theirs).reviews)
            try other.perform { try $0.save(contentsOf: [pages[0]]) }
        }
        try test.container.perform(retrying: 3) { try save(mine, by: $0) }
        #expect(try read(test)[0] == mine)
        try test.verifyIfFile()
    }
    #endif

    @Test func `many parts of a sequence are one transaction`() throws {
        let test = try ReadingRoom.store()
        let many = (0..<2300).lazy.map { BookPage(isbn: "\($0)", title: "t\($0)", tags: ["t\($0 % 7)"]) }
        #expect(try test.container.perform { try $0.save(contentsOf: many) } == TreeSaveResult(inserted: 2307))
        #expect(try test.container.perform { try $0.save(contentsOf: many) } == TreeSaveResult(unchanged: 2300))
        let wrong = many.map { page in
            var page = page
            page.title = "new"
            if page.isbn == "2200" { page.reviews = [Review(mark: 8)] }
            return page
        }
        let error = storeError { try test.container.perform { try $0.save(contentsOf: wrong) } }
        #expect(error?.path == "[2200].reviews[0].mark")
        #expect(try test.container.perform { try $0.count(of: Book.all.where { $0.title == "new" }) } == 0)
    }
}
