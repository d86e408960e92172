import Foundation
import SwormPredicates

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
    var row: SaveRequest.Row
    var version: Int64
    /// By attribute slot. A transient attribute has its default value.
    var attributes: [SnapshotValue]
    /// By relationship slot; nil for to-many relationships and to-one relationships without a destination.
    var toOnes: [SaveRequest.Row?]
}

/// Rows as a store holds them at one moment, by their identities.
struct FreshRows: Sendable {
    let model: CompiledModel
    private var rows: [SaveRequest.Row: RowSnapshot] = [:]

    init(model: CompiledModel, _ rows: [RowSnapshot] = []) {
        self.model = model
        for row in rows { insert(row) }
    }

    /// The row of an identity; nil when there is no such row, or it was not read.
    subscript(row: SaveRequest.Row) -> RowSnapshot? { rows[model.identity(of: row)] }

    mutating func insert(_ row: RowSnapshot) { rows[model.identity(of: row.row)] = row }
}

extension CompiledModel {
    /// The same row named by the entity that has the table: one and the same however the row was found.
    func identity(of row: SaveRequest.Row) -> SaveRequest.Row {
        SaveRequest.Row(entity: self[row.entity].root, key: row.key)
    }

    func isSame(_ row: SaveRequest.Row?, as other: SaveRequest.Row?) -> Bool {
        row.map(identity) == other.map(identity)
    }
}

extension CompiledEntity {
    /// The relationships between two objects: the slot of each, and that of its inverse.
    func pairings(in model: CompiledModel) -> [(slot: Int, inverse: Int)] {
        relationships.enumerated().compactMap { slot, relationship in
            guard !relationship.isToMany, let inverse = relationship.inverse,
                !model[relationship.destination].relationships[inverse].isToMany
            else { return nil }
            return (slot, inverse)
        }
    }
}

extension AttributeValue {
    /// Equal where the store takes the values for equal: Swift takes strings for equal whose bytes differ.
    var uniqueKey: AttributeValue {
        if case .string(let text) = self { return .data(Data(text.utf8)) }
        return self
    }
}
