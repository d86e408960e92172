public import Foundation

/// A type of attributes that has a value for nil, so that a ``Managed`` property of the type needs neither a default nor an
/// optional: zero, false or empty.
///
/// The thirteen primitive types conform. An enumeration can, too:
///
/// ```swift
/// enum Kind: Int16, NonOptionalAttribute {
///     case unknown, novel, essay
///     static var valueForNil: Kind { .unknown }
/// }
/// ```
public protocol NonOptionalAttribute: SupportedAttributeType {
    /// The value of a property whose attribute is nil, or holds a value that the type does not have.
    static var valueForNil: Self { get }
}

extension Bool: NonOptionalAttribute {
    /// False.
    public static var valueForNil: Bool { false }
}

extension NonOptionalAttribute where Self: ExpressibleByIntegerLiteral {
    /// Zero.
    public static var valueForNil: Self { 0 }
}

extension Int: NonOptionalAttribute {}
extension Int16: NonOptionalAttribute {}
extension Int32: NonOptionalAttribute {}
extension Int64: NonOptionalAttribute {}
extension Float: NonOptionalAttribute {}
extension Double: NonOptionalAttribute {}
extension Decimal: NonOptionalAttribute {}

extension String: NonOptionalAttribute {
    /// The empty string.
    public static var valueForNil: String { "" }
}

extension Data: NonOptionalAttribute {
    /// No bytes.
    public static var valueForNil: Data { Data() }
}

extension Date: NonOptionalAttribute {
    /// The first moment of 2001.
    public static var valueForNil: Date { Date(timeIntervalSinceReferenceDate: 0) }
}

extension UUID: NonOptionalAttribute {
    /// The identifier whose bytes are all zero.
    public static var valueForNil: UUID { UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)) }
}

extension URL: NonOptionalAttribute {
    /// The root folder.
    public static var valueForNil: URL { root }
    // One for all properties, because creating a URL allocates memory.
    private static let root = URL(fileURLWithPath: "/")
}
