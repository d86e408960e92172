import Foundation
import Logging
import Sworm

extension PersistentContainer {
    /// Opens a store of books, and checks the trees of the requests against its model.
    static func books(at location: StoreLocation, logger: Logger) throws -> PersistentContainer {
        try PersistentContainer(
            for: Book.self, checking: BookPage.self, BookBody.self, BookPatch.self, at: location,
            logError: { error in
                // Errors that clients have caused are part of the normal operation.
                logger.log(level: Failure(error).isOfServer ? .error : .debug, "store: \(error)")
            },
            timeout: 10,
            // With a history, live lists learn the rows that another process has changed.
            history: location != .memory)
    }

    /// Inserts sample books.
    func insertSamples() throws {
        let leo = Author(name: "Leo Tolstoy", born: 1828)
        let mary = Author(name: "Mary Shelley", born: 1797)
        let reviews = [
            Review(day: Date(timeIntervalSince1970: 1_700_006_400), mark: 5, text: "Long, and worth it."),
            Review(day: Date(timeIntervalSince1970: 1_710_028_800), mark: 4, text: "Too much war."),
        ]
        let samples = [
            "9780199232765": BookBody(
                title: "War and Peace", year: 1869, rating: 5, author: leo, reviews: reviews, tags: ["peace", "war"]),
            "9780143035008": BookBody(title: "Anna Karenina", year: 1878, author: leo, tags: ["love"]),
            "9780141439471": BookBody(title: "Frankenstein", year: 1818, rating: 4, author: mary, tags: ["horror"]),
        ]
        try write { context in
            for (isbn, body) in samples {
                try context.insert(Book(isbn: isbn)).save(body)
            }
        }
    }
}
