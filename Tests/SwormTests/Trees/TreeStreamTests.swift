import Foundation
import Sworm
import SwormTools
import TestSupport
import Testing

@Suite("Saving streams of trees", .overEachStore) struct TreeStreamTests {
    typealias BookPage = ReadingRoom.BookPage
    typealias Review = ReadingRoom.Review

    /// Trees that are made on demand, up to an error.
    private struct Source: AsyncSequence, AsyncIteratorProtocol {
        struct Ended: Error {}

        var count: Int
        var fails = false
        private(set) var next = 0

        init(count: Int, fails: Bool = false) { (self.count, self.fails) = (count, fails) }

        func makeAsyncIterator() -> Source { self }

        mutating func next() async throws -> BookPage? {
            guard next < count else {
                if fails { throw Ended() }
                return nil
            }
            defer { next += 1 }
            return TreeStreamTests.page(next)
        }
    }

    private static func page(_ number: Int) -> BookPage {
        BookPage(
            isbn: String(format: "%06d", number), title: "Book \(number)",
            author: ReadingRoom.Author(name: "Author \(number % 7)", born: 1800 + number % 7),
            reviews: (0..<(number % 3)).map { Review(day: Date(timeIntervalSinceReferenceDate: Double($0)), mark: $0) },
            tags: ["tag \(number % 5)"])
    }

    private static func read(_ test: TestStore) throws -> [BookPage] {
        try test.container.read { try $0.decode(BookPage.all.sort(\.isbn)) }
    }

    @Test(arguments: [1, 7, 100, 250, 1000]) func `every tree is saved once, whatever the batch`(size: Int) async throws
    {
        let test = try ReadingRoom.store()
        let source = Source(count: 250)
        let first = try await test.container.save(contentsOf: source, batchSize: size)
        #expect(first.inserted == 250 + 7 + 5 + (0..<250).reduce(0) { $0 + $1 % 3 })
        #expect(try Self.read(test) == (0..<250).map(Self.page))
        let second = try await test.container.save(contentsOf: source, batchSize: size)
        #expect(second.isEmpty)
        #expect(second.unchanged >= 250)
    }

    @Test func `an empty sequence saves nothing, and a batch needs a size`() async throws {
        let test = try ReadingRoom.store()
        #expect(try await test.container.save(contentsOf: Source(count: 0)) == TreeSaveResult())
        let error = await #expect(throws: StoreError.self) {
            try await test.container.save(contentsOf: Source(count: 3), batchSize: 0)
        }
        #expect(error?.code == .invalidRequest && error?.savedTrees == nil)
        #expect(try Self.read(test) == [])
    }

    @Test func `the error of a tree names its position in the sequence, and the batches before are kept`() async throws
    {
        let test = try ReadingRoom.store()
        let pages = AsyncStream<BookPage> { continuation in
            for number in 0..<25 {
                var page = Self.page(number)
                if number == 23 { page.reviews = [Review(mark: 9)] }
                continuation.yield(page)
            }
            continuation.finish()
        }
        let error = await #expect(throws: StoreError.self) {
            try await test.container.save(contentsOf: pages, batchSize: 10)
        }
        #expect(error?.code == .validation)
        #expect(error?.path == "[23].reviews[0].mark")
        #expect(error?.savedTrees == 20)
        #expect(error?.message.hasSuffix("The first 20 trees are saved; continue with the next one.") == true)
        #expect(try Self.read(test) == (0..<20).map(Self.page))
    }

    @Test func `the error of a sequence is the cause, and only whole batches are saved`() async throws {
        let test = try ReadingRoom.store()
        let error = await #expect(throws: StoreError.self) {
            try await test.container.save(contentsOf: Source(count: 25, fails: true), batchSize: 10)
        }
        #expect(error?.code == .interrupted)
        #expect(error?.cause is Source.Ended)
        #expect(error?.savedTrees == 20)
        let none = await #expect(throws: StoreError.self) {
            try await test.container.save(contentsOf: Source(count: 5, fails: true), batchSize: 10)
        }
        #expect(none?.savedTrees == 0)
        #expect(none?.message.hasSuffix("None of the trees is saved.") == true)
        #expect(try Self.read(test) == (0..<20).map(Self.page))
    }

    @Test func `a cancelled task keeps the batches that are saved`() async throws {
        let test = try ReadingRoom.store()
        let (pages, continuation) = AsyncStream<BookPage>.makeStream()
        let (arrivals, arrival) = AsyncStream<Void>.makeStream()
        let container = test.container
        let task = Task {
            try await container.save(
                contentsOf: pages.map { page in
                    if page.isbn == "000014" { arrival.yield() }
                    return page
                }, batchSize: 10)
        }
        for number in 0..<15 { continuation.yield(Self.page(number)) }
        // The sequence now waits for more, with half a batch in memory.
        for await _ in arrivals { break }
        task.cancel()
        let error = await #expect(throws: StoreError.self) { try await task.value }
        #expect(error?.code == .interrupted)
        #expect(error?.cause is CancellationError)
        #expect(error?.savedTrees == 10)
        #expect(try Self.read(test) == (0..<10).map(Self.page))
    }

    @Test func `no lock is held while the sequence waits`() async throws {
        let test = try ReadingRoom.store()
        let container = test.container
        let pages = Source(count: 30).map { page in
            // A write in the sequence itself would wait for ever if the save held the lock.
            try await container.write(deadline: .now + .seconds(30)) { context in
                _ = try context.upsert([ReadingRoom.Country(code: page.isbn)])
            }
            return page
        }
        try await container.save(contentsOf: pages, batchSize: 10)
        #expect(try await container.read { try $0.count(of: ReadingRoom.Country.all) } == 30)
        #expect(try Self.read(test).count == 30)
    }

    @MainActor @Test func `a sequence is iterated on the actor of the caller`() async throws {
        let test = try ReadingRoom.store()
        // Not sendable: it may only be used on the main actor.
        final class Counter { var value = 0 }
        let counter = Counter()
        let pages = Source(count: 12).map { @MainActor page in
            counter.value += 1
            return page
        }
        try await test.container.save(contentsOf: pages, on: \.isbn, batchSize: 5)
        #expect(counter.value == 12)
        #expect(try Self.read(test).count == 12)
    }
}
