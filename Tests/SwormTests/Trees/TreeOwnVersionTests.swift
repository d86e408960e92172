import Foundation
import Sworm
import SwormTools
import TestSupport
import Testing

/// Objects whose versions are optional, shared by cases, or those of owners that lose a child.
private enum Paperwork {
    struct Sheet: ManagedObjectConvertible, Equatable {
        var name = ""
        var text = ""
        var revision: Int?
        var changed: Date?

        static let attributes: Set<Attribute<Sheet>> = [
            .init(\.name, "name", .unique), .init(\.text, "text"), .init(\.revision, "revision"),
            .init(\.changed, "changed"),
        ]
        struct Relations: Sendable {}
        static let relations = Relations()
    }

    struct NumberedSheet: ManagedTreeConvertible, Equatable {
        typealias Entity = Sheet
        var name = ""
        var text = ""
        var revision: Int?
        static let attributes: Set<Attribute<NumberedSheet>> = [
            .init(\.name, \.name), .init(\.text, \.text), .init(\.revision, \.revision),
        ]
        static let branches: [Branch<NumberedSheet>] = [.version(\.revision)]
    }

    struct DatedSheet: ManagedTreeConvertible, Equatable {
        typealias Entity = Sheet
        var name = ""
        var text = ""
        var changed: Date?
        static let attributes: Set<Attribute<DatedSheet>> = [
            .init(\.name, \.name), .init(\.text, \.text), .init(\.changed, \.changed),
        ]
        static let branches: [Branch<DatedSheet>] = [.version(\.changed)]
    }

    /// Documents whose shared attributes have other positions in the table of each case.
    enum Document: Equatable, SuperentityConvertible {
        case book(Book)
        case other(Other)

        struct Subentities: Sendable {
            let book = Subentity(Document.book)
            let other = Subentity(Document.other)
        }
        static let subentities = Subentities()
        init() { self = .other(Other()) }
        var subentity: any ManagedObjectConvertible {
            switch self {
            case .book(let value): value
            case .other(let value): value
            }
        }
        var code: String {
            switch self {
            case .book(let value): value.code
            case .other(let value): value.code
            }
        }
        var revision: Int {
            get {
                switch self {
                case .book(let value): value.revision
                case .other(let value): value.revision
                }
            }
            set {
                switch self {
                case .book(var value):
                    value.revision = newValue
                    self = .book(value)
                case .other(var value):
                    value.revision = newValue
                    self = .other(value)
                }
            }
        }
        static let attributes: Set<Attribute<Document>> = [
            .init(shared: \.code, named: "code", .unique), .init(\.revision, "revision"),
        ]
        static let branches: [Branch<Document>] = [.version(\.revision)]
        struct Relations: Sendable {}
        static let relations = Relations()
    }

    struct Book: ManagedObjectConvertible, Equatable {
        typealias Superentity = Document
        var author = ""
        var code = ""
        var pages = 0
        var revision = 0
        static let attributes: Set<Attribute<Book>> = [
            .init(\.author, "author"), .init(\.code, "code"), .init(\.pages, "pages"), .init(\.revision, "revision"),
        ]
        struct Relations: Sendable {}
        static let relations = Relations()
    }

    /// The objects of the super-entity itself, with another first version than books.
    struct Other: ManagedObjectConvertible, Equatable {
        typealias Superentity = Document
        static let entityName = "Document"
        var code = ""
        var revision = 1
        static let attributes: Set<Attribute<Other>> = [.init(\.code, "code"), .init(\.revision, "revision")]
        struct Relations: Sendable {}
        static let relations = Relations()
    }

    struct Shelf: ManagedObjectConvertible, Equatable {
        var name = ""
        var revision = 0
        static let attributes: Set<Attribute<Shelf>> = [.init(\.name, "name", .unique), .init(\.revision, "revision")]
        struct Relations: Sendable {
            let sheets = ToManyOrderedRelation<Sheet>("sheets", deleteRule: .cascade)
        }
        static let relations = Relations()
    }

    struct ShelfPatch: ManagedTreeConvertible, Equatable {
        typealias Entity = Shelf
        var name = ""
        var revision: Int?
        static let attributes: Set<Attribute<ShelfPatch>> = [
            .init(\.name, \.name), .init(\.revision, \.revision, .ifPresent),
        ]
        static let branches: [Branch<ShelfPatch>] = [.version(\.revision)]
    }

