import Foundation
import Sworm
import SwormTools
import TestSupport
import Testing

/// A long run: SWORM_TREE_PAIRS=1000 swift test --filter TreeRandomTests. The seed of a run that failed replays it:
/// SWORM_RANDOM_SEED=…
@Suite("Trees, at random", .overEachStore) struct TreeRandomTests {
    typealias Author = ReadingRoom.Author
    typealias Book = ReadingRoom.Book
    typealias Review = ReadingRoom.Review
    typealias BookPage = ReadingRoom.BookPage
    typealias AuthorPage = ReadingRoom.AuthorPage

    /// Returns authors with books, of which no two have the same key, and in the order in which they are read.
    private func pages(_ random: inout SeededRandom) -> [AuthorPage] {
        var numbers = Array(0..<12).shuffled(using: &random)
        return (0..<6).filter { _ in Bool.random(using: &random) }.map { number in
            let author = Author(name: "a\(number)", born: Int.random(in: 0..<3, using: &random))
            let books = (0..<Int.random(in: 0..<4, using: &random)).compactMap { _ in
                numbers.popLast().map { book($0, author, &random) }
            }
            return AuthorPage(
                name: author.name, born: author.born, country: ["UA", "PL", nil].randomElement(using: &random) ?? nil,
                books: books.sorted { $0.isbn < $1.isbn })
        }
    }

    private func book(_ number: Int, _ author: Author, _ random: inout SeededRandom) -> BookPage {
        let days = (0..<4).shuffled(using: &random).prefix(Int.random(in: 0..<4, using: &random))
        return BookPage(
            isbn: "\(number)", title: ["é", "e\u{301}", "War", ""].randomElement(using: &random) ?? "",
            rating: [nil, 1, 5].randomElement(using: &random) ?? nil, author: author,
            reviews: days.map { day in
                Review(
                    day: Date(timeIntervalSinceReferenceDate: Double(day) * 86_400.5),
                    mark: Int.random(in: 0...5, using: &random), text: "t\(Int.random(in: 0..<3, using: &random))")
            },
            tags: ["x", "y", "z"].filter { _ in Bool.random(using: &random) })
    }

    /// Returns the pages with sorted tags, because their relation has no order.
    private func plain(_ pages: [AuthorPage]) -> [AuthorPage] {
        pages.map { page in
            var page = page
            for index in page.books.indices { page.books[index].tags.sort() }
            return page
        }
    }

    @Test func `saving one list over another results in the second one, and a second save writes nothing`() throws {
        let environment = ProcessInfo.processInfo.environment
        let count = environment["SWORM_TREE_PAIRS"].flatMap { Int($0) } ?? 60
        let seed = environment["SWORM_RANDOM_SEED"].flatMap { UInt64($0) } ?? 1
        print("Trees saved over others: \(count), SWORM_RANDOM_SEED=\(seed)")
        var random = SeededRandom(seed: seed)
        let test = try ReadingRoom.store()
        for turn in 0..<count {
            let wanted = pages(&random)
            let (preview, result, unsaved) = try test.container.perform { context in
                let preview = try context.plan(saving: wanted, replacing: Author.all)
                let result = try context.save(contentsOf: wanted, replacing: Author.all)
                return (preview, result, try context.decode(AuthorPage.all.sort(\.name)))
            }
            let saved = try test.container.perform { try $0.decode(AuthorPage.all.sort(\.name)) }
            let json = try JSONDecoder().decode([AuthorPage].self, from: JSONEncoder().encode(saved))
            let again = try test.container.perform { try $0.save(contentsOf: json, replacing: Author.all) }
            let counts = try test.container.perform { try ($0.count(of: Book.all), $0.count(of: Review.all)) }
            let problem =
                plain(saved) != plain(wanted)
                ? "read \(saved) instead of \(wanted)"
                : plain(unsaved) != plain(wanted)
                    ? "read \(unsaved) before the save instead of \(wanted)"
                    : preview.result != result
                        ? "\(preview.result) was announced, and \(result) came"
                        : !again.isEmpty
                            ? "the second save wrote \(again)"
                            : counts != (
                                wanted.flatMap(\.books).count, wanted.flatMap { $0.books.flatMap(\.reviews) }.count
                            )
                                ? "\(counts) books and reviews are left" : nil
            if let problem {
                Issue.record("SWORM_RANDOM_SEED=\(seed), turn \(turn): \(problem)")
                return
            }
        }
        try test.verifyIfFile()
    }

