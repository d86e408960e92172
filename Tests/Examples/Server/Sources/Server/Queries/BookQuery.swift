import Foundation
import Hummingbird
import Sworm

/// The books that a client asks for: `?filter=…&sort=-year&limit=20&offset=40`.
struct BookQuery {
    static let maximumLimit = 100

    var filter: Condition<Book>?
    var order = BookOrder.title
    var limit = 20
    var offset = 0

    init(_ parameters: Parameters) throws {
        if let text = parameters["filter"] { filter = try .filter(String(text)) }
        if let text = parameters["sort"] { order = try BookOrder(parsing: text) }
        if let text = parameters["limit"] {
            limit = min(try Self.number(text, in: 1..., named: "limit"), Self.maximumLimit)
        }
        if let text = parameters["offset"] { offset = try Self.number(text, in: 0..., named: "offset") }
    }

    private static func number(_ text: Substring, in range: PartialRangeFrom<Int>, named name: String) throws -> Int {
        guard let number = Int(text), range.contains(number) else {
            throw HTTPError(.badRequest, message: "The \(name) must be a whole number from \(range.lowerBound) on.")
        }
        return number
    }
}

/// A part of the books that a query finds.
struct BookList: Codable, Equatable, ResponseEncodable {
    var books: [BookPage]
    /// The number of all books that the query finds.
    var total: Int
    var limit: Int
    var offset: Int
}

extension BookQuery {
    /// Reads the list in the snapshot of a call, so that the total belongs to the books.
    func list(in context: ManagedObjectContext) throws -> BookList {
        let found = filter.map { BookPage.all.where($0) } ?? BookPage.all
        return BookList(
            books: try context.decode(order.sorted(found).limit(limit).offset(offset)),
            total: try context.count(of: found), limit: limit, offset: offset)
    }
}
