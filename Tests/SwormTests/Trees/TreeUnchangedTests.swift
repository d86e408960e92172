import Foundation
import Sworm
import SwormTools
import TestSupport
import Testing

#if !canImport(CoreData)
import SwormSQLite
#endif

/// Saves of trees that the store already has. A long run: SWORM_TREES=10000 swift test --filter TreeUnchangedTests.
@Suite("Unchanged trees", .overEachStore) struct TreeUnchangedTests {
    typealias BookPage = ReadingRoom.BookPage
    typealias Review = ReadingRoom.Review

    /// Returns books with authors and tags that they share, and ordered reviews.
    private func pages(_ count: Int, _ random: inout SeededRandom) -> [BookPage] {
        (0..<count).map { number in
            let author = random.pick(count / 3 + 1)
            let days = (0..<6).shuffled(using: &random).prefix(random.pick(5))
            return BookPage(
                isbn: "\(number)", title: random.pick(["é", "e\u{301}", "War and Peace, in two volumes", ""]) ?? "",
                rating: random.pick([nil, 1, 5]) ?? nil,
                author: random.chance(20) ? nil : .init(name: "author \(author)", born: author % 200),
                reviews: days.map { day in
                    Review(
                        day: Date(timeIntervalSinceReferenceDate: Double(day) * 86_400.123_456), mark: random.pick(6),
                        text: String(repeating: "long ", count: random.pick(8)))
                },
                tags: ["x", "y", "z", "w"].filter { _ in random.chance(40) })
        }
    }

    @Test func `are read and compared, and no row of them is written`() throws {
        let environment = ProcessInfo.processInfo.environment
        let count = environment["SWORM_TREES"].flatMap { Int($0) } ?? 1200
        let seed = environment["SWORM_RANDOM_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 0..<1_000_000)
        print("Unchanged trees: \(count), SWORM_RANDOM_SEED=\(seed)")
        var random = SeededRandom(seed: seed)
        let pages = pages(count, &random)
        let json = try JSONDecoder().decode([BookPage].self, from: JSONEncoder().encode(pages))
        let test = try ReadingRoom.store()
        try test.container.perform { try $0.save(contentsOf: pages) }
        let before = try state(of: test)
        for trees in [pages, json] {
            let result = try test.container.perform { try $0.save(contentsOf: trees) }
            #expect(result.isEmpty && result.unchanged > count, "seed \(seed): \(result)")
            let written = try test.container.write { try $0.save(contentsOf: trees) }
            #expect(written == result, "seed \(seed)")
            for page in trees.prefix(50) { try test.container.perform { _ = try $0.save(page) } }
        }
        #expect(try state(of: test) == before, "seed \(seed)")
        // Tags have no order.
        let read = try test.container.read { try $0.decode(BookPage.all) }.sorted { $0.isbn < $1.isbn }
        #expect(read.map(sorted) == pages.sorted { $0.isbn < $1.isbn }.map(sorted), "seed \(seed)")
        try test.verifyIfFile()
    }

    private func sorted(_ page: BookPage) -> BookPage {
        var page = page
        page.tags.sort()
        return page
    }

    #if canImport(CoreData)
    /// Core Data has no versions that a program can read.
    private func state(of test: TestStore) throws -> [Int] { [] }
    #else
    /// The number of rows of a file that a connection of its own has seen being written, and the sum of their versions.
    private func state(of test: TestStore) throws -> [Int64] {
        guard let url = test.url else { return [] }
        let program = try ForeignProgram(url)
        return try ["AUTHOR", "BOOK", "REVIEW", "TAG"].flatMap { name in
            try ["COUNT(*)", "SUM(Z_OPT)", "MAX(Z_PK)"].map { try program.integer("SELECT \($0) FROM Z\(name)") }
        }
    }

    @Test(.over(.file)) func `need no write lock`() throws {
        var random = SeededRandom(seed: 1)
        let pages = pages(300, &random)
        let test = try ReadingRoom.store()
        try test.container.perform { try $0.save(contentsOf: pages) }
        let url = try #require(test.url)
        let container = try PersistentContainer(
            for: ReadingRoom.Author.self, ReadingRoom.Category.self, at: .file(url), timeout: 0.2)
        try ForeignProgram(url).connection.transaction(.immediate) {
            #expect(try container.perform { try $0.save(contentsOf: pages) }.isEmpty)
            for page in pages.prefix(10) { try container.perform { _ = try $0.save(page) } }
            #expect(try container.read { try $0.plan(saving: pages) }.result.isEmpty)
            // The lock is held: a save of something new does not get it.
            #expect(throws: StoreError.Code.timedOut) {
                try container.perform { try $0.save(contentsOf: pages + [BookPage(isbn: "new")]) }
            }
        }
    }
    #endif
}
