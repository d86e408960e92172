import Foundation
import Sworm

/// The body of a PATCH: absent keys change nothing, and null removes the rating or the author.
struct BookPatch {
    /// The ISBN of the path, or nil.
    var isbn: String?
    var title: String?
    var year: Int?
    var rating: Int??
    var author: Author??
    var reviews: [Review]?
    var tags: [String]?
    /// The revision that the client has read.
    var revision = 0
}

extension BookPatch: ManagedTreeConvertible {
    typealias Entity = Book
    static let attributes: Set<Attribute<BookPatch>> = [
        .init(\.title, \.title, .ifPresent), .init(\.year, \.year, .ifPresent), .init(\.rating, \.rating),
        .init(\.revision, \.revision),
    ]
    static let branches: [Branch<BookPatch>] = [
        .init(\.author, \.author, .linkedOrInserted), .init(\.reviews, \.reviews, .matched(by: \.day)),
        .init(\.tags, \.tags, \.name), .version(\.revision),
    ]
}

extension BookPatch: Decodable {
    private enum CodingKeys: CodingKey { case isbn, title, year, rating, author, reviews, tags, revision }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        isbn = try container.decodeUnlessAbsent(String.self, forKey: .isbn)
        title = try container.decodeUnlessAbsent(String.self, forKey: .title)
        year = try container.decodeUnlessAbsent(Int.self, forKey: .year)
        rating = try container.decodeGiven(Int.self, forKey: .rating)
        author = try container.decodeGiven(Author.self, forKey: .author)
        reviews = try container.decodeUnlessAbsent([Review].self, forKey: .reviews)
        tags = try container.decodeUnlessAbsent([String].self, forKey: .tags)
        revision = try container.decode(Int.self, forKey: .revision)
    }
}

extension KeyedDecodingContainer {
    /// Decodes a value that may be absent, but not null.
    fileprivate func decodeUnlessAbsent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
        contains(key) ? try decode(type, forKey: key) : nil
    }
}
