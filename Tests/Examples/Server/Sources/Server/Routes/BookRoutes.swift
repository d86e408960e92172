import Foundation
import Hummingbird
import Sworm

/// The endpoint of the books in a store.
struct BookRoutes: Sendable {
    let store: PersistentContainer

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
