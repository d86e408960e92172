import Foundation
import SwormPredicates
import SwormStore

/// The value of an attribute in a snapshot of a row.
enum SnapshotValue: Sendable, Equatable {
    case value(AttributeValue)
    /// The reference of a row to external content that was not read. Two values with the same reference bytes have the
    /// same content.
    case reference(Data)

    /// Compares two values like a store, which compares the bytes of strings.
    static func == (one: SnapshotValue, other: SnapshotValue) -> Bool {
        switch (one, other) {
        case (.value(let value), .value(let otherValue)): value.uniqueKey == otherValue.uniqueKey
        case (.reference(let bytes), .reference(let otherBytes)): bytes == otherBytes
        case (.value, .reference), (.reference, .value): false
        }
    }
}
