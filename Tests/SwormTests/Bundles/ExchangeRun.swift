import Foundation
@testable import Sworm
import TestSupport
import Testing

/// Three stores that change the same objects and exchange bundles in any order, with repeats and losses.
final class ExchangeRun {
    typealias Author = Exchange.Author
    typealias Book = Exchange.Book
    typealias Chapter = Exchange.Chapter
    typealias Tag = Exchange.Tag

    private struct Letter {
        var sender: Int
        var bundle: Data
    }

    private struct Report: Hashable {
        var store: Int
        var key: ChangeBundle.Key
        var property: String?
        var member: ChangeBundle.Key?
        var origin: String
        var number: Int64
    }

    let stores: [PersistentContainer]
    private var random: SeededRandom
    /// The bundles on their way to each store.
    private var letters: [[Letter]] = [[], [], []]
    /// The numbers after which each store creates its next bundle.
    private var sent: [Int64] = [0, 0, 0]
    private var reports: Set<Report> = []
    private(set) var conflicts = 0
    private(set) var applied = 0
    private(set) var repeats = 0
    private(set) var gaps = 0
    private(set) var losses = 0
    private(set) var snapshots = 0
    private var ticks: Int64 = 0
    private var log: [String] = []

    init(seed: UInt64) throws {
        random = SeededRandom(seed: seed)
        stores = try (0..<3).map { _ in try Exchange.store() }
    }

    /// Runs one interleaving: random changes and deliveries, and then all deliveries that are missing.
    ///
    /// - Returns: A description of the difference, if the stores differ at the end.
    func interleave(steps: Int) throws -> String? {
        log = []
        for _ in 0..<steps {
            let store = random.pick(3)
            switch random.pick(40) {
            case 0...15: try edit(store)
            case 16...23: try send(store)
            case 24: try applySnapshot(to: store)
            case 25: try advanceClock(of: store)
            default: try deliver(to: store)
            }
        }
        return try finish()
    }

    // MARK: Exchange

    private func send(_ store: Int) throws {
        // Sometimes from an earlier number again.
        let number = random.chance(15) ? Int64.random(in: 0...sent[store], using: &random) : sent[store]
        guard let bundle = try stores[store].changeBundle(after: number) else { return }
        sent[store] = bundle.number
        let data = try JSONEncoder().encode(bundle)
        for receiver in 0..<3 where receiver != store {
            if random.chance(20) {
                losses += 1
            } else {
                letters[receiver].append(Letter(sender: store, bundle: data))
            }
        }
    }

    private func deliver(to store: Int) throws {
        if letters[store].isEmpty { return }
        let index = random.pick(letters[store].count)
        let letter = letters[store][index]
        if !random.chance(20) { letters[store].remove(at: index) }
        let bundle = try JSONDecoder().decode(ChangeBundle.self, from: letter.bundle)
        do {
            try apply(bundle, to: store)
        } catch StoreError.Code.bundleMissing {
            gaps += 1
            let known = try stores[store].bundlePosition().applied[bundle.origin] ?? 0
            #expect(known < bundle.after)
            // It is sent again, and may be lost again.
            if !random.chance(30), let again = try stores[letter.sender].changeBundle(after: known) {
                letters[store].append(Letter(sender: letter.sender, bundle: try JSONEncoder().encode(again)))
            }
        }
    }

    private func apply(_ bundle: ChangeBundle, to store: Int) throws {
        let outcome = try stores[store].apply(bundle)
        if outcome.isRepeated { repeats += 1 } else { applied += 1 }
        log.append(
            "apply \(bundle.origin.prefix(4)) \(bundle.after)-\(bundle.number) to \(store): \(outcome.isRepeated ? "repeated" : "")"
        )
        #expect(!outcome.isRepeated || outcome.conflicts.isEmpty)
        for conflict in outcome.conflicts {
            conflicts += 1
            var report = Report(
                store: store, key: conflict.key, property: conflict.property, origin: conflict.origin,
                number: conflict.number)
            if case .member(let member, _) = conflict.remote { report.member = member }
            #expect(reports.insert(report).inserted, "reported twice: \(conflict)")
            #expect(conflict.local != conflict.remote)
        }
    }

    private func applySnapshot(to store: Int) throws {
        snapshots += 1
        try apply(try stores[(store + 1 + random.pick(2)) % 3].changeSnapshot(), to: store)
    }

