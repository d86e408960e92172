package import SwormPredicates

/// What a table says about an attribute beyond its name and type.
///
/// Options matter when the model is made from the tables. With a model file, the file decides.
public struct AttributeOption: Sendable, Hashable {
    package enum Content: Sendable, Hashable {
        case unique, indexed, external, optional, preservedOnDeletion
        case type(StorageType)
        case renamed(String)
        case hashModifier(String)
        case range(minimum: AttributeValue?, maximum: AttributeValue?)
        case length(minimum: Int?, maximum: Int?)
        case pattern(String)
    }

    package let content: Content

    private init(_ content: Content) {
        self.content = content
    }

    /// No two objects may have the same value.
    public static let unique = AttributeOption(.unique)

    /// The store keeps an index of the values, which makes conditions and orders on this attribute quick.
    public static let indexed = AttributeOption(.indexed)

    /// Large binary data is kept in files of its own beside the store.
    public static let external = AttributeOption(.external)

    /// The model allows nil, although the struct does not. Decoding a nil throws.
    public static let optional = AttributeOption(.optional)

    /// The value stays in the history after its object was deleted.
    public static let preservedOnDeletion = AttributeOption(.preservedOnDeletion)

    /// The type in the model, where it is another one than the struct's: `.type(.integer16)` for an `Int`.
    public static func type(_ type: StorageType) -> AttributeOption { AttributeOption(.type(type)) }

    /// The attribute's name in the version of the model before, so that a migration finds its values.
    public static func renamed(from name: String) -> AttributeOption { AttributeOption(.renamed(name)) }

    /// Text that makes this version of the attribute another one, although its declaration is the same.
    public static func hashModifier(_ modifier: String) -> AttributeOption {
        AttributeOption(.hashModifier(modifier))
    }

    /// The values that are allowed when an object is saved.
    public static func range<V: PrimitiveAttribute & Comparable>(_ range: ClosedRange<V>) -> AttributeOption {
        AttributeOption(
            .range(minimum: range.lowerBound.attributeValue, maximum: range.upperBound.attributeValue))
    }

    /// The smallest value that is allowed when an object is saved.
    public static func range<V: PrimitiveAttribute & Comparable>(_ range: PartialRangeFrom<V>) -> AttributeOption {
        AttributeOption(.range(minimum: range.lowerBound.attributeValue, maximum: nil))
    }

    /// The largest value that is allowed when an object is saved.
    public static func range<V: PrimitiveAttribute & Comparable>(_ range: PartialRangeThrough<V>) -> AttributeOption {
        AttributeOption(.range(minimum: nil, maximum: range.upperBound.attributeValue))
    }

    /// How many characters a text may have when an object is saved.
    public static func length(_ range: ClosedRange<Int>) -> AttributeOption {
        AttributeOption(.length(minimum: range.lowerBound, maximum: range.upperBound))
    }

    /// How many characters a text must have at least when an object is saved.
    public static func length(_ range: PartialRangeFrom<Int>) -> AttributeOption {
        AttributeOption(.length(minimum: range.lowerBound, maximum: nil))
    }

    /// How many characters a text may have at most when an object is saved.
    public static func length(_ range: PartialRangeThrough<Int>) -> AttributeOption {
        AttributeOption(.length(minimum: nil, maximum: range.upperBound))
    }

    /// A regular expression that the whole text must match when an object is saved.
    public static func pattern(_ regularExpression: String) -> AttributeOption {
        AttributeOption(.pattern(regularExpression))
    }
}

extension AttributeOption {
    /// The types that a number can have in a model.
    public enum StorageType: Sendable, Hashable {
        case integer16, integer32, integer64, float, double

        package var attributeType: AttributeType {
            switch self {
            case .integer16: .integer16
            case .integer32: .integer32
            case .integer64: .integer64
            case .float: .float
            case .double: .double
            }
        }
    }
}