    struct ShelfTree: ManagedTreeConvertible, Equatable {
        typealias Entity = Shelf
        var name = ""
        var sheets: [Sheet]?
        var revision = 0
        static let attributes: Set<Attribute<ShelfTree>> = [.init(\.name, \.name), .init(\.revision, \.revision)]
        static let branches: [Branch<ShelfTree>] = [.init(\.sheets, \.sheets, .movable), .version(\.revision)]
    }
}

@Suite("Versions of tables", .overEachStore) struct TreeOwnVersionTests {
    private typealias Book = Paperwork.Book
    private typealias Other = Paperwork.Other
    private typealias Document = Paperwork.Document
    private typealias Sheet = Paperwork.Sheet
    private typealias ShelfTree = Paperwork.ShelfTree

    private func code(_ body: () throws -> Void) -> StoreError.Code? {
        do {
            try body()
            return nil
        } catch {
            return (error as? StoreError)?.code
        }
    }

    @Test func `an optional attribute is a version from its first change`() throws {
        let test = try TestStore.tested(for: Sheet.self)
        let first = Paperwork.NumberedSheet(name: "a", text: "1")
        try test.container.perform { _ = try $0.save(contentsOf: [first]) }
        let read = try test.container.read { try $0.decode(Paperwork.NumberedSheet.all) }
        #expect(read == [first])
        let changes = ["mine", "theirs"].map { Paperwork.NumberedSheet(name: "a", text: $0) }
        try test.container.perform { _ = try $0.save(contentsOf: [changes[0]]) }
        for isThroughObjects in [false, true] {
            for late in [changes[1], first] {
                let code = code {
                    try test.container.perform { context in
                        if isThroughObjects { try context.insert(Sheet(name: "other")) }
                        _ = try context.save(contentsOf: [late])
                    }
                }
                #expect(code == .conflict, "\(late)")
            }
        }
        let saved = try #require(try test.container.read { try $0.decodeOne(Paperwork.NumberedSheet.all) })
        #expect(saved == Paperwork.NumberedSheet(name: "a", text: "mine", revision: 1))
        #expect(try test.container.perform { try $0.save(contentsOf: [saved]) }.isEmpty)
        let next = Paperwork.NumberedSheet(name: "a", text: "next", revision: 1)
        try test.container.perform { _ = try $0.save(contentsOf: [next]) }
        #expect(try test.container.read { try $0.decodeOne(Paperwork.NumberedSheet.all)?.revision } == 2)
    }

    @Test func `an optional date is a version from its first change`() throws {
        let test = try TestStore.tested(for: Sheet.self)
        try test.container.perform { _ = try $0.save(contentsOf: [Paperwork.DatedSheet(name: "a")]) }
        let changes = ["mine", "theirs"].map { Paperwork.DatedSheet(name: "a", text: $0) }
        try test.container.perform { _ = try $0.save(contentsOf: [changes[0]]) }
        #expect(code { try test.container.perform { _ = try $0.save(contentsOf: [changes[1]]) } } == .conflict)
        let saved = try #require(try test.container.read { try $0.decodeOne(Paperwork.DatedSheet.all) })
        #expect(saved.text == "mine" && saved.changed != nil)
    }

