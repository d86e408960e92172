import Foundation
import SwormPredicates

/// The resolved options of one attribute, as the model declares them.
struct AttributeTraits: Sendable, Hashable {
    var storageType: AttributeType
    /// Whether the model allows nil.
    var isOptional: Bool
    var isUnique = false
    var isIndexed = false
    /// The indexes of strings that a store on a server has.
    var textIndexes: Set<AttributeOption.TextIndex> = []
    /// Whether a store on a server keeps all digits of a date.
    var isExact = false
    var allowsExternalStorage = false
    var isPreservedOnDeletion = false
    var renamingIdentifier: String?
    var hashModifier: String?
    var minimum: AttributeValue?
    var maximum: AttributeValue?
    var minimumLength: Int?
    var maximumLength: Int?
    var pattern: String?

    /// Resolves options, and reports those that do not apply to the kind of value.
    init(
        kind: PrimitiveKind, isOptional: Bool, options: [AttributeOption], issue: (TableIssue.Kind, String) -> Void
    ) {
        storageType = kind.attributeType
        self.isOptional = isOptional
        for option in options {
            switch option.content {
            case .unique: isUnique = true
            case .indexed: isIndexed = true
            case .optional: self.isOptional = true
            case .textIndex(let index):
                textIndexes.insert(index)
                if kind != .string {
                    issue(.unfitOption, "`.indexed(.\(index))` is for strings, but this is a \(kind)")
                }
            case .exact:
                isExact = true
                if kind != .date { issue(.unfitOption, "`.exact` is for dates, but this is a \(kind)") }
            case .preservedOnDeletion: isPreservedOnDeletion = true
            case .renamed(let name): renamingIdentifier = name
            case .hashModifier(let text): hashModifier = text
            case .external:
                allowsExternalStorage = true
                if kind != .data { issue(.unfitOption, "`.external` is for binary data, but this is a \(kind)") }
            case .type(let type):
                storageType = type.attributeType
                if !kind.compatibleTypes.contains(storageType) {
                    issue(.unfitOption, "`.type(.\(type))` cannot hold a \(kind)")
                }
            case .range(let lower, let upper):
                minimum = Self.bound(lower, for: kind)
                maximum = Self.bound(upper, for: kind)
                if (minimum == nil) != (lower == nil) || (maximum == nil) != (upper == nil) {
                    issue(.unfitOption, "the bounds of `.range` cannot be compared with a \(kind)")
                }
            case .length(let lower, let upper):
                minimumLength = lower
                maximumLength = upper
                if kind != .string { issue(.unfitOption, "`.length` is for strings, but this is a \(kind)") }
                if lower ?? 0 < 0 || upper ?? 0 < 0 { issue(.unfitOption, "`.length` is negative") }
            case .pattern(let text):
                pattern = text
                if kind != .string { issue(.unfitOption, "`.pattern` is for strings, but this is a \(kind)") }
                if (try? NSRegularExpression(pattern: text)) == nil {
                    issue(.unfitOption, "'\(excerpt(text))' in `.pattern` is not a regular expression")
                }
            }
        }
    }

    /// Returns a bound of a range, converted to the type of the attribute. `.range(0...5)` has integer bounds, even for
    /// a `Double`.
    private static func bound(_ value: AttributeValue?, for kind: PrimitiveKind) -> AttributeValue? {
        switch (kind, value) {
        case (.int, .int), (.int64, .int), (.float, .double), (.double, .double), (.decimal, .decimal),
            (.date, .date):
            value
        case (.int16, .int(let number)): Int16(exactly: number) == nil ? nil : value
        case (.int32, .int(let number)): Int32(exactly: number) == nil ? nil : value
        case (.float, .int(let number)), (.double, .int(let number)): Double(exactly: number).map { .double($0) }
        case (.decimal, .int(let number)): .decimal(Decimal(number))
        case (.decimal, .double(let number)): Decimal(string: "\(number)").map { .decimal($0) }
        default: nil
        }
    }
}
