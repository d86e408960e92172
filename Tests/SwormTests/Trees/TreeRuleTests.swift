import Foundation
import Sworm
import SwormTools
import TestSupport
import Testing

private func day(_ number: Int) -> Date { Date(timeIntervalSinceReferenceDate: Double(number) * 86_400) }

extension ReadingRoom {
    fileprivate struct TagPage: ManagedTreeConvertible, Equatable {
        typealias Entity = Tag
        var id: ManagedObjectID<Tag>?
        var name = ""
        static let attributes: Set<Attribute<TagPage>> = [.init(\.name, \.name)]
        static let branches: [Branch<TagPage>] = [.id(\.id)]
    }

    fileprivate struct ReviewPage: ManagedTreeConvertible, Equatable {
        typealias Entity = Review
        var id: ManagedObjectID<Review>?
        var mark = 0
        static let attributes: Set<Attribute<ReviewPage>> = [.init(\.mark, \.mark)]
        static let branches: [Branch<ReviewPage>] = [.id(\.id)]
    }

    fileprivate struct Reviewed: ManagedTreeConvertible, Equatable {
        typealias Entity = Book
        var isbn = ""
        var reviews: [ReviewPage] = []
        static let attributes: Set<Attribute<Reviewed>> = [.init(\.isbn, \.isbn)]
        static let branches: [Branch<Reviewed>] = [.init(\.reviews, \.reviews, .matchedByPosition)]
    }

    fileprivate struct ByDay: ManagedTreeConvertible, Equatable {
        typealias Entity = Book
        var isbn = ""
        var reviews: [Review] = []
        static let attributes: Set<Attribute<ByDay>> = [.init(\.isbn, \.isbn)]
        static let branches: [Branch<ByDay>] = [.init(\.reviews, \.reviews, .matched(by: \.day)) { $0.sort(\.day) }]
    }

    fileprivate struct ByMark: ManagedTreeConvertible {
        typealias Entity = Book
        var isbn = ""
        var reviews: [Review] = []
        static let attributes: Set<Attribute<ByMark>> = [.init(\.isbn, \.isbn)]
        static let branches: [Branch<ByMark>] = [.init(\.reviews, \.reviews, .matchedByPosition) { $0.sort(\.mark) }]
    }

    /// A tree with a version, and with a link to another one.
    fileprivate struct Versioned: ManagedTreeConvertible, Equatable {
        typealias Entity = Book
        var isbn = ""
        var title = ""
        var year = 0
        var sequel: Reference?
        static let attributes: Set<Attribute<Versioned>> = [
            .init(\.isbn, \.isbn), .init(\.title, \.title), .init(\.year, \.year),
        ]
        static let branches: [Branch<Versioned>] = [.version(\.year), .init(\.sequel, \.sequel, .linked)]
    }

    fileprivate struct Reference: ManagedTreeConvertible, Equatable {
        typealias Entity = Book
        var isbn = ""
        var tags: [String] = []
        static let attributes: Set<Attribute<Reference>> = [.init(\.isbn, \.isbn)]
        static let branches: [Branch<Reference>] = [.init(\.tags, \.tags, \.name)]
    }

    fileprivate struct Tagged: ManagedTreeConvertible, Equatable {
        typealias Entity = Book
        var isbn = ""
        var tags: [String] = []
        var sequel: Reference?
        static let attributes: Set<Attribute<Tagged>> = [.init(\.isbn, \.isbn)]
        static let branches: [Branch<Tagged>] = [
            .init(\.sequel, \.sequel, .linked), .init(\.tags, \.tags, \.name),
        ]
    }

    fileprivate struct Sequel: ManagedTreeConvertible, Equatable {
        typealias Entity = Book
        var isbn = ""
        var sequel: Book?
        static let attributes: Set<Attribute<Sequel>> = [.init(\.isbn, \.isbn)]
        static let branches: [Branch<Sequel>] = [.init(\.sequel, \.sequel, .shared)]
    }

    fileprivate struct Node: ManagedTreeConvertible, Equatable {
        typealias Entity = Category
        var name = ""
        var children: [Node] = []
        static let attributes: Set<Attribute<Node>> = [.init(\.name, \.name)]
        static let branches: [Branch<Node>] = [.init(\.children, \.children, .depth(1))]
    }

    fileprivate struct Top: ManagedTreeConvertible, Equatable {
        typealias Entity = Category
        var name = ""
        var children: [Top]?
        static let attributes: Set<Attribute<Top>> = [.init(\.name, \.name)]
        static let branches: [Branch<Top>] = [.init(\.children, \.children, .depth(1))]
    }
}

