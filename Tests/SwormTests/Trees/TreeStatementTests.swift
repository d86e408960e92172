import Foundation
import Sworm
import SwormPredicates
import Testing

#if !canImport(CoreData)
@Suite("Statements of trees") struct TreeStatementTests {
    typealias Author = ReadingRoom.Author
    typealias Book = ReadingRoom.Book

    /// Returns the statements of a read, in which a limit of each owner is a search of its own.
    private func statements(_ body: (ManagedObjectContext) throws -> Void) throws -> [String] {
        let found = Locked<[String]>([])
        let store = try PersistentContainer(
            for: Author.self, ReadingRoom.Category.self, at: .memory,
            trace: { trace in
                if !trace.isUpkeep, trace.sql.hasPrefix("SELECT") { found.withLock { $0.append(trace.sql) } }
            })
        try store.perform { context in
            let author = try context.insert(Author(name: "Leo"))
            for number in 0..<3 {
                let book = try context.insert(Book(isbn: "\(number)"))
                book.author = author
                try book.tags.add(try context.insert(ReadingRoom.Tag(name: "t\(number)")))
            }
        }
        found.withLock { $0 = [] }
        try store.perform { try body($0) }
        return found.withLock { $0 }
    }

    @Test func `are one for the roots and one for each branch`() throws {
        let found = try statements { _ = try $0.decode(ReadingRoom.BookPage.all.where { $0.isbn < "2" }) }
        #expect(
            found == [
                "SELECT t0.Z_PK, t0.ZISBN, t0.ZRATING, t0.ZTITLE, IFNULL(t0.ZAUTHOR, 0) FROM ZBOOK t0 WHERE t0.ZISBN < ?1 ORDER BY t0.Z_PK",
                "SELECT t0.Z_PK, t0.ZBORN, t0.ZNAME FROM ZAUTHOR t0 WHERE t0.Z_PK IN (SELECT value FROM json_each(?1)) ORDER BY t0.Z_PK",
                "SELECT t0.Z_PK, t0.ZDAY, t0.ZMARK, t0.ZTEXT, t0.ZBOOK FROM ZREVIEW t0 WHERE t0.ZBOOK IN (SELECT value FROM json_each(?1)) ORDER BY t0.ZBOOK, t0.Z_FOK_BOOK, t0.Z_PK",
                "SELECT t0.Z_PK, t0.ZNAME, own.Z_2BOOKS FROM ZTAG t0 JOIN Z_2TAGS own ON own.Z_6TAGS = t0.Z_PK WHERE own.Z_2BOOKS IN (SELECT value FROM json_each(?1)) ORDER BY own.Z_2BOOKS, t0.Z_PK",
            ])
    }

    @Test func `search for the first objects of each owner, and compute columns with the roots`() throws {
        let found = try statements { context in
            _ = try context.decode(
                Author.all.with {
                    ($0.books.where { $0.year > 1860 }.sort(\.title).limit(2), $0.books.count, $0.country.code)
                })
        }
        #expect(
            found == [
                "SELECT t0.Z_PK, t0.ZBORN, t0.ZNAME, (SELECT COUNT(*) FROM ZBOOK t1 WHERE t1.ZAUTHOR = t0.Z_PK), t2.ZCODE FROM ZAUTHOR t0 LEFT JOIN ZCOUNTRY t2 ON t2.Z_PK = t0.ZCOUNTRY ORDER BY t0.Z_PK",
                "SELECT t0.Z_PK, t0.ZISBN, t0.ZRATING, t0.ZTITLE, t0.ZYEAR, o.value FROM json_each(?1) o JOIN ZBOOK t0 ON t0.Z_PK IN (SELECT t0.Z_PK FROM ZBOOK t0 WHERE t0.ZAUTHOR = o.value AND t0.ZYEAR > ?2 ORDER BY t0.ZTITLE, t0.Z_PK LIMIT ?3) ORDER BY o.key, t0.ZTITLE, t0.Z_PK",
            ])
    }

    @Test func `read the table of the members as it lies, if most owners are asked for`() throws {
        let found = Locked<[String]>([])
        let store = try PersistentContainer(
            for: Author.self, ReadingRoom.Category.self, at: .memory,
            trace: { trace in if trace.sql.contains("FROM ZBOOK") { found.withLock { $0.append(trace.sql) } } })
        try store.perform { context in
            for number in 0..<300 {
                let author = try context.insert(Author(name: "a\(number)"))
                for place in 0..<2 {
                    let book = try context.insert(Book(isbn: "\(place).\(number)", year: number))
                    book.author = author
                }
            }
        }
        found.withLock { $0 = [] }
        let rows = try store.perform { try $0.decode(Author.all.sort(\.name).with(\.books)) }
        #expect(rows.allSatisfy { author, books in books.map { "a\($0.year)" } == [author.name, author.name] })
        #expect(rows.allSatisfy { $0.1.map(\.isbn) == $0.1.map(\.isbn).sorted() })
        let sorted = try store.perform { try $0.decode(Author.all.with { $0.books.sort(\.isbn, ascending: false) }) }
        #expect(sorted.allSatisfy { $0.1.map(\.isbn) == $0.1.map(\.isbn).sorted(by: >) && $0.1.count == 2 })
        let scan =
            "SELECT t0.Z_PK, t0.ZISBN, t0.ZRATING, t0.ZTITLE, t0.ZYEAR, t0.ZAUTHOR FROM ZBOOK t0 WHERE +t0.ZAUTHOR BETWEEN ?1 AND ?2 ORDER BY t0.Z_PK"
        #expect(found.withLock { $0 }.first == scan)
        #expect(found.withLock { $0 }.count == 2)
    }
}
#endif
