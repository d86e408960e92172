import Foundation
import Hummingbird
import Sworm

/// A book as clients read it.
struct BookPage: Codable, Equatable, ResponseEncodable {
    var isbn = "", title = "", year = 0
    var rating: Int?
    var author: Author?
    var reviews: [Review] = []
    var tags: [String] = []
    var reviewCount = 0
    var revision = 0
}

extension BookPage: ManagedTreeConvertible {
    typealias Entity = Book
    static let attributes: Set<Attribute<BookPage>> = [
        .init(\.isbn, \.isbn), .init(\.title, \.title), .init(\.year, \.year), .init(\.rating, \.rating),
        .init(\.revision, \.revision),
    ]
    static let branches: [Branch<BookPage>] = [
        .init(\.author, \.author, .readOnly), .init(\.reviews, \.reviews, .readOnly),
        .init(\.tags, \.tags, \.name, .readOnly) { $0.sort(\.name) }, .init(\.reviewCount, \.reviews.count),
    ]
}

extension BookPage {
    /// The entity tag of the page. It changes with the page, because every write of this server counts the revision up.
    var eTag: String { "\"\(revision)\"" }
}
