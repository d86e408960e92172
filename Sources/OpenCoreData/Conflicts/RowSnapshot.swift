import Foundation
import SwormPredicates
import SwormStore

/// The value of an attribute in a snapshot of a row.
enum SnapshotValue: Sendable, Equatable {
    case value(AttributeValue)
    /// Content outside of the row that was not read: the bytes by which the row refers to it. Two values that refer to
    /// content by the same bytes have the same content.
    case reference(Data)

    /// Values are equal as in a store, which compares the bytes of strings.
    static func == (one: SnapshotValue, other: SnapshotValue) -> Bool {
        switch (one, other) {
        case (.value(let value), .value(let otherValue)): value.uniqueKey == otherValue.uniqueKey
        case (.reference(let bytes), .reference(let otherBytes)): bytes == otherBytes
        case (.value, .reference), (.reference, .value): false
        }
    }
}

/// The stored properties of a row at one moment.
struct RowSnapshot: Sendable, Equatable {
    /// The row, by its own entity.
    var row: RowID
    var version: Int64
    /// By attribute slot. A transient attribute has its default value.
    var attributes: [SnapshotValue]
    /// By relationship slot; nil for to-many relationships and to-one relationships without a destination.
    var toOnes: [RowID?]
}

/// Rows as a store holds them at one moment, by their identities.
struct FreshRows: Sendable {
    let model: CompiledModel
    private var rows: [RowID: RowSnapshot] = [:]

    init(model: CompiledModel, _ rows: [RowSnapshot] = []) {
        self.model = model
        for row in rows { insert(row) }
    }

    /// The row of an identity; nil when there is no such row, or it was not read.
    subscript(row: RowID) -> RowSnapshot? { rows[model.identity(of: row)] }

    mutating func insert(_ row: RowSnapshot) { rows[model.identity(of: row.row)] = row }
}
