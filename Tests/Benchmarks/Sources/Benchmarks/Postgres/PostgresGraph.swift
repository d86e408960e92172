#if PostgreSQL
import Foundation
import Sworm

/// An author with all books.
private struct AuthorPage: Sendable, ManagedTreeConvertible {
    typealias Entity = Author
    var author = Author()
    var books: [Book] = []

    static let attributes = Author.attributes(in: \AuthorPage.author)
    static let branches: [Branch<AuthorPage>] = [.init(\.books, \.books, .readOnly)]
}

extension PostgresBenches {
    /// A thousand authors with ten books each.
    static func graphBenches(_ place: PostgresPlace) -> [Bench] {
        func fingerprint(_ pages: [AuthorPage]) -> Int {
            var walk = ShelfWalk()
            for page in pages {
                walk.add(author: page.author.name)
                for book in page.books { walk.add(book: book.title, book.pages) }
            }
            return walk.fingerprint
        }
        func pages(_ store: PersistentContainer) throws -> [AuthorPage] {
            try store.perform { try $0.decode(AuthorPage.all) }
        }
        return [
            Bench(
                Bar("graph of 1,000 x 10 as trees", .ratio, must: 1.5, aim: 1.2),
                sides: [
                    Side(.byHand, fingerprint: \ByHandShelf.walk.fingerprint) {
                        try place.byHand.shelf(PostgresPlace.shelf)
                    },
                    Side(.own, fingerprint: fingerprint) { try pages(place.shelf()) },
                ]),
            Bench(
                Bar("graph of 1,000 x 10 as objects", .ratio, must: 1.5, aim: 1.2),
                sides: [
                    Side(.byHand, fingerprint: \ShelfWalk.fingerprint) {
                        try place.byHand.shelf(PostgresPlace.shelf).walk
                    },
                    Side(.own, fingerprint: \ShelfWalk.fingerprint) { try walk(through: place.shelf()) },
                ]),
            Bench(
                Bar("graph as trees, statements", .count, must: 2, aim: 2), weight: .max,
                sides: [Side(.own) { try statements(place) { _ = try pages($0) } }]),
            Bench(
                Bar("graph as objects, statements", .count, must: 2, aim: 2), weight: .max,
                sides: [Side(.own) { try statements(place) { _ = try walk(through: $0) } }]),
        ]
    }

    /// The number of statements that read authors or books, by the log of the server.
    private static func statements(
        _ place: PostgresPlace, _ work: (PersistentContainer) throws -> Void
    ) throws -> Double {
        // New sessions log their statements.
        try place.byHand.run("ALTER DATABASE postgres SET log_statement = 'all'")
        defer { try? place.byHand.run("ALTER DATABASE postgres RESET log_statement") }
        let store = try place.shelf(isNew: true)
        let log = try FileHandle(forReadingFrom: place.server.folder.appending(path: "log"))
        defer { try? log.close() }
        try log.seekToEnd()
        try work(store)
        let text = String(decoding: try log.readToEnd() ?? Data(), as: UTF8.self)
        let reading = text.split(separator: "\n").filter { line in
            ["SELECT", "WITH", "DECLARE"].contains { line.contains(": \($0) ") }
                && ["\"Author\"", "\"Book\""].contains { line.contains($0) }
        }
        guard text.contains("COMMIT") || text.contains("ROLLBACK") else {
            throw Failure("The server has logged no transaction: \(text)")
        }
        return Double(reading.count)
    }
}
#endif
