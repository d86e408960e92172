#if PostgreSQL
import Foundation
import SwormPredicates

extension ServerValue {
    /// Returns the value of an attribute of the given type, or nil if the value is of another type.
    func value(as type: AttributeType) -> AttributeValue? {
        switch (type, self) {
        case (_, .null): .null
        case (.date, .real(let seconds)): .date(Date(timeIntervalSinceReferenceDate: seconds))
        case (.uri, .text(let text)): URL(string: text, encodingInvalidCharacters: false).map { .url($0) }
        case (_, .integer(let number)): .int(number)
        case (_, .real(let number)): .double(number)
        case (_, .boolean(let flag)): .bool(flag)
        case (_, .text(let text)): .string(text)
        case (_, .bytes(let data)): .data(data)
        case (_, .uuid(let uuid)): .uuid(uuid)
        case (_, .date(let date)): .date(date)
        case (_, .decimal(let number)): .decimal(number)
        }
    }
}
#endif