    @Test func `the version of a case is that of its enum`() throws {
        let test = try TestStore.tested(for: Document.self)
        let book = Book(author: "Leo", code: "1", pages: 100)
        try test.container.perform { _ = try $0.save(contentsOf: [Document.book(book), .other(Other(code: "2"))]) }
        var changed = book
        changed.pages = 200
        let change = changed
        let result = try test.container.perform { try $0.save(contentsOf: [Document.book(change)]) }
        #expect(result.updated == 1)
        changed.revision = 1
        #expect(try test.container.read { try $0.decode(Book.all) } == [changed])
        #expect(
            code { try test.container.perform { _ = try $0.save(contentsOf: [Document.book(change)]) } } == .conflict)
    }

    @Test func `a version that one appearance leaves out is that of the other one`() throws {
        let test = try TestStore.tested(for: Paperwork.Shelf.self)
        try test.container.perform { _ = try $0.insert(Paperwork.Shelf(name: "A", revision: 3)) }
        let (without, stale) = (Paperwork.ShelfPatch(name: "A"), Paperwork.ShelfPatch(name: "A", revision: 0))
        for trees in [[without, stale], [stale, without]] {
            for policy in [RepeatPolicy.equal, .last] {
                let code = code {
                    try test.container.perform { _ = try $0.save(contentsOf: trees, repeats: policy) }
                }
                #expect(code == .conflict, "\(trees) \(policy)")
                #expect(try test.container.read { try $0.decodeOne(Paperwork.Shelf.all)?.revision } == 3)
            }
        }
    }

    @Test func `the preview of a first version has no old value`() throws {
        let test = try TestStore.tested(for: Sheet.self)
        try test.container.perform { _ = try $0.save(contentsOf: [Paperwork.NumberedSheet(name: "a")]) }
        let preview = try test.container.read {
            try $0.plan(saving: [Paperwork.NumberedSheet(name: "a", text: "new")])
        }
        let value = try #require(preview.changes.first?.values.first { $0.name == "revision" })
        #expect(value.old == nil)
        #expect(value.new == "1")
    }

    @Test func `an object of a sub-entity is not one of the super-entity`() throws {
        let test = try TestStore.tested(for: Document.self)
        try test.container.perform { _ = try $0.save(contentsOf: [Book(code: "1", pages: 100)]) }
        for revision in 0...1 {
            let trees = [Other(code: "1", revision: revision)]
            #expect(code { try test.container.perform { _ = try $0.save(contentsOf: trees) } } == .validation)
            #expect(code { try test.container.write { _ = try $0.save(contentsOf: trees) } } == .validation)
            #expect(code { try test.container.read { _ = try $0.plan(saving: trees) } } == .validation)
        }
    }

    @Test func `the version of an owner moves on when a child leaves it`() throws {
        let test = try TestStore.tested(for: Paperwork.Shelf.self)
        let sheet = Sheet(name: "s")
        try test.container.perform {
            _ = try $0.save(contentsOf: [ShelfTree(name: "A", sheets: [sheet]), ShelfTree(name: "B", sheets: [])])
        }
        let trees = [ShelfTree(name: "A"), ShelfTree(name: "B", sheets: [sheet])]
        try test.container.perform { _ = try $0.save(contentsOf: trees) }
        let saved = try test.container.read { try $0.decode(ShelfTree.all.sort(\.name)) }
        #expect(saved.map(\.revision) == [1, 1] && saved.map { $0.sheets?.count } == [0, 1])
        let late = ShelfTree(name: "A", sheets: [sheet])
        #expect(code { try test.container.perform { _ = try $0.save(contentsOf: [late]) } } == .conflict)
    }

    @Test func `an ordered relation has no new order because a member was deleted`() throws {
        let test = try TestStore.tested(for: Paperwork.Shelf.self)
        let sheets = [Sheet(name: "1"), Sheet(name: "2")]
        try test.container.perform { _ = try $0.save(contentsOf: [ShelfTree(name: "A", sheets: sheets)]) }
        try test.container.perform { context throws in
            let rest = ShelfTree(name: "A", sheets: [sheets[1]])
            #expect(try context.save(contentsOf: [rest]).deleted == 1)
            let again = ShelfTree(name: "A", sheets: [sheets[1]], revision: 1)
            #expect(try context.save(contentsOf: [again]).isEmpty)
        }
        try test.verifyIfFile()
    }

    @Test func `an outdated version of an object of the same call is that of a changed object`() throws {
        let test = try TestStore.tested(for: Sheet.self)
        let error = #expect(throws: StoreError.self) {
            try test.container.perform { context in
                for text in ["1", "2", "3"] { try context.save(Paperwork.NumberedSheet(name: "a", text: text)) }
            }
        }
        #expect(error?.code == .conflict)
        #expect(error?.message.contains("was changed since the tree was read") == true, "\(error?.message ?? "")")
    }

    @Test func `a version of an object that the same call has inserted is that of a deleted one`() throws {
        let test = try TestStore.tested(for: Paperwork.Shelf.self)
        let error = #expect(throws: StoreError.self) {
            try test.container.perform { context in
                let shelf = try context.insert(Paperwork.Shelf(name: "A"))
                try shelf.save(ShelfTree(name: "A", revision: 5))
            }
        }
        #expect(error?.code == .conflict)
        #expect(error?.message.contains("there is no such Shelf any more") == true, "\(error?.message ?? "")")
    }
}
