import Foundation
import Sworm
import SwormTools
import TestSupport
import Testing

@Suite("Reading trees", .overEachStore) struct TreeReadingTests {
    typealias Author = ReadingRoom.Author
    typealias Book = ReadingRoom.Book
    typealias Review = ReadingRoom.Review
    typealias Tag = ReadingRoom.Tag
    typealias Country = ReadingRoom.Country
    typealias Category = ReadingRoom.Category
    typealias BookPage = ReadingRoom.BookPage
    typealias BookCard = ReadingRoom.BookCard
    typealias AuthorPage = ReadingRoom.AuthorPage

    private static func day(_ number: Int) -> Date { Date(timeIntervalSinceReferenceDate: Double(number) * 86_400) }

    private static func fill(_ context: ManagedObjectContext) throws {
        let ukraine = try context.insert(Country(code: "UA", name: "Ukraine"))
        let leo = try context.insert(Author(name: "Leo", born: 1828))
        let lesya = try context.insert(Author(name: "Lesya", born: 1871))
        lesya.country = ukraine
        let tags = try ["war", "peace", "forest"].map { try context.insert(Tag(name: $0)) }
        let war = try context.insert(Book(isbn: "1", title: "War and Peace", year: 1869, rating: 5))
        let song = try context.insert(Book(isbn: "2", title: "The Forest Song", year: 1911))
        let nothing = try context.insert(Book(isbn: "3", title: "Anonymous", year: 1800))
        war.author = leo
        song.author = lesya
        try war.tags.add(tags[0])
        try war.tags.add(tags[1])
        try song.tags.add(tags[2])
        try song.tags.add(tags[1])
        for (index, mark) in [3, 5, 4, 4].enumerated() {
            try war.reviews.add(try context.insert(Review(day: day(9 - index), mark: mark, text: "r\(index)")))
        }
        try song.reviews.add(try context.insert(Review(day: day(1), mark: 2, text: "s")))
        _ = nothing
    }

    private func store() throws -> TestStore { try ReadingRoom.store(seed: Self.fill) }

    @Test func `branches to one, to many and by an attribute are read with the roots`() throws {
        let pages = try store().container.perform { try $0.decode(BookPage.all.sort(\.isbn)) }
        #expect(pages.map(\.title) == ["War and Peace", "The Forest Song", "Anonymous"])
        #expect(pages.map(\.author) == [Author(name: "Leo", born: 1828), Author(name: "Lesya", born: 1871), nil])
        #expect(pages[0].reviews.map(\.text) == ["r0", "r1", "r2", "r3"])
        #expect(pages[0].reviews.map(\.mark) == [3, 5, 4, 4])
        #expect(pages[1].reviews == [Review(day: Self.day(1), mark: 2, text: "s")])
        #expect(pages.map(\.tags) == [["war", "peace"], ["peace", "forest"], []])
        #expect(pages.map(\.rating) == [5, nil, nil])
    }

