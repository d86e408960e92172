package import Foundation

/// A position in a store's history.
package enum HistoryBound: Sendable, Hashable {
    /// The position of a transaction, by its number.
    case transaction(Int64)
    case date(Date)
}

/// A transaction of a store's history, as the store keeps it.
package struct StoredTransaction: Sendable {
    package var number: Int64
    package var timestamp: Date
    package var bundleID: String?
    package var processID: String?
    package var contextName: String?
    package var author: String?
    /// The changes in the order of their numbers; empty if they were not requested.
    package var changes: [StoredChange] = []
}

/// A change in a transaction.
package struct StoredChange: Sendable {
    package var number: Int64
    package var row: RowID
    package var type: NSPersistentHistoryChangeType
    /// The names of the properties that an update changed, or nil if they are unknown.
    package var properties: [String]?
    /// The preserved values of a deleted object, by attribute slot.
    package var tombstone: [Int: StoredValue]
}

/// The range of a store's history.
package struct HistoryExtent: Sendable, Hashable {
    /// The lowest transaction that still exists, or nil if no transaction exists.
    package var lowest: Int64?
    /// The highest number that was assigned to a transaction, whether or not it still exists; 0 for none.
    package var highest: Int64
}
