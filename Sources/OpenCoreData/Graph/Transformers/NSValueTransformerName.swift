/// The name of a value transformer.
public struct NSValueTransformerName: RawRepresentable, Hashable, Sendable {
    /// The name.
    public let rawValue: String

    /// Creates a name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Creates a name.
    public init(_ rawValue: String) { self.rawValue = rawValue }
}

extension NSValueTransformerName {
    /// The transformer that returns the opposite of a Boolean.
    public static let negateBooleanTransformerName = NSValueTransformerName("NSNegateBoolean")

    /// The transformer that returns whether there is no value.
    public static let isNilTransformerName = NSValueTransformerName("NSIsNil")

    /// The transformer that returns whether there is a value.
    public static let isNotNilTransformerName = NSValueTransformerName("NSIsNotNil")

    /// The transformer that reads archives without keys, which are not supported here.
    public static let unarchiveFromDataTransformerName = NSValueTransformerName("NSUnarchiveFromData")

    /// The transformer that reads keyed archives: ``NSSecureUnarchiveFromDataTransformer``.
    public static let keyedUnarchiveFromDataTransformerName = NSValueTransformerName("NSKeyedUnarchiveFromData")

    /// The transformer that reads keyed archives of property list classes: ``NSSecureUnarchiveFromDataTransformer``.
    public static let secureUnarchiveFromDataTransformerName = NSValueTransformerName("NSSecureUnarchiveFromData")
}
