/// The changes that one transaction has committed to a store, or several transactions together.
///
/// Rows are identified by the name of the root entity of their hierarchy and their primary key. The changes name all
/// rows and properties that a transaction may have changed, and possibly more.
package struct CommittedChanges: Sendable {
    /// The changed rows of one hierarchy of entities.
    package struct Rows: Sendable {
        package var inserted: Set<Int64> = []
        package var updated: Set<Int64> = []
        package var deleted: Set<Int64> = []

        package init() {}

        package var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }

        package mutating func note(_ kind: Kind, of key: Int64) {
            switch kind {
            case .insertion: insert(key)
            case .update: update(key)
            case .deletion: delete(key)
            }
        }

        mutating func insert(_ key: Int64) {
            // A deleted row with the same key stays noted, because the new row has other values.
            inserted.insert(key)
        }

        mutating func update(_ key: Int64) {
            if !inserted.contains(key) { updated.insert(key) }
        }

        mutating func delete(_ key: Int64) {
            updated.remove(key)
            if inserted.remove(key) == nil { deleted.insert(key) }
        }

        /// Adds the changes of a later transaction. Nothing cancels out, because the rows may have been read between
        /// the two transactions.
        mutating func merge(_ later: Rows) {
            inserted.formUnion(later.inserted)
            updated.formUnion(later.updated)
            deleted.formUnion(later.deleted)
        }

        var count: Int { inserted.count + updated.count + deleted.count }
    }

    /// The number of rows of a hierarchy above which they are unknown after a merge.
    private static let rowLimit = 10_000

    /// The kind of change of a row.
    package enum Kind: Sendable {
        case insertion, update, deletion
    }

    /// The number of the last of the transactions, in the order of the commits of this process.
    package var number: UInt64 = 0
    /// The number of the transactions.
    package private(set) var transactions = 1
    /// The number of those that other processes have committed.
    private var foreignTransactions = 0
    /// The changed rows by the name of the root entity.
    package var rows: [String: Rows] = [:]
    /// The root entities of which any row may have changed.
    package var unknownRows: Set<String> = []
    /// The names of the changed properties by the name of the entity.
    package var properties: [String: Set<String>] = [:]
    /// Whether anything may have changed, for example because another process has committed.
    package var isUnknown = false
    /// Whether a transaction of another process is included.
    package var isForeign: Bool {
        get { foreignTransactions > 0 }
        set { foreignTransactions = newValue ? transactions : 0 }
    }
    /// The number of the transactions of this process.
    package var ownTransactions: Int { transactions - foreignTransactions }
    /// The author of the transaction; nil for no author, or several authors.
    package var author: String?

    package init() {}

    /// Whether nothing was changed.
    package var isEmpty: Bool {
        !isUnknown && unknownRows.isEmpty && properties.isEmpty && rows.values.allSatisfy(\.isEmpty)
    }

    /// Changes about which nothing is known.
    package static var unknown: CommittedChanges { unknown(number: 0) }

    /// Returns changes of a transaction about which nothing else is known.
    package static func unknown(number: UInt64) -> CommittedChanges {
        var changes = CommittedChanges()
        changes.isUnknown = true
        changes.number = number
        return changes
    }

    package mutating func note(_ kind: Kind, of key: Int64, root: String) {
        rows[root, default: Rows()].note(kind, of: key)
    }

    package mutating func note(properties names: some Sequence<String>, of entity: String) {
        properties[entity, default: []].formUnion(names)
    }

    /// Adds the changes of a later transaction.
    package mutating func merge(_ later: CommittedChanges) {
        number = max(number, later.number)
        transactions += later.transactions
        isUnknown = isUnknown || later.isUnknown
        foreignTransactions += later.foreignTransactions
        if author != later.author { author = nil }
        for (root, more) in later.rows {
            rows[root, default: Rows()].merge(more)
            // Beyond that number, rows are not compared one by one, and their keys need not be kept.
            if let count = rows[root]?.count, count > Self.rowLimit {
                rows[root] = nil
                unknownRows.insert(root)
            }
        }
        for (entity, names) in later.properties { note(properties: names, of: entity) }
        unknownRows.formUnion(later.unknownRows)
    }
}
