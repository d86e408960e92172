import Foundation
import Sworm

/// The body of a PUT: everything of a book that a client may write. Other keys of the JSON are ignored.
struct BookBody: Decodable {
    /// The ISBN of the path, or nil.
    var isbn: String?
    var title = "", year = 0
    var rating: Int?
    var author: Author?
    var reviews: [Review] = []
    var tags: [String] = []
    /// The revision that the client has read; 0 for a new book.
    var revision = 0
}

extension BookBody: ManagedTreeConvertible {
    typealias Entity = Book
    // Without the ISBN: the book of the path is saved, whatever the body says.
    static let attributes: Set<Attribute<BookBody>> = [
        .init(\.title, \.title), .init(\.year, \.year), .init(\.rating, \.rating), .init(\.revision, \.revision),
    ]
    static let branches: [Branch<BookBody>] = [
        // A known author is linked as it is, and an unknown one is inserted. The role `.shared` would let every client
        // change the authors of other people's books.
        .init(\.author, \.author, .linkedOrInserted), .init(\.reviews, \.reviews, .matched(by: \.day)),
        .init(\.tags, \.tags, \.name), .version(\.revision),
    ]
}
