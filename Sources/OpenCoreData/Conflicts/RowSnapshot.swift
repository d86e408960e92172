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

/// The stored properties of a row at one point in time.
struct RowSnapshot: Sendable, Equatable {
    /// The row, identified by its most specific entity.
    var row: RowID
    var version: Int64
    /// The values by attribute slot. A transient attribute has its default value.
    var attributes: [SnapshotValue]
    /// The destinations by relationship slot; nil for to-many relationships and for to-one relationships without a
    /// destination.
    var toOnes: [RowID?]
}

/// The rows of a store at one point in time, keyed by their identities.
struct FreshRows: Sendable {
    let model: CompiledModel
    private var rows: [RowID: RowSnapshot] = [:]

    init(model: CompiledModel, _ rows: [RowSnapshot] = []) {
        self.model = model
        for row in rows { insert(row) }
    }

    /// Returns the row with an identity; nil if the row does not exist or was not read.
    subscript(row: RowID) -> RowSnapshot? { rows[model.identity(of: row)] }

    mutating func insert(_ row: RowSnapshot) { rows[model.identity(of: row.row)] = row }
}
