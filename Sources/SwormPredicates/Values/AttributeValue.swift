public import Foundation

/// What an attribute can hold: a closed set of values.
///
/// Integers of every width are held as `Int64`, `Float` is widened to `Double`, and a transformable attribute holds the
/// bytes that its transformer wrote.
public enum AttributeValue: Sendable, Hashable {
    case null
    case bool(Bool)
    case int(Int64)
    case double(Double)
    case decimal(Decimal)
    case string(String)
    /// A moment. Stores keep it as seconds since 2001-01-01 00:00:00 UTC.
    case date(Date)
    case data(Data)
    case uuid(UUID)
    case url(URL)
    /// An object, by its identity. Only predicates hold it; no attribute does.
    case object(ObjectReference)
}
