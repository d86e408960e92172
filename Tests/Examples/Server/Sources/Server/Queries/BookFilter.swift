import Foundation
import Sworm

extension Condition<Book> {
    /// Everything that a filter of a client may ask for.
    private static let allowed = ConditionAllowList()
        .allowing(Book.self, \.isbn, \.title, \.year, \.rating)
        .allowing(Book.self, relations: \.author).allowing(Book.self, relations: \.tags)
        .allowing(Author.self, \.name).allowing(Tag.self, \.name)

    /// Decodes the filter of a client, and checks it before it can run.
    static func filter(_ json: String) throws -> Condition<Book> {
        let condition = try JSONDecoder().decode(Condition<Book>.self, from: Data(json.utf8))
        try condition.check(against: allowed)
        return condition
    }
}
