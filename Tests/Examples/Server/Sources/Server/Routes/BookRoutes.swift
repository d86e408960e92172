import Foundation
import Hummingbird
import Sworm

/// The endpoint of the books in a store.
struct BookRoutes: Sendable {
    let store: PersistentContainer
    /// Returns the revision of a new book. It is random, so that a client that has read a book with the same ISBN, which was
    /// deleted since, does not take the new one for it. JSON in browsers has exact integers up to 2^53.
    var firstRevision: @Sendable () -> Int = randomRevision

    @Sendable static func randomRevision() -> Int { .random(in: 1...(1 << 52)) }

    func add(to group: RouterGroup<BookContext>) {
        group.get(use: list).get("live", use: live)
        group.get(":isbn", use: page).put(":isbn", use: put).patch(":isbn", use: patch).delete(":isbn", use: delete)
    }
}

extension BookContext {
    /// The ISBN of the path.
    var isbn: String {
        get throws {
            guard let isbn = try parameters.require("isbn").removingPercentEncoding else {
                throw HTTPError(.badRequest, message: "The path is not encoded correctly.")
            }
            return isbn
        }
    }

    func noBook(_ isbn: String) -> HTTPError { HTTPError(.notFound, message: "There is no book '\(isbn)'.") }
}