    @Test func `conditions and orders are those of the entity`() throws {
        let container = try store().container
        let old = Book.all.where { $0.year < 1900 && $0.author.name == "Leo" }
        #expect(try container.perform { try $0.decode(old.as(BookPage.self)).map(\.isbn) } == ["1"])
        #expect(
            try container.perform { try $0.decode(BookPage.all.where { $0.year > 1 }.sort(\.year).limit(2)) }.map(
                \.isbn)
                == ["3", "1"])
        #expect(try container.perform { try $0.count(of: BookPage.all.where { $0.year > 1850 }) } == 2)
        #expect(try container.perform { try $0.fetch(BookPage.all.sort(\.isbn).select(\.year)) } == [1869, 1911, 1800])
        #expect(
            try container.perform { try $0.decodeOne(BookPage.all.where { $0.isbn == "2" })?.tags } == [
                "peace", "forest",
            ])
        #expect(try container.perform { try $0.decodeOne(BookPage.all.where { $0.isbn == "9" }) } == nil)
    }

    @Test func `columns, parts of a relation and the first object of one are computed for each root`() throws {
        let cards = try store().container.perform { try $0.decode(BookCard.all.sort(\.isbn)) }
        #expect(cards[0].book == Book(isbn: "1", title: "War and Peace", year: 1869, rating: 5))
        #expect(cards.map(\.best).map { $0.map(\.text) } == [["r1", "r2"], [], []])
        #expect(cards.map(\.latest?.text) == ["r0", "s", nil])
        #expect(cards.map(\.reviewCount) == [4, 1, 0])
        #expect(cards.map(\.highest) == [5, 2, nil])
        #expect(cards.map(\.authorName) == ["Leo", "Lesya", nil])
        #expect(cards.map(\.country) == [nil, "UA", nil])
        #expect(cards.map { $0.author?.bookCount } == [1, 1, nil])
        #expect(cards.map { $0.author?.country?.code } == [nil, "UA", nil])
    }

    @Test func `trees nest, and several owners share a child`() throws {
        let pages = try store().container.perform { try $0.decode(AuthorPage.all.sort(\.name)) }
        #expect(pages.map(\.name) == ["Leo", "Lesya"])
        #expect(pages.map(\.country) == [nil, "UA"])
        #expect(pages.map { $0.books.map(\.isbn) } == [["1"], ["2"]])
        #expect(pages[0].books[0].reviews.count == 4)
        #expect(pages[1].books[0].tags == ["peace", "forest"])
        #expect(pages[0].books[0].author?.name == "Leo")
        let shelves = try store().container.perform { try $0.decode(ReadingRoom.Shelf.all.sort(\.name)) }
        #expect(shelves.map(\.tag) == ["forest", "peace", "war"])
        #expect(shelves.map { $0.books.map(\.isbn).sorted() } == [["2"], ["1", "2"], ["1"]])
        #expect(shelves.map { $0.pages.map(\.isbn) } == [["2"], ["1", "2"], ["1"]])
        #expect(shelves[1].pages.map(\.reviews.count) == [4, 1])
    }

    @Test func `unsaved changes are part of the trees`() throws {
        let test = try store()
        let before = try test.container.perform { context in
            let book = try #require(try context.fetchOne(Book.all.where { $0.isbn == "2" }))
            try book.encode(\.title, "Song")
            let review = try context.insert(Review(day: Self.day(3), mark: 5, text: "new"))
            try book.reviews.add(review)
            let tag = try context.insert(Tag(name: "new"))
            try book.tags.add(tag)
            try context.delete(Author.all.where { $0.name == "Leo" })
            return try (
                context.decode(BookPage.all.sort(\.isbn)), context.decode(BookCard.all.sort(\.isbn)),
                context.decode(AuthorPage.all.sort(\.name))
            )
        }
        let saved = try test.container.perform {
            try ($0.decode(BookPage.all.sort(\.isbn)), $0.decode(BookCard.all.sort(\.isbn)))
        }
        #expect(before.0 == saved.0)
        #expect(before.1 == saved.1)
        #expect(saved.0.map(\.title) == ["Song", "Anonymous"])
        #expect(saved.0[0].reviews.map(\.text) == ["s", "new"])
        #expect(saved.1[0].best.map(\.text) == ["new"])
        #expect(saved.1.map(\.reviewCount) == [2, 0])
        #expect(before.2 == (try test.container.perform { try $0.decode(AuthorPage.all.sort(\.name)) }))
    }

    @Test func `trees are iterated in parts`() throws {
        let test = try ReadingRoom.store { context in
            try context.insert(contentsOf: (0..<2500).map { Book(isbn: String(format: "%05d", $0), year: $0) })
        }
        var found: [String] = []
        try test.container.perform { context in
            let first = try #require(try context.fetchOne(Book.all.where { $0.year == 7 }))
            try first.reviews.add(try context.insert(Review(mark: 1)))
        }
        var reviews = 0
        try test.container.perform { context in
            try context.forEach(BookPage.all.sort(\.isbn)) { page in
                found.append(page.isbn)
                reviews += page.reviews.count
            }
        }
        #expect(found == (0..<2500).map { String(format: "%05d", $0) })
        #expect(reviews == 1)
        struct Stop: Error {}
        var count = 0
        #expect(throws: Stop.self) {
            try test.container.perform { context in
                try context.forEach(BookPage.all.sort(\.isbn)) { _ in
                    count += 1
                    if count == 1200 { throw Stop() }
                }
            }
        }
        #expect(count == 1200)
    }

    @Test func `a required object that is missing is an error with the name of its owner`() throws {
        let error = storeError { try store().container.perform { try $0.decode(ReadingRoom.Volume.all) } }
        #expect(error?.code == .validation)
        #expect(
            error?.message
                == "Book p3 has no object behind 'author', and Volume.author needs one. Make the property 'author' an optional."
        )
        let found = try store().container.perform {
            try $0.decode(ReadingRoom.Volume.all.where { $0.author != nil }.sort(\.isbn))
        }
        #expect(found.map(\.author.name) == ["Leo", "Lesya"])
    }
}

@Suite("The depth of trees", .overEachStore) struct TreeDepthTests {
    typealias Category = ReadingRoom.Category
    typealias CategoryTree = ReadingRoom.CategoryTree
    typealias CategoryTop = ReadingRoom.CategoryTop

    private func chain(_ length: Int, isCircle: Bool = false) throws -> TestStore {
        try ReadingRoom.store { context in
            let objects = try (0..<length).map { try context.insert(Category(name: "c\($0)")) }
            for (parent, child) in zip(objects, objects.dropFirst()) { child.parent = parent }
            if isCircle { objects[0].parent = objects[length - 1] }
        }
    }

    private func names(_ tree: CategoryTree) -> [String] { [tree.name] + (tree.children.first.map(names) ?? []) }

    @Test(arguments: [false, true]) func `a tree is read as far as its depth`(isUnsaved: Bool) throws {
        func root(_ length: Int, isCircle: Bool = false) throws -> CategoryTree? {
            try chain(length, isCircle: isCircle).container.perform { context in
                if isUnsaved { try context.insert(Category(name: "other")) }
                return try context.decodeOne(CategoryTree.all.where { $0.name == "c0" })
            }
        }
        #expect(try root(3).map(names) == ["c0", "c1", "c2"])
        #expect(try root(4).map(names) == ["c0", "c1", "c2", "c3"])
        let error = storeError { try root(5) }
        #expect(error?.code == .invalidRequest)
        #expect(
            error?.message
                == "CategoryTree.children goes deeper than 3 levels. Give it a larger `.depth`, or make the property an optional, which is nil where the tree is not read."
        )
        #expect(storeError { try root(2, isCircle: true) }?.code == .invalidRequest)
    }

    @Test(arguments: [false, true]) func `a property that can be left out is nil where the tree ends`(isUnsaved: Bool)
        throws
    {
        let top = try chain(3, isCircle: true).container.perform { context in
            if isUnsaved { try context.insert(Category(name: "other")) }
            return try context.decodeOne(CategoryTop.all.where { $0.name == "c0" })
        }
        #expect(top == CategoryTop(name: "c0", children: [CategoryTop(name: "c1", children: nil)]))
        let short = try chain(2).container.perform { try $0.decodeOne(CategoryTop.all.where { $0.name == "c0" }) }
        #expect(short == CategoryTop(name: "c0", children: [CategoryTop(name: "c1", children: [])]))
    }
}
