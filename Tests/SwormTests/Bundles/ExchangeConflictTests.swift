import Foundation
@testable import Sworm
import TestSupport
import Testing

/// Compares the conflicts that stores report, and the values that they keep, with a plain model of what each of them
/// knows. A long run: SWORM_BUNDLE_MODELS=1000 swift test --filter ExchangeConflictTests.
@Suite("Conflicts between stores that exchange bundles, at random")
struct ExchangeConflictTests {
    @Test func `are those of a model, in every store`() throws {
        let environment = ProcessInfo.processInfo.environment
        let count = environment["SWORM_BUNDLE_MODELS"].flatMap { Int($0) } ?? 3
        let first = environment["SWORM_RANDOM_SEED"].flatMap { UInt64($0) } ?? 1
        print("Modelled exchanges: \(count), SWORM_RANDOM_SEED=\(first)")
        var (conflicts, gaps, repeats) = (0, 0, 0)
        for seed in first..<first + UInt64(count) {
            var run = try ModelledExchange(seed: seed)
            if let difference = try run.run(steps: 120) {
                Issue.record("SWORM_RANDOM_SEED=\(seed): \(difference)")
                return
            }
            conflicts += run.conflicts
            gaps += run.gaps
            repeats += run.repeats
        }
        print("\(conflicts) conflicts, \(gaps) gaps, \(repeats) repeats")
        #expect(conflicts > count && gaps > 0 && repeats > 0)
    }
}

/// Three stores that change the same properties, and for each of them a model: the writes that it keeps, and the numbers
/// that it knows.
private struct ModelledExchange {
    typealias Author = Exchange.Author
    typealias Book = Exchange.Book
    typealias Tag = Exchange.Tag

    /// A property of a book, or a member of its tags.
    struct Property: Hashable {
        var book: Int
        var name: String
        var tag: Int?
    }

    struct Write {
        var store: Int
        var number: Int64
        var time: Int64
        var value: Int
        /// The numbers of the other stores' transactions that the writer knew.
        var known: [Int64]

        func knows(_ other: Write) -> Bool {
            (other.store == store ? number : known[other.store]) >= other.number
        }
    }

    struct Letter {
        var sender: Int
        var bundle: ChangeBundle
        var writes: [Property: Write]
    }

    struct Report: Hashable {
        var property: Property
        var sender: Int
        var number: Int64
        var isRemoteKept: Bool
    }

    private let stores: [PersistentContainer]
    private let origins: [String]
    private var random: SeededRandom
    private var kept: [[Property: Write]] = [[:], [:], [:]]
    /// The writes of each store that it still sends: those that it keeps, or has lost in a conflict.
    private var sent: [[Property: Write]] = [[:], [:], [:]]
    private var known: [[Int64]] = Array(repeating: [0, 0, 0], count: 3)
    private var letters: [[Letter]] = [[], [], []]
    private var ticks: Int64 = 0
    private(set) var conflicts = 0
    private(set) var gaps = 0
    private(set) var repeats = 0

    init(seed: UInt64) throws {
        random = SeededRandom(seed: seed)
        stores = try (0..<3).map { _ in try Exchange.store() }
        try stores[0].perform { context in
            for number in 0..<3 {
                _ = try context.insert(Book(number: number, title: "0", rating: 0))
                _ = try context.insert(Author(name: "\(number + 1)"))
                _ = try context.insert(Tag(word: "\(number)"))
            }
        }
        let bundle = try #require(try stores[0].changeBundle())
        for store in 1..<3 { try stores[store].apply(bundle) }
        origins = try stores.map { try $0.bundlePosition().origin }
        for store in 0..<3 { known[store][0] = 1 }
        let first = Write(store: 0, number: 1, time: 0, value: 0, known: [1, 0, 0])
        for book in 0..<3 {
            for store in 0..<3 {
                for name in ["title", "rating", "author"] { kept[store][Property(book: book, name: name)] = first }
            }
        }
    }

    mutating func run(steps: Int) throws -> String? {
        for step in 0..<steps {
            let store = random.pick(3)
            let difference: String?
            switch random.pick(10) {
            case 0...3: difference = try edit(store)
            case 4...5: difference = try send(store)
            case 6 where random.chance(20):
                ticks += 1
                let time = Date(timeIntervalSinceNow: Double(random.pick(3_000)))
                try stores[store].apply(Exchange.tick(ticks, time: time))
                difference = nil
            default: difference = try deliver(to: store)
            }
            if let difference { return "step \(step): \(difference)" }
        }
        return nil
    }

    // MARK: Steps