@Suite("Rules of saving trees", .overEachStore) struct TreeRuleTests {
    private typealias Author = ReadingRoom.Author
    private typealias Book = ReadingRoom.Book
    private typealias Review = ReadingRoom.Review
    private typealias Tag = ReadingRoom.Tag
    private typealias Category = ReadingRoom.Category
    private typealias BookPage = ReadingRoom.BookPage
    private typealias AuthorPage = ReadingRoom.AuthorPage
    private typealias TagPage = ReadingRoom.TagPage
    private typealias ReviewPage = ReadingRoom.ReviewPage
    private typealias Reviewed = ReadingRoom.Reviewed
    private typealias ByDay = ReadingRoom.ByDay
    private typealias ByMark = ReadingRoom.ByMark
    private typealias Versioned = ReadingRoom.Versioned
    private typealias Reference = ReadingRoom.Reference
    private typealias Tagged = ReadingRoom.Tagged
    private typealias Sequel = ReadingRoom.Sequel
    private typealias Node = ReadingRoom.Node
    private typealias Top = ReadingRoom.Top

    private func expectSaved<Tree: ManagedTreeConvertible>(
        _ trees: [Tree], in test: TestStore, repeats: RepeatPolicy = .equal, _ result: TreeSaveResult,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let preview = try test.container.perform { try $0.plan(saving: trees, repeats: repeats) }
        #expect(preview.result == result, sourceLocation: sourceLocation)
        let saved = try test.container.perform { try $0.save(contentsOf: trees, repeats: repeats) }
        #expect(saved == result, sourceLocation: sourceLocation)
    }

    private func message(_ body: () throws -> Void) -> String? {
        do {
            try body()
            return nil
        } catch {
            return "\(error)"
        }
    }

    @Test func `a tree with the id of another object is not saved at a handle`() throws {
        let test = try ReadingRoom.store { context in
            for name in ["a", "b"] { try context.insert(Tag(name: name)) }
        }
        let text = message {
            try test.container.perform { context in
                var page = try #require(try context.decodeOne(TagPage.all.where { $0.name == "b" }))
                page.name = "c"
                let handle = try #require(try context.fetchOne(Tag.all.where { $0.name == "a" }))
                try handle.save(page)
            }
        }
        #expect(text?.contains("has the id of another object") == true, "\(text ?? "saved")")
        #expect(try test.container.perform { try $0.fetch(Tag.all.sort(\.name).select(\.name)) } == ["a", "b"])
    }

