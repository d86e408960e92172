#if !canImport(CoreData)
import Foundation
import Sworm
import SwormSQLite
import SwormTools
import Testing

@Suite("Trees in files that other programs have changed") struct TreeDamageTests {
    private typealias Author = ReadingRoom.Author
    private typealias Book = ReadingRoom.Book

    /// A book with its year alone.
    private struct Year: ManagedTreeConvertible, Equatable {
        typealias Entity = Book
        var year = 0
        static let attributes: Set<Attribute<Year>> = [.init(\.year, \.year)]
    }

    @Test(arguments: [-1, 0, Int.min])
    func `a key that no object can have is an error`(key: Int) throws {
        let test = try ReadingRoom.store(in: .file) { context in
            for number in 0..<3 {
                let book = try context.insert(Book(isbn: "\(number)"))
                book.author = try context.insert(Author(name: "a\(number)"))
                try book.reviews.add(try context.insert(ReadingRoom.Review(mark: number)))
            }
        }
        let program = try ForeignProgram(try #require(test.url)).connection
        for table in ["BOOK", "REVIEW"] {
            try program.execute("UPDATE Z\(table) SET Z_PK = \(key) WHERE Z_PK = 2")
            let pages = [ReadingRoom.BookPage(isbn: "1", title: "new")]
            let ways: [(ManagedObjectContext) throws -> Void] = [
                { _ = try $0.decode(ReadingRoom.BookPage.all) }, { _ = try $0.decode(Book.all.with(\.reviews)) },
                { try $0.forEach(ReadingRoom.BookPage.all) { _ in } },
                { _ = try $0.decode(ReadingRoom.AuthorPage.all) }, { _ = try $0.save(contentsOf: pages) },
            ]
            for (number, way) in ways.enumerated() where table == "BOOK" || number < 4 {
                let container = try PersistentContainer(
                    for: Author.self, ReadingRoom.Category.self, at: .file(try #require(test.url)))
                #expect(throws: StoreError.self, "\(table), way \(number)") { try container.perform(action: way) }
                try container.close()
            }
            try program.execute("UPDATE Z\(table) SET Z_PK = 2 WHERE Z_PK = \(key)")
        }
    }

    @Test(arguments: ["NULL", "0", "-1", "999"])
    func `an entity that the model does not have is an error`(number: String) throws {
        let test = try TestStore(for: Cellar.House.self, in: .file) { context in
            let house = try context.insert(Cellar.House(name: "H"))
            try house.storages.add(try context.insert(Cellar.Storage.box(Cellar.Box(name: "box"))))
        }
        try ForeignProgram(try #require(test.url)).connection.execute("UPDATE ZSTORAGE SET Z_ENT = \(number)")
        #expect(throws: StoreError.self) { try test.container.read { _ = try $0.decode(Cellar.Storages.all) } }
        #expect(throws: StoreError.self) {
            try test.container.perform { _ = try $0.save(contentsOf: [Cellar.Storages(name: "H")]) }
        }
    }

    @Test func `the order of children does not depend on indexes that the file has`() throws {
        let test = try ReadingRoom.store(in: .file) { context in
            for number in 0..<300 {
                let author = try context.insert(Author(name: "a\(number)"))
                for place in 0..<3 {
                    let book = try context.insert(Book(isbn: "\(number).\(place)", year: (number * 7 + place * 5) % 11))
                    book.author = author
                }
            }
        }
        func years() throws -> [[Year]] {
            try test.container.read { try $0.decode(Author.all.with { $0.books.as(Year.self) }).map { $0.1 } }
        }
        let before = try years()
        try ForeignProgram(try #require(test.url)).connection.execute(
            "CREATE INDEX WIDE ON ZBOOK (ZAUTHOR, ZYEAR DESC)")
        #expect(try years() == before)
    }

    @Test func `a child of an owner that is not asked for may be unreadable`() throws {
        let test = try TestStore(for: Cellar.Rack.self, in: .file) { context in
            for number in 0..<400 {
                let rack = try context.insert(Cellar.Rack(name: "\(number)", isOpen: number % 3 > 0))
                let bottle = try context.insert(Cellar.Bottle(label: "\(number)"))
                try rack.bottles.add(bottle)
            }
        }
        try ForeignProgram(try #require(test.url)).connection.execute(
            "UPDATE ZBOTTLE SET ZCOLOR = 'green' WHERE ZLABEL = '3'")
        let racks = try test.container.read { try $0.decode(Cellar.RackPage.all.where { $0.isOpen == true }) }
        #expect(racks.count == 266 && racks.allSatisfy { $0.bottles.map(\.label) == [$0.name] })
        #expect(throws: AttributeError.self) {
            try test.container.read { _ = try $0.decode(Cellar.RackPage.all) }
        }
    }
}
#endif
