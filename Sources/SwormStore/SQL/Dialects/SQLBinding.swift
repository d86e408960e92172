package import Foundation
import SwormPredicates

/// A value in the form in which it is bound to a statement.
///
/// SQLite's statements contain the first five forms only. Those of PostgreSQL have parameters of the server's own
/// types, so that each comparison has the type of its column and can use an index.
package enum SQLBinding: Sendable, Hashable {
    case null
    case int64(Int64)
    case double(Double)
    case text(String)
    case blob(Data)
    case bool(Bool)
    case uuid(UUID)
    /// A `timestamptz` as seconds since 2001, rounded to the microsecond and in the range of the server.
    case date(Double)
    /// A `numeric`.
    case decimal(Decimal)
    /// Arrays, which pass many values in one parameter.
    case integers([Int64])
    case doubles([Double])
    case texts([String])
    case uuids([UUID])
    case dates([Double])
    case decimals([Decimal])
    case blobs([Data])
}

extension SQLBinding {
    /// Creates the stored form of a value in a file, or nil for an object.
    init?(_ value: AttributeValue) {
        switch value {
        case .null: self = .null
        case .bool(let value): self = .int64(value ? 1 : 0)
        case .int(let value): self = .int64(value)
        case .double(let value): self = value.isNaN ? .null : .double(value)
        case .decimal(let value): self.init(value)
        case .string(let value): self = .text(value)
        case .date(let value):
            let seconds = value.timeIntervalSinceReferenceDate
            self = seconds.isNaN ? .null : .double(seconds)
        case .data(let value): self = .blob(value)
        case .uuid(let value): self = .blob(withUnsafeBytes(of: value.uuid) { Data($0) })
        case .url(let value): self = .text(value.absoluteString)
        case .object: return nil
        }
    }

    /// Creates the form in which numeric columns store a decimal: an integer if it is whole, otherwise the nearest
    /// double.
    private init(_ value: Decimal) {
        guard !value.isNaN else {
            self = .null
            return
        }
        self = value.wholeNumber.map { .int64($0) } ?? .double(value.nearestDouble)
    }
}