    /// Returns pages that are a variation of other ones: most of them are the same.
    private func varied(_ pages: [AuthorPage], _ random: inout SeededRandom) -> [AuthorPage] {
        var pages = pages
        let others = self.pages(&random)
        let taken = Set(pages.flatMap { $0.books.map(\.isbn) })
        for _ in 0..<Int.random(in: 0..<3, using: &random) {
            guard let index = pages.indices.randomElement(using: &random) else { break }
            switch Int.random(in: 0..<10, using: &random) {
            case 0: pages[index].born += 1
            case 1: pages[index].country = ["UA", "PL", nil].randomElement(using: &random) ?? nil
            case 2: if !pages[index].books.isEmpty { pages[index].books.removeLast() }
            case 3:
                let new = others.flatMap(\.books).first { !taken.contains($0.isbn) }
                if let new { pages[index].books = (pages[index].books + [new]).sorted { $0.isbn < $1.isbn } }
            case 4: pages.remove(at: index)
            case 5: pages += others.filter { other in !pages.contains { $0.name == other.name } }.prefix(1)
            default:
                guard let book = pages[index].books.indices.randomElement(using: &random) else { break }
                switch Int.random(in: 0..<6, using: &random) {
                case 0: pages[index].books[book].title += "!"
                case 1: pages[index].books[book].tags = ["x", "y", "w"].filter { _ in Bool.random(using: &random) }
                case 2: if !pages[index].books[book].reviews.isEmpty { pages[index].books[book].reviews.removeFirst() }
                case 3: pages[index].books[book].reviews.shuffle(using: &random)
                case 4:
                    let days = pages[index].books[book].reviews.map(\.day.timeIntervalSinceReferenceDate)
                    let day = Date(timeIntervalSinceReferenceDate: (days.max() ?? 0) + 86_400.5)
                    pages[index].books[book].reviews.append(Review(day: day, mark: 1, text: "new"))
                default:
                    for review in pages[index].books[book].reviews.indices {
                        pages[index].books[book].reviews[review].mark = Int.random(in: 0...6, using: &random)
                    }
                }
            }
        }
        return pages
    }

    @Test func `a save past objects has the result of one through objects`() throws {
        let environment = ProcessInfo.processInfo.environment
        let count = environment["SWORM_TREE_PAIRS"].flatMap { Int($0) } ?? 100
        let seed = environment["SWORM_RANDOM_SEED"].flatMap { UInt64($0) } ?? 1
        print("Trees saved in two ways: \(count), SWORM_RANDOM_SEED=\(seed)")
        var random = SeededRandom(seed: seed)
        let stores = try [ReadingRoom.store(), ReadingRoom.store()]
        var last: [AuthorPage] = []
        for turn in 0..<count {
            let wanted = turn % 10 == 0 ? pages(&random) : varied(last, &random)
            // Unsaved changes require a save through objects.
            let outcomes = stores.enumerated().map { index, test in
                do {
                    let result = try test.container.perform { context in
                        if index == 1 { try context.insert(ReadingRoom.Category(name: "\(turn)")) }
                        return try context.save(contentsOf: wanted)
                    }
                    return "\(result)"
                } catch {
                    let failure = error as? StoreError
                    return failure.map { "\($0.code) at \($0.path ?? "")" } ?? "\(error)"
                }
            }
            let contents = try stores.map { test in
                try test.container.perform { context in
                    let books = try context.decode(BookPage.all.sort(\.isbn)).map { "\($0)" }
                    return try context.decode(AuthorPage.all.sort(\.name)).map { "\($0)" } + books
                }
            }
            // Tags have no order, so their characters are compared.
            let areSame =
                outcomes[0] == outcomes[1] && contents[0].map { $0.sorted() } == contents[1].map { $0.sorted() }
            guard areSame else {
                Issue.record(
                    "SWORM_RANDOM_SEED=\(seed), turn \(turn): \(outcomes[0]) and \(outcomes[1]); \(contents[0]) and \(contents[1]) after \(wanted)"
                )
                return
            }
            if !outcomes[0].contains("TreeSaveResult") { continue }
            last = wanted
        }
        for test in stores { try test.verifyIfFile() }
    }
}
