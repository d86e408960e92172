#if !canImport(CoreData)
import Foundation
import Sworm
import SwormPredicates
import SwormSQLite
import TestSupport
import Testing

@Suite("The first objects of most owners") struct FirstMembersTests {
    typealias Author = ReadingRoom.Author
    typealias Book = ReadingRoom.Book

    /// A book without the attributes that it is sorted by.
    private struct Code: ManagedTreeConvertible, Equatable {
        var isbn = ""

        typealias Entity = Book
        static let attributes: Set<Attribute<Code>> = [.init(\.isbn, \.isbn)]
    }

    private typealias Chosen = @Sendable (ManyBranch<Author, Book, Book>) -> ManyBranch<Author, Book, Book>

    /// The orders of books by numbers.
    private static let orders: [Chosen] = [
        { $0.sort(\.year) }, { $0.sort(\.year, ascending: false) }, { $0.sort(\.rating) },
        { $0.sort(\.rating, ascending: false).sort(\.year) }, { $0.where { $0.year > 0 }.sort(\.rating).sort(\.year) },
        { $0.where { $0.author.born > 3 }.sort(\.year) },
    ]

    /// A random source, whose seed is printed.
    private func seeded() -> SeededRandom {
        let seed = ProcessInfo.processInfo.environment["SWORM_RANDOM_SEED"].flatMap { UInt64($0) } ?? 1
        print("First objects of owners: SWORM_RANDOM_SEED=\(seed)")
        return SeededRandom(seed: seed)
    }

    private func store(at location: StoreLocation = .memory, _ statements: Locked<[String]>) throws
        -> PersistentContainer
    {
        try PersistentContainer(
            for: Author.self, ReadingRoom.Category.self, at: location,
            trace: { trace in
                if !trace.isUpkeep, trace.sql.contains("FROM ZBOOK") || trace.sql.contains("JOIN ZBOOK") {
                    statements.withLock { $0.append(trace.sql) }
                }
            })
    }

    private func fill(_ store: PersistentContainer, _ random: inout SeededRandom) throws {
        try store.perform { context in
            let authors = try (0..<300).map { try context.insert(Author(name: "a\($0)", born: $0 % 7)) }
            for number in 0..<1500 {
                let book = try context.insert(
                    Book(
                        isbn: "\(number)", year: .random(in: -3...3, using: &random),
                        rating: [nil, 0, 1, 2].randomElement(using: &random) ?? nil))
                if number % 50 != 0 { book.author = authors.randomElement(using: &random) }
            }
        }
    }

    @Test func `are those that a search for each owner finds`() throws {
        var random = seeded()
        let statements = Locked<[String]>([])
        let store = try store(statements)
        try fill(store, &random)
        for (number, order) in Self.orders.enumerated() {
            let all = try store.perform { try $0.decode(Author.all.with { order($0.books).limit(1000) }) }
            for (offset, limit) in [(0, 1), (0, 3), (2, 2), (7, 25)] {
                statements.withLock { $0 = [] }
                let found = try store.perform {
                    try $0.decode(Author.all.with { order($0.books).offset(offset).limit(limit) })
                }
                #expect(statements.withLock { $0 }.count { $0.contains(" LIMIT ") } == 0)
                #expect(found.count == all.count)
                let isSame = zip(found, all).allSatisfy { found, all in
                    found.0 == all.0 && found.1 == Array(all.1.dropFirst(offset).prefix(limit))
                }
                #expect(isSame, "order \(number), \(limit) after \(offset)")
            }
        }
    }

    @Test func `are chosen by one reading of the table, if no index has them in order`() throws {
        var random = seeded()
        let statements = Locked<[String]>([])
        let store = try store(statements)
        try fill(store, &random)
        statements.withLock { $0 = [] }
        _ = try store.perform {
            try $0.decode(Author.all.with { $0.books.where { $0.year != 1 }.sort(\.rating, ascending: false).limit(2) })
        }
        #expect(
            statements.withLock { $0 } == [
                "SELECT t0.ZAUTHOR, t0.Z_PK, t0.ZRATING FROM ZBOOK t0 WHERE +t0.ZAUTHOR BETWEEN ?1 AND ?2 AND t0.ZYEAR <> ?3",
                "SELECT t0.Z_PK, t0.ZISBN, t0.ZRATING, t0.ZTITLE, t0.ZYEAR, t0.ZAUTHOR FROM json_each(?1) o CROSS JOIN ZBOOK t0 ON t0.Z_PK = o.value ORDER BY o.key",
            ])
        // The index of the relation has the books in the order of their keys.
        statements.withLock { $0 = [] }
        _ = try store.perform {
            try (
                $0.decode(Author.all.with { $0.books.limit(2) }),
                $0.decode(Author.all.with { $0.books.sort(\.title).limit(2) }),
                $0.decode(Author.all.limit(199).with { $0.books.sort(\.year).limit(2) }),
                $0.decode(Author.all.with { $0.books.sort(\.year).limit(33) })
            )
        }
        #expect(statements.withLock { $0 }.count == 4)
        #expect(statements.withLock { $0 }.allSatisfy { $0.contains(" LIMIT ") })
    }

    @Test(arguments: ["'x'", "X'00'", "1.5", "9007199254740993", "NULL", "-0.0"])
    func `are the same if a file has other values than numbers`(value: String) throws {
        var random = seeded()
        let folder = FileManager.default.temporaryDirectory.appending(path: "sworm-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = folder.appending(path: "Books.sqlite")
        let statements = Locked<[String]>([])
        let first = try store(at: .file(url), statements)
        try fill(first, &random)
        try first.close()
        try Connection(.file(path: url.path), options: .init(access: .readWrite)).execute(
            "UPDATE ZBOOK SET ZYEAR = \(value) WHERE Z_PK % 5 = 0")
        let store = try store(at: .file(url), statements)
        for isAscending in [true, false] {
            let (all, found) = try store.perform { context in
                func codes(_ limit: Int) throws -> [[Code]] {
                    try context.decode(
                        Author.all.with { $0.books.sort(\.year, ascending: isAscending).limit(limit).as(Code.self) }
                    ).map { $0.1 }
                }
                return (try codes(1000), try codes(3))
            }
            #expect(found == all.map { Array($0.prefix(3)) })
        }
        try store.close()
    }
}
#endif