    /// Makes the next changes of a store later than those of the others, by a change of a fourth store with a later time.
    private func advanceClock(of store: Int) throws {
        ticks += 1
        let bundle = try Exchange.tick(ticks, time: Date(timeIntervalSinceNow: Double(random.pick(3_000))))
        log.append("\(store): its clock advances")
        _ = try stores[store].apply(bundle)
    }

    /// Exchanges everything, and compares the stores.
    func finish() throws -> String? {
        letters = [[], [], []]
        for _ in 0..<8 {
            var isDone = true
            for receiver in 0..<3 {
                for sender in 0..<3 where sender != receiver {
                    let origin = try stores[sender].bundlePosition().origin
                    let known = try stores[receiver].bundlePosition().applied[origin] ?? 0
                    guard let bundle = try stores[sender].changeBundle(after: known) else { continue }
                    isDone = false
                    try apply(
                        try JSONDecoder().decode(ChangeBundle.self, from: JSONEncoder().encode(bundle)), to: receiver)
                }
            }
            guard isDone else { continue }
            let contents = try stores.map { try Exchange.content(of: $0) }
            for index in 1..<3 where contents[index] != contents[0] {
                let difference = contents[index].difference(from: contents[0]).map { "\($0)" }
                return
                    "the stores 0 and \(index) differ:\n\(difference.joined(separator: "\n"))\nlog:\n\(log.joined(separator: "\n"))"
            }
            return nil
        }
        return "the stores do not come to an end\n\(log.joined(separator: "\n"))"
    }

    // MARK: Changes

    func edit(_ store: Int) throws {
        let count = 1 + random.pick(3)
        try stores[store].perform { context in
            for _ in 0..<count { try editOnce(context, store) }
        }
    }

    private func editOnce(_ context: ManagedObjectContext, _ store: Int) throws {
        let kind = random.pick(17)
        let (number, other) = (random.pick(5), random.pick(5))
        let book = try context.fetchOne(Book.all.where { $0.number == number })
        let author = try context.fetchOne(Author.all.where { $0.name == "author \(other)" })
        log.append("\(store): \(kind) \(number) \(other)")
        switch kind {
        case 0, 1:
            if book == nil { try context.insert(Book(number: number, title: text(), rating: random.pick(9))) }
        case 2: if author == nil { try context.insert(Author(name: "author \(other)", rank: random.pick(9))) }
        case 3:
            let word = "tag \(other)"
            if try context.fetchOne(Tag.all.where { $0.word == word }) == nil { try context.insert(Tag(word: word)) }
        case 4: try book?.encode(\.title, text())
        case 5:
            try book?.encode(\.rating, random.chance(30) ? nil : random.pick(9))
            try book?.encode(\.cover, random.chance(30) ? nil : Data(count: random.pick(50)))
        case 6: try author?.encode(\.rank, random.pick(99))
        case 7: book?.author = random.chance(20) ? nil : author
        case 8:
            if let author, author.books.count > 1 {
                try author.books.move(from: random.pick(author.books.count), to: random.pick(author.books.count))
            }
        case 9, 10:
            let word = "tag \(other)"
            guard let tag = try context.fetchOne(Tag.all.where { $0.word == word }), let book else { return }
            if book.tags.contains(tag) { try book.tags.remove(tag) } else { try book.tags.add(tag) }
        case 11:
            guard let book else { return }
            let code = "\(number).\(other)"
            if let chapter = try context.fetchOne(Chapter.all.where { $0.code == code }) {
                try chapter.encode(\.text, text())
                chapter.book = book
            } else {
                try book.chapters.insert(
                    context.insert(Chapter(code: code, text: text())), at: random.pick(book.chapters.count + 1))
            }
        case 12:
            guard let book, let next = try context.fetchOne(Book.all.where { $0.number == other }), number != other
            else { return }
            book.sequel = random.chance(30) ? nil : next
        case 13: if let book { try context.delete(book) }
        case 14:
            if random.chance(50), let author {
                try context.delete(author)
            } else if let tag = try context.fetchOne(
                Tag.all.where { $0.word == "tag \(number)" })
            {
                try context.delete(tag)
            }
        case 15:
            // Another key, or exchanged keys.
            guard let book, number != other else { return }
            if let second = try context.fetchOne(Book.all.where { $0.number == other }) {
                try second.encode(\.number, number)
            }
            try book.encode(\.number, other)
        default:
            _ = try context.update(Book.all.where { $0.number == number }, set: (\Book.title, text()))
        }
    }

    private func text() -> String { "text \(random.pick(1_000))" }
}