    @Test func `children with ids leave the other positions to children without`() throws {
        let test = try ReadingRoom.store()
        try test.container.perform {
            try $0.save(Reviewed(isbn: "1", reviews: [ReviewPage(mark: 1), ReviewPage(mark: 2)]))
        }
        var page = try test.container.perform { try #require(try $0.decodeOne(Reviewed.all)) }
        let ids = page.reviews.map(\.id)
        page.reviews = [ReviewPage(mark: 5), page.reviews[0]]
        try expectSaved([page], in: test, TreeSaveResult(updated: 2, unchanged: 1))
        let found = try test.container.perform { try #require(try $0.decodeOne(Reviewed.all)) }
        #expect(found.reviews.map(\.mark) == [5, 1])
        #expect(found.reviews.map(\.id) == [ids[1], ids[0]])
    }

    @Test func `a branch with a sort leaves the order of its relation unchanged`() throws {
        let test = try ReadingRoom.store()
        let reviews = [Review(day: day(2), mark: 1), Review(day: day(1), mark: 2)]
        try test.container.perform { try $0.save(BookPage(isbn: "1", reviews: reviews)) }
        let page = try test.container.perform { try #require(try $0.decodeOne(ByDay.all)) }
        #expect(page.reviews.map(\.mark) == [2, 1])
        try expectSaved([page], in: test, TreeSaveResult(unchanged: 3))
        let found = try test.container.perform { try $0.decode(BookPage.all) }
        #expect(found[0].reviews == reviews)
        let text = message { try test.container.perform { try $0.save(contentsOf: [ByMark(isbn: "1")]) } }
        #expect(text?.contains("ByMark.reviews has `.matchedByPosition` and a sort") == true, "\(text ?? "saved")")
    }

    @Test func `an owner that is in the trees twice has its new children once`() throws {
        let page = BookPage(isbn: "1", reviews: [Review(day: day(1), mark: 1)], tags: ["a"])
        let test = try ReadingRoom.store()
        try expectSaved([page, page], in: test, TreeSaveResult(inserted: 3))
        var more = page
        more.reviews.append(Review(day: day(2), mark: 2))
        try expectSaved([more, more], in: test, TreeSaveResult(inserted: 1, unchanged: 2))
        try expectSaved([more, page], in: test, repeats: .last, TreeSaveResult(deleted: 1, unchanged: 2))
        more.reviews.append(Review(day: day(3), mark: 3))
        try expectSaved([more, page], in: test, repeats: .last, TreeSaveResult(unchanged: 2))
        #expect(try test.container.perform { try $0.count(of: Review.all) } == 1)
        let positioned = Reviewed(isbn: "2", reviews: [ReviewPage(mark: 1)])
        try expectSaved([positioned, positioned], in: test, TreeSaveResult(inserted: 2))
    }

    @Test func `a version is compared wherever its tree is first`() throws {
        let test = try ReadingRoom.store { try $0.insert(Book(isbn: "2", title: "old", year: 5)) }
        let trees = [
            Versioned(isbn: "1", sequel: Reference(isbn: "2")), Versioned(isbn: "2", title: "new", year: 3),
        ]
        let text = message { try test.container.perform { try $0.save(contentsOf: trees) } }
        #expect(text?.contains("its 'year' is 5, not 3") == true, "\(text ?? "saved")")
        #expect(try test.container.perform { try $0.fetch(Book.all.select(\.title)) } == ["old"])
    }

    @Test func `the branches of a linked tree do not count`() throws {
        let test = try ReadingRoom.store()
        let trees = [Tagged(isbn: "1", tags: ["a"]), Tagged(isbn: "2", sequel: Reference(isbn: "1", tags: []))]
        try expectSaved(trees, in: test, TreeSaveResult(inserted: 3))
        let found = try test.container.perform { try $0.decode(Reference.all.sort(\.isbn)) }
        #expect(found == [Reference(isbn: "1", tags: ["a"]), Reference(isbn: "2")])
    }

    @Test func `a link finds objects that are new in the same trees`() throws {
        let test = try ReadingRoom.store()
        let trees = [Tagged(isbn: "1", sequel: Reference(isbn: "2")), Tagged(isbn: "2", tags: ["a"])]
        try expectSaved(trees, in: test, TreeSaveResult(inserted: 3))
        let found = try test.container.perform { try $0.decode(Tagged.all.sort(\.isbn)) }
        #expect(found.map(\.sequel) == [Reference(isbn: "2", tags: ["a"]), nil])
    }

    @Test func `a shared object that new trees have with different values is an error`() throws {
        let leo = Author(name: "Leo", born: 1828)
        let test = try ReadingRoom.store { try $0.insert(leo) }
        for (first, second) in [(1828, 1900), (1900, 1828), (1900, 1901)] {
            let trees = [
                BookPage(isbn: "1", author: Author(name: "Leo", born: first)),
                BookPage(isbn: "2", author: Author(name: "Leo", born: second)),
            ]
            let text = message { try test.container.perform { try $0.save(contentsOf: trees) } }
            #expect(text?.contains("are the same Author, and have different values") == true, "\(text ?? "saved")")
        }
        let same = ["1", "2"].map { BookPage(isbn: $0, author: Author(name: "Leo", born: 1900)) }
        try expectSaved(same, in: test, TreeSaveResult(inserted: 2, updated: 1))
        #expect(try test.container.perform { try $0.decode(Author.all) } == [Author(name: "Leo", born: 1900)])
    }

    @Test func `many new children of one owner are distinguished by their keys`() throws {
        let test = try ReadingRoom.store()
        var page = BookPage(isbn: "1", reviews: (0..<40).map { Review(day: day($0), mark: $0 % 5) })
        try expectSaved([page], in: test, TreeSaveResult(inserted: 41))
        page.reviews.append(page.reviews[3])
        try expectSaved([page], in: test, TreeSaveResult(unchanged: 41))
        page.isbn = "2"
        try expectSaved([page], in: test, TreeSaveResult(inserted: 41))
    }

    @Test func `a child has one of the owners in the trees`() throws {
        let test = try ReadingRoom.store()
        let book = BookPage(isbn: "1")
        let trees = [AuthorPage(name: "Leo", books: [book]), AuthorPage(name: "Lesya", books: [book])]
        let text = message { try test.container.perform { try $0.save(contentsOf: trees) } }
        #expect(text?.contains("[1].books[0] and [0].books[0] are the same Book") == true, "\(text ?? "saved")")
        try expectSaved(trees, in: test, repeats: .last, TreeSaveResult(inserted: 3))
        try expectSaved(trees, in: test, repeats: .last, TreeSaveResult(unchanged: 3))
        let found = try test.container.perform { try $0.decode(AuthorPage.all.sort(\.name)) }
        #expect(found.map(\.books.count) == [0, 1])
    }

    @Test func `keys that differ in their bytes are the keys of different objects`() throws {
        let test = try ReadingRoom.store()
        let trees = [BookPage(isbn: "\u{E9}"), BookPage(isbn: "e\u{301}")]
        try expectSaved(trees, in: test, TreeSaveResult(inserted: 2))
        try expectSaved(trees, in: test, TreeSaveResult(unchanged: 2))
    }

    @Test func `an object that loses its owner and remains in the trees is counted`() throws {
        let test = try ReadingRoom.store()
        let linked = [Sequel(isbn: "1", sequel: Book(isbn: "2")), Sequel(isbn: "2")]
        try expectSaved(linked, in: test, TreeSaveResult(inserted: 2))
        try expectSaved([Sequel(isbn: "1"), Sequel(isbn: "2")], in: test, TreeSaveResult(unlinked: 1, unchanged: 2))
        try expectSaved([Sequel(isbn: "1"), Sequel(isbn: "2")], in: test, TreeSaveResult(unchanged: 2))
    }

    @Test func `a repeated child is linked once`() throws {
        let test = try ReadingRoom.store()
        let review = Review(day: day(1), mark: 1)
        let page = BookPage(isbn: "1", reviews: [review, review], tags: ["war", "war"])
        try expectSaved([page], in: test, TreeSaveResult(inserted: 3))
        try expectSaved([page], in: test, TreeSaveResult(unchanged: 2))
        try expectSaved([BookPage(isbn: "2", tags: ["war"])], in: test, TreeSaveResult(inserted: 1))
        try expectSaved(
            [BookPage(isbn: "2", tags: ["x"])], in: test, TreeSaveResult(inserted: 1, unlinked: 1, unchanged: 1))
        let twice = [BookPage(isbn: "2", tags: ["x", "war", "war"])]
        try expectSaved(twice, in: test, TreeSaveResult(linked: 1, unchanged: 1))
    }

    @Test func `trees behind branches that are only read need no roles`() throws {
        let test = try ReadingRoom.store()
        let card = ReadingRoom.BookCard(book: Book(isbn: "1", title: "one"))
        try expectSaved([card], in: test, TreeSaveResult(inserted: 1))
    }

    @Test func `a preview has orders and versions`() throws {
        let test = try ReadingRoom.store()
        var page = BookPage(isbn: "1", reviews: [Review(day: day(1)), Review(day: day(2))])
        try test.container.perform { try $0.save(page) }
        page.reviews.reverse()
        let preview = try test.container.perform { try $0.plan(saving: [page]) }
        #expect(preview.description == "[0]: update Book p1 (order of reviews)")
        try test.container.perform { _ = try $0.insert(Book(isbn: "2", title: "old", year: 1)) }
        let new = Versioned(isbn: "2", title: "old", year: 1, sequel: Reference(isbn: "1"))
        let moved = try test.container.perform { try $0.plan(saving: [new]) }
        #expect(moved.description == "[0].sequel: link Book p1\n[0]: update Book p2 (year: 1 -> 2)")
    }

    @Test func `the depth of one tree does not depend on that of another`() throws {
        let test = try ReadingRoom.store { context in
            let parent = try context.insert(Category(name: "p"))
            for index in 0..<125 { try context.insert(Category(name: "a\(index)")).parent = parent }
            let other = try context.insert(Category(name: "q"))
            for index in 0..<125 { try context.insert(Category(name: "b\(index)")).parent = parent }
            try context.insert(Category(name: "deep")).parent = other
        }
        let nodes = try test.container.perform { try $0.decode(Node.all.where { $0.name == "p" }) }
        #expect(nodes.map(\.children.count) == [250])
        #expect(nodes[0].children.allSatisfy { $0.children.isEmpty })
        let store = try ReadingRoom.store { context in
            let parent = try context.insert(Category(name: "p"))
            let inner = try context.insert(Category(name: "inner"))
            inner.parent = parent
            try context.insert(Category(name: "leaf")).parent = parent
            try context.insert(Category(name: "deep")).parent = inner
        }
        let expected = [Top(name: "inner"), Top(name: "leaf", children: [])]
        for isChanged in [false, true] {
            let tops = try store.container.perform { context in
                if isChanged { try context.insert(Category(name: "unsaved")) }
                defer { if isChanged { try? context.delete(Category.all.where { $0.name == "unsaved" }) } }
                return try context.decode(Top.all.where { $0.name == "p" })
            }
            #expect(tops.map(\.children) == [expected], "unsaved changes: \(isChanged)")
        }
    }
}
