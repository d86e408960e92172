package import Foundation

/// A place in a store's history.
package enum HistoryBound: Sendable, Hashable {
    /// That of a transaction, by its number.
    case transaction(Int64)
    case date(Date)
}

/// One transaction of a store's history, as the store keeps it.
package struct StoredTransaction: Sendable {
    package var number: Int64
    package var timestamp: Date
    package var bundleID: String?
    package var processID: String?
    package var contextName: String?
    package var author: String?
    /// In the order of their numbers; empty when they were not asked for.
    package var changes: [StoredChange] = []
}

/// One change of a transaction.
package struct StoredChange: Sendable {
    package var number: Int64
    package var row: RowID
    package var type: NSPersistentHistoryChangeType
    /// The names of the properties that an update has changed; nil when they are not known.
    package var properties: [String]?
    /// The values that outlived a deleted object, by slot of the attribute.
    package var tombstone: [Int: StoredValue]
}

/// How far a store's history reaches.
package struct HistoryExtent: Sendable, Hashable {
    /// The lowest transaction that is still there; nil when there is none.
    package var lowest: Int64?
    /// The highest number that was given to a transaction, be it still there or not; 0 for none.
    package var highest: Int64
}