    private mutating func edit(_ store: Int) throws -> String? {
        let (book, value, tag) = (random.pick(3), random.pick(4), random.pick(3))
        var writes: [Property: Int] = [:]
        for _ in 0...random.pick(2) {
            switch random.pick(4) {
            case 0: writes[Property(book: book, name: "title")] = value
            case 1: writes[Property(book: book, name: "rating")] = value
            case 2: writes[Property(book: book, name: "author")] = value
            default:
                let property = Property(book: book, name: "tags", tag: tag)
                writes[property] = 1 - (kept[store][property]?.value ?? 0)
            }
        }
        // A change to the present value is none.
        writes = writes.filter { kept[store][$0.key]?.value != $0.value }
        if writes.isEmpty { return nil }
        let changes = writes
        try stores[store].perform { context in
            let book = try #require(try context.fetchOne(Book.all.where { $0.number == book }))
            for (property, value) in changes {
                switch property.name {
                case "title": try book.encode(\.title, "\(value)")
                case "rating": try book.encode(\.rating, value)
                case "author":
                    let name = "\(value)"
                    book.author = try context.fetchOne(Author.all.where { $0.name == name })
                default:
                    let word = "\(property.tag ?? 0)"
                    let tag = try #require(try context.fetchOne(Tag.all.where { $0.word == word }))
                    if value == 1 { try book.tags.add(tag) } else { try book.tags.remove(tag) }
                }
            }
        }
        // Only the number and the time are taken from the bundle.
        let before = known[store][store]
        let transaction = try stores[store].changeBundle(after: before)?.transactions.last
        guard let transaction, transaction.number == before + 1 else { return "a transaction has no number" }
        known[store][store] = transaction.number
        for (property, value) in writes {
            let write = Write(
                store: store, number: transaction.number, time: transaction.time, value: value, known: known[store])
            kept[store][property] = write
            sent[store][property] = write
        }
        return nil
    }

    private mutating func send(_ store: Int) throws -> String? {
        let last = known[store][store]
        let after = random.chance(40) ? Int64.random(in: 0...last, using: &random) : max(0, last - 3)
        guard let bundle = try stores[store].changeBundle(after: after) else { return nil }
        let writes = sent[store].filter { $0.value.number > after }
        for receiver in 0..<3 where receiver != store && !random.chance(20) {
            letters[receiver].append(Letter(sender: store, bundle: bundle, writes: writes))
        }
        return nil
    }

    private mutating func deliver(to store: Int) throws -> String? {
        if letters[store].isEmpty { return nil }
        let index = random.pick(letters[store].count)
        let letter = letters[store][index]
        if !random.chance(20) { letters[store].remove(at: index) }
        let applied = known[store][letter.sender]
        if letter.bundle.after > applied {
            gaps += 1
            #expect(throws: StoreError.Code.bundleMissing) { try stores[store].apply(letter.bundle) }
            return nil
        }
        let outcome = try stores[store].apply(letter.bundle)
        var expected: Set<Report> = []
        if letter.bundle.number <= applied { repeats += 1 }
        for (property, write) in letter.writes where write.number > applied {
            let local = kept[store][property]
            let isLater = local.map { (write.time, origins[write.store]) > ($0.time, origins[$0.store]) } ?? true
            let isConflict = local.map { !write.knows($0) && !$0.knows(write) } ?? false
            if isConflict, local?.value != write.value {
                expected.insert(
                    Report(
                        property: property, sender: write.store, number: write.number, isRemoteKept: isLater))
            }
            guard isLater else { continue }
            kept[store][property] = write
            if local?.store == store, !isConflict { sent[store][property] = nil }
        }
        known[store][letter.sender] = max(applied, letter.bundle.number)
        return try compare(outcome, with: expected, in: store)
    }

    // MARK: Comparison

    private mutating func compare(
        _ outcome: AppliedBundle, with expected: Set<Report>, in store: Int
    ) throws -> String? {
        var reports: Set<Report> = []
        for conflict in outcome.conflicts where conflict.entity == "Book" {
            guard case .int(let book) = conflict.key.values.first, let name = conflict.property,
                let sender = origins.firstIndex(of: conflict.origin)
            else { return "an unexpected conflict: \(conflict)" }
            var property = Property(book: Int(book), name: name)
            if case .member(let key, _) = conflict.remote, case .string(let word) = key.values.first {
                property.tag = Int(word)
            }
            let report = Report(
                property: property, sender: sender, number: conflict.number, isRemoteKept: conflict.kept == .remote)
            if !reports.insert(report).inserted { return "reported twice: \(conflict)" }
        }
        conflicts += reports.count
        if reports != expected {
            return
                "store \(store): missing \(expected.subtracting(reports)), unexpected \(reports.subtracting(expected))"
        }
        let values = kept[store]
        return try stores[store].read { context in
            for book in try context.fetch(Book.all) {
                let plain = try book.decode()
                func value(_ name: String, _ tag: Int? = nil) -> Int {
                    values[Property(book: plain.number, name: name, tag: tag)]?.value ?? 0
                }
                let tags = try book.tags.map { try $0.decode().word }.sorted()
                let author = try book.author?.decode().name ?? "0"
                let isEqual =
                    plain.title == "\(value("title"))" && plain.rating == value("rating")
                    && author == "\(value("author"))"
                    && tags == (0..<3).filter { value("tags", $0) == 1 }.map { "\($0)" }
                if !isEqual { return "store \(store) has other values in book \(plain.number)" }
            }
            return nil
        }
    }
}
