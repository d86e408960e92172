import Foundation
import Sworm
import SwormTools
import Testing

/// Trees in contracts and at the opening of containers.
@Suite("The contract of trees and a model") struct TreeContractTests {
    private typealias Book = ReadingRoom.Book
    private typealias Review = ReadingRoom.Review

    private struct Patch: ManagedTreeConvertible {
        var isbn = ""
        var title: String?
        var rating: Int??

        typealias Entity = Book
        static let attributes: Set<Attribute<Patch>> = [
            .init(\.isbn, \.isbn), .init(\.title, \.title, .ifPresent), .init(\.rating, \.rating),
        ]
    }

    private struct Misspelt: ManagedTreeConvertible {
        var isbn = ""
        var title = ""
        var rating = 0
        var year: Int?

        typealias Entity = Book
        static let attributes: Set<Attribute<Misspelt>> = [
            .init(\.isbn, \.isbn), .init(\.title, "titel"), .init(\.rating, "rating"), .init(\.year, "year"),
        ]
    }

    private struct Outer: ManagedTreeConvertible {
        var name = ""
        var books: [Misspelt] = []

        typealias Entity = ReadingRoom.Author
        static let attributes: Set<Attribute<Outer>> = [.init(\.name, "name")]
        static let branches: [Branch<Outer>] = [.init(\.books, \.books, .readOnly)]
    }

    private struct Endless: ManagedTreeConvertible {
        var name = ""
        var children: [Endless] = []

        typealias Entity = ReadingRoom.Category
        static let attributes: Set<Attribute<Endless>> = [.init(\.name, \.name)]
        static let branches: [Branch<Endless>] = [.init(\.children, \.children, .readOnly)]
    }

    private let model: NSManagedObjectModel

    init() throws { model = try NSManagedObjectModel(tables: ReadingRoom.Author.self, ReadingRoom.Category.self) }

    @Test func `trees that fit have no issues`() throws {
        let contract = ModelContract(
            ReadingRoom.BookPage.self, ReadingRoom.BookCard.self, ReadingRoom.AuthorPage.self, ReadingRoom.Shelf.self,
            ReadingRoom.CategoryTree.self, Patch.self, Book.self)
        #expect(contract.violations(in: model) == [])
        let types: [any ManagedObjectConvertible.Type] = [Book.self, Review.self]
        #expect(ModelContract(types).violations(in: model) == [])
    }

    @Test func `the attributes of a tree, and of trees inside of it, are compared under the name of the tree`() {
        let violations = ModelContract(Outer.self).violations(in: model)
        #expect(violations.map(\.entity) == ["Misspelt", "Misspelt", "Misspelt"])
        #expect(violations.map(\.member) == ["rating", "titel", "year"])
        #expect(violations.map(\.kind) == [.optionality, .unknownAttribute, .optionality])
        #expect(violations.dropFirst().first?.suggestion == "title")
        #expect(violations == ModelContract(Misspelt.self, Outer.self, Book.self).violations(in: model))
        // A property that may be nil prevents only saving.
        #expect(ModelContract(Misspelt.self).violations(in: model, for: .reading).map(\.member) == ["rating", "titel"])
    }

    @Test func `a branch back to its own tree needs a depth`() throws {
        let violation = try #require(ModelContract(Endless.self).violations(in: model).first)
        #expect(violation.kind == .table && violation.entity == "Endless" && violation.member == "children")
        #expect(violation.message.contains(".depth(8)"))
    }

    @Test func `a tree of an entity that the model does not have is reported once`() throws {
        let small = try NSManagedObjectModel(tables: ReadingRoom.Category.self)
        let violations = ModelContract(ReadingRoom.BookPage.self, Patch.self).violations(in: small)
        #expect(violations.filter { $0.kind == .unknownEntity && $0.entity == "Book" }.count == 1)
        #expect(violations.allSatisfy { $0.kind == .unknownEntity })
    }

    @Test func `a container checks trees when it is opened, and creates no file for wrong ones`() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = folder.appendingPathComponent("Store.sqlite")
        let error = #expect(throws: StoreError.self) {
            try PersistentContainer(
                for: ReadingRoom.Author.self, ReadingRoom.Category.self, checking: Outer.self, Endless.self,
                at: .file(url))
        }
        #expect(error?.code == .contractViolation)
        #expect(error?.message.contains("4 points") == true, "\(error?.message ?? "none")")
        #expect(error?.message.contains("Misspelt.titel") == true)
        #expect(!FileManager.default.fileExists(atPath: url.path))
        #expect(throws: StoreError.Code.contractViolation) {
            try PersistentContainer(model: model, checking: Outer.self, at: .memory)
        }
        let store = try PersistentContainer(
            for: ReadingRoom.Author.self, checking: ReadingRoom.BookPage.self, Patch.self, at: .memory)
        #expect(try store.perform { try $0.count(of: Book.all) } == 0)
    }
}
