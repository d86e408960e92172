import Hummingbird
import Sworm

/// The orders that clients can choose.
enum BookOrder: String, CaseIterable {
    case title, titleDescending = "-title", year, yearDescending = "-year"

    init(parsing text: Substring) throws {
        guard let order = BookOrder(rawValue: String(text)) else {
            let names = Self.allCases.map(\.rawValue).joined(separator: ", ")
            throw HTTPError(.badRequest, message: "The sort must be one of: \(names).")
        }
        self = order
    }

    /// Sorts by the ISBN at last, so that no book is on two pages, or on none, because its title or year is not unique.
    func sorted(_ request: Sworm.Request<BookPage>) -> Sworm.Request<BookPage> {
        switch self {
        case .title: request.sort(\.title).sort(\.isbn)
        case .titleDescending: request.sort(\.title, ascending: false).sort(\.isbn)
        case .year: request.sort(\.year).sort(\.isbn)
        case .yearDescending: request.sort(\.year, ascending: false).sort(\.isbn)
        }
    }
}
