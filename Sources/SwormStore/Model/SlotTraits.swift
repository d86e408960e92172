public import Foundation
public import SwormPredicates

/// The traits of an attribute that are needed to read, write and check single values.
///
/// They are plain bytes: a loop over the values of an object copies and retains nothing, whereas one over
/// ``CompiledAttribute`` does so for every value.
@usableFromInline
package struct SlotTraits: Sendable {
    @usableFromInline package let type: AttributeType
    @usableFromInline let isOptional: Bool
    @usableFromInline package let isTransient: Bool
    @usableFromInline let isDerived: Bool
    package let allowsExternalStorage: Bool
    @usableFromInline let hasRules: Bool

    init(_ attribute: CompiledAttribute) {
        type = attribute.type
        isOptional = attribute.isOptional
        isTransient = attribute.isTransient
        isDerived = attribute.derivation != nil
        allowsExternalStorage = attribute.allowsExternalStorage
        hasRules = !attribute.validationRules.isEmpty
    }

    /// Returns whether a value has exactly the form in which the attribute holds it. Some other values can be
    /// converted.
    @inlinable
    package func holds(_ value: AttributeValue) -> Bool {
        switch (type, value) {
        case (_, .null), (.string, .string), (.integer64, .int), (.double, .double), (.boolean, .bool), (.date, .date),
            (.uuid, .uuid), (.binaryData, .data), (.uri, .url), (.transformable, .data), (.decimal, .decimal):
            true
        case (.integer16, .int(let number)): Int16(exactly: number) != nil
        case (.integer32, .int(let number)): Int32(exactly: number) != nil
        default: false
        }
    }

    /// Returns whether a value satisfies the attribute without evaluating any rule in detail.
    @inlinable
    package func plainlyAllows(_ value: AttributeValue) -> Bool {
        switch value {
        case .null: isOptional || isDerived
        case .date(let date): !hasRules && !date.timeIntervalSinceReferenceDate.isNaN
        case .double(let number): !hasRules && (isTransient || !number.isNaN)
        default: !hasRules
        }
    }
}
