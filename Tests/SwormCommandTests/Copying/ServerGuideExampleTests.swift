#if PostgreSQL
import Foundation
import Sworm
import TestSupport
import Testing

@testable import SwormCommand

/// The model of the guide.
enum ServedModel {
    enum Shelf: String, SupportedAttributeType { case bedroom, kitchen, lent }
    struct Book: Equatable {
        var id = UUID(); var title = ""; var year = 0; var rating: Int?; var shelf = Shelf.bedroom
    }
    struct Author: Equatable { var name = "" }
}

extension ServedModel.Book: ManagedObjectConvertible {
    static let entityName = "Book"
    static let attributes: Set<Attribute<Self>> = [
        .init(\.id, "id", .unique), .init(\.title, "title", .indexed), .init(\.year, "year"),
        .init(\.rating, "rating", .range(1...5)), .init(\.shelf, "shelf"),
    ]
    struct Relations: Sendable { let author = ToOneRelation<ServedModel.Author>("author", inverse: \.books) }
    static let relations = Relations()
}

extension ServedModel.Author: ManagedObjectConvertible {
    static let entityName = "Author"
    static let attributes: Set<Attribute<Self>> = [.init(\.name, "name", .unique)]
    struct Relations: Sendable { let books = ToManyRelation<ServedModel.Book>("books") }
    static let relations = Relations()
}

/// The example of the guide from one machine to a server, from a file to a server and back.
@Suite("The example of the guide from one machine to a server", .enabled(if: PostgresServer.isEnabled))
struct ServerGuideExampleTests {
    private typealias Book = ServedModel.Book
    private typealias Author = ServedModel.Author

    private let workshop: Workshop
    private let address: String

    init() throws {
        workshop = try Workshop()
        let server = try PostgresServer.shared()
        address = try server.entrance().uri(schema: "guide_\(server.newSchema())")
    }

    private static func guide() throws -> String {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
        let path = "../../../Sources/Sworm/Sworm.docc/FromOneMachineToAServer.md"
        return try String(contentsOf: folder.appending(path: path).standardized, encoding: .utf8)
    }

    /// The function of the guide.
    private func addBook(_ book: Book, by name: String, at location: StoreLocation) throws -> [String] {
        let store = try PersistentContainer(for: Book.self, at: location)
        try store.perform { context in
            let known = try context.fetchOne(Author.all.where { $0.name == name })
            let author = try known ?? context.insert(Author(name: name))
            try author.books.add(context.insert(book))
        }
        return try store.read { try $0.decode(Book.all.where { $0.author.name == name }.sort(\.title)).map(\.title) }
    }

    @Test func `a file is served from a server by the same code, and comes back`() throws {
        let (file, back) = (workshop.url("Shop.sqlite"), workshop.url("Copy.sqlite"))
        #expect(try addBook(Book(title: "War and Peace", year: 1869), by: "Leo", at: .file(file)) == ["War and Peace"])
        let there = Run(["copy", file.path, address])
        #expect(there.code == .ok && there.err.isEmpty, "\(there.err)")
        #expect(Run(["diff", file.path, address]).out == "no differences\n")

        let served = try addBook(Book(title: "Childhood", rating: 4, shelf: .lent), by: "Leo", at: .postgres(address))
        #expect(served == ["Childhood", "War and Peace"])
        #expect(Run(["diff", file.path, address]).code == .found)

        let here = Run(["copy", address, back.path])
        #expect(here.code == .ok && here.err.isEmpty, "\(here.err)")
        #expect(Run(["diff", address, back.path]).out == "no differences\n")
        #expect(Run(["verify", back.path]).out == "no faults\n")
        #expect(try addBook(Book(title: "Boyhood"), by: "Leo", at: .file(back)) == ["Boyhood"] + served)
    }

    @Test func `ids that were saved are those of the copy on the server`() throws {
        let file = workshop.url("Shop.sqlite")
        _ = try addBook(Book(title: "War and Peace"), by: "Leo", at: .file(file))
        let id = try #require(
            try PersistentContainer(for: Book.self, at: .file(file)).perform { try $0.fetchOne(Book.all)?.id })
        #expect(Run(["copy", file.path, address]).code == .ok)
        let copy = try ManagedObjectID<Book>(id.uriRepresentation)
        let store = try PersistentContainer(for: Book.self, at: .postgres(address))
        #expect(try store.read { try $0.object(with: copy).decode(\.title) } == "War and Peace")
    }

    @Test func `a part of a condition that runs in memory is in the advice, or an error`() throws {
        let server = try PostgresServer.shared()
        let schema = "guide_\(server.newSchema())"
        let entrance = try server.entrance()
        var configuration = PostgresConfiguration(
            host: entrance.folder, port: entrance.port, database: "postgres", user: server.user, schema: schema,
            pooler: ServerEntrance.arePooled ? .transaction : .none)
        let request = Book.all.where { $0.title.matches("A.*") && $0.year > 1800 }
        let open = try PersistentContainer(for: Book.self, at: .postgres(configuration))
        let advice = try open.read { try $0.explain(request).advice }
        // The guide prints this line.
        let line =
            #"The condition `title MATCHES "A.*"` is tested in memory, because "#
            + "MATCHES uses ICU's regular expressions."
        #expect(advice.contains(line))
        #expect(try Self.guide().contains("// \(line)\n"))
        configuration.evaluationInMemory = .refuse
        let strict = try PersistentContainer(for: Book.self, at: .postgres(configuration))
        #expect(throws: StoreError.Code.unsupported) { try strict.read { try $0.decode(request) } }
        #expect(throws: StoreError.Code.unsupported) { try strict.read { try $0.explain(request) } }
    }

    @Test func `a backup of a store on a server is rejected, and the message names the way`() throws {
        let store = try PersistentContainer(for: Book.self, at: .postgres(address))
        do {
            try store.backup(to: workshop.url("Backup.sqlite"))
            Issue.record("A file was written.")
        } catch let error as StoreError {
            #expect(error.code == .unsupported && error.message.contains("pg_dump"), "\(error)")
        }
    }
}
#endif
