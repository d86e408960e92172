import Foundation
import SwormStore

/// The kinds of groups that a timeline counts.
enum TimelineGrouping: String, CaseIterable {
    case day, hour, author, entity, transaction

    static let option = OptionSpec(
        "by", value: "GROUP", choices: allCases.map(\.rawValue),
        summary: "The groups that are counted; the default is day. Days and hours are those of UTC.")
}

/// The number of changes by their kinds.
struct ChangeCounts {
    var inserted = 0
    var updated = 0
    var deleted = 0

    var total: Int { inserted + updated + deleted }

    mutating func add(_ type: NSPersistentHistoryChangeType) {
        switch type {
        case .insert: inserted += 1
        case .update: updated += 1
        case .delete: deleted += 1
        }
    }
}

/// A group of a timeline: a day, an author, an entity.
struct TimelineGroup {
    var key: String
    var transactions = 0
    var counts = ChangeCounts()
    /// The number of transactions by author; the empty name is no author.
    var authors: [String: Int] = [:]

    /// The authors, those with the most transactions first.
    var sortedAuthors: [String] {
        authors.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map(\.key)
    }
}

/// The groups of a timeline, which are counted one transaction after the other.
struct TimelineGroups {
    private let grouping: TimelineGrouping
    private let store: StoreReader
    private var groups: [String: TimelineGroup] = [:]

    init(by grouping: TimelineGrouping, in store: StoreReader) {
        self.grouping = grouping
        self.store = store
    }

    mutating func add(_ transaction: StoredTransaction) {
        switch grouping {
        case .day: add(transaction, to: Self.time(transaction, length: 10))
        case .hour:
            let hour = Self.time(transaction, length: 13)
            add(transaction, to: hour.count == 13 ? hour + ":00" : hour)
        case .author: add(transaction, to: transaction.author ?? "")
        case .transaction: add(transaction, to: String(transaction.number))
        case .entity:
            var parts: [Int: [StoredChange]] = [:]
            for change in transaction.changes { parts[change.row.entity, default: []].append(change) }
            for (entity, changes) in parts {
                var part = transaction
                part.changes = changes
                add(part, to: store.model[entity].name)
            }
        }
    }

    private mutating func add(_ transaction: StoredTransaction, to key: String) {
        var group = groups[key] ?? TimelineGroup(key: key)
        group.transactions += 1
        group.authors[transaction.author ?? "", default: 0] += 1
        for change in transaction.changes { group.counts.add(change.type) }
        groups[key] = group
    }

    /// The groups in the order of time, or those of authors and entities with the most changes first.
    var sorted: [TimelineGroup] {
        switch grouping {
        case .day, .hour: groups.values.sorted { $0.key < $1.key }
        case .transaction: groups.values.sorted { (Int64($0.key) ?? 0) < (Int64($1.key) ?? 0) }
        case .author, .entity:
            groups.values.sorted { ($1.counts.total, $0.key) < ($0.counts.total, $1.key) }
        }
    }

    /// Returns the start of a transaction's time in UTC, such as `2026-06-01` or `2026-06-01 12`.
    static func time(_ transaction: StoredTransaction, length: Int) -> String {
        let text = DateText.whole(transaction.timestamp.timeIntervalSinceReferenceDate.rounded(.down))
        // A date outside the years 1 to 9999 is written as a number.
        guard text.hasSuffix("Z") else { return "not a date" }
        return String(text.replacing("T", with: " ").prefix(length))
    }
}
