import SwormPredicates

/// An option of an attribute, in addition to its name and type.
///
/// Options apply when the model is created from the tables. If you use a model file, the file decides.
public struct AttributeOption: Sendable, Hashable {
    enum Content: Sendable, Hashable {
        case unique, indexed, external, optional, preservedOnDeletion, exact
        case textIndex(TextIndex)
        case type(StorageType)
        case renamed(String)
        case hashModifier(String)
        case range(minimum: AttributeValue?, maximum: AttributeValue?)
        case length(minimum: Int?, maximum: Int?)
        case pattern(String)
    }

    let content: Content

    private init(_ content: Content) {
        self.content = content
    }

    /// The attribute's value is unique among the objects of the entity.
    public static let unique = AttributeOption(.unique)

    /// The store has an index of the values, which speeds up conditions and sort orders on this attribute.
    public static let indexed = AttributeOption(.indexed)

    /// A store on a server has an index for comparisons of strings that ignore case or diacritics (`[c]`, `[d]`, `[cd]`).
    ///
    /// A store in a file or in memory, and Core Data, have no such index: the same requests read the strings of all rows.
    public static func indexed(_ index: TextIndex) -> AttributeOption { AttributeOption(.textIndex(index)) }

    /// A store on a server keeps a date with all its digits, in a column of the type `double precision`.
    ///
    /// Without the option, such a store rounds dates to the microsecond; see <doc:FromOneMachineToAServer>. A store in a file
    /// or in memory, and Core Data, keep all digits of all dates. The option applies when the column is created.
    public static let exact = AttributeOption(.exact)

    /// Large binary data is stored in separate files beside the store.
    public static let external = AttributeOption(.external)

    /// The model allows nil, although the property does not.
    ///
    /// Decoding a nil throws an error.
    public static let optional = AttributeOption(.optional)

    /// The value is preserved in the history after its object is deleted.
    public static let preservedOnDeletion = AttributeOption(.preservedOnDeletion)

    /// The type in the model, if it differs from the property's: `.type(.integer16)` for an `Int`.
    public static func type(_ type: StorageType) -> AttributeOption { AttributeOption(.type(type)) }

    /// The attribute's name in the previous version of the model, so that a migration finds its values.
    public static func renamed(from name: String) -> AttributeOption { AttributeOption(.renamed(name)) }

    /// A string that makes this version of the attribute differ from versions with the same declaration.
    public static func hashModifier(_ modifier: String) -> AttributeOption {
        AttributeOption(.hashModifier(modifier))
    }

    /// The range of values that are allowed when an object is saved.
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

    /// The number of characters that a string may have when an object is saved.
    public static func length(_ range: ClosedRange<Int>) -> AttributeOption {
        AttributeOption(.length(minimum: range.lowerBound, maximum: range.upperBound))
    }

    /// The smallest number of characters that a string must have when an object is saved.
    public static func length(_ range: PartialRangeFrom<Int>) -> AttributeOption {
        AttributeOption(.length(minimum: range.lowerBound, maximum: nil))
    }

    /// The largest number of characters that a string may have when an object is saved.
    public static func length(_ range: PartialRangeThrough<Int>) -> AttributeOption {
        AttributeOption(.length(minimum: nil, maximum: range.upperBound))
    }

    /// A regular expression that the whole string must match when an object is saved.
    public static func pattern(_ regularExpression: String) -> AttributeOption {
        AttributeOption(.pattern(regularExpression))
    }
}

extension AttributeOption {
    /// The indexes that a store on a server can have of strings without their case or their diacritics.
    public enum TextIndex: Sendable, Hashable {
        /// Indexes for equality, for beginnings, for lists and for orders, one for each of `[c]`, `[d]` and `[cd]`.
        case folded
        /// A column with the strings as `[cd]` compares them, in which requests search for parts of strings. All rows are still
        /// read, but the server does not compute the strings again for each request.
        case searched
    }

    /// The types that a number can have in a model.
    public enum StorageType: Sendable, Hashable {
        case integer16, integer32, integer64, float, double

        var attributeType: AttributeType {
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
