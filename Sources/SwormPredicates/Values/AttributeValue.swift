public import Foundation

/// A value that an attribute can hold, from a closed set of types.
///
/// Integers of every width are held as `Int64`, `Float` is widened to `Double`, and a transformable attribute holds
/// the bytes that its transformer wrote.
public enum AttributeValue: Sendable, Hashable {
    case null
    case bool(Bool)
    case int(Int64)
    case double(Double)
    case decimal(Decimal)
    case string(String)
    /// A date. Stores keep it as seconds since 2001-01-01 00:00:00 UTC.
    case date(Date)
    case data(Data)
    case uuid(UUID)
    case url(URL)
    /// An object, by its identity. It is only used in predicates; no attribute holds it.
    case object(ObjectReference)
}

extension AttributeValue {
    /// Returns whether two values have the same type and are equal. Not-a-number equals itself, so that values can be
    /// found again.
    public static func == (left: AttributeValue, right: AttributeValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let one), .bool(let other)): one == other
        case (.int(let one), .int(let other)): one == other
        case (.double(let one), .double(let other)): one == other || one.bitPattern == other.bitPattern
        case (.decimal(let one), .decimal(let other)): one == other || one.isNaN && other.isNaN
        case (.string(let one), .string(let other)): one == other
        case (.date(let one), .date(let other)):
            one == other
                || one.timeIntervalSinceReferenceDate.bitPattern == other.timeIntervalSinceReferenceDate.bitPattern
        case (.data(let one), .data(let other)): one == other
        case (.uuid(let one), .uuid(let other)): one == other
        case (.url(let one), .url(let other)): one == other
        case (.object(let one), .object(let other)): one == other
        case (.null, _), (.bool, _), (.int, _), (.double, _), (.decimal, _), (.string, _), (.date, _), (.data, _),
            (.uuid, _), (.url, _), (.object, _):
            false
        }
    }
}
