import SwormPredicates

/// The stored key of a section. Strings are equal if their bytes are, as in a store.
enum SectionIdentity: Hashable, Sendable {
    case bytes([UInt8])
    case value(AttributeValue)

    init(_ value: AttributeValue) {
        if case .string(let string) = value { self = .bytes(Array(string.utf8)) } else { self = .value(value) }
    }
}
