/// The state of a store's mirroring to CloudKit, as far as its file shows it. Nil means unknown.
package struct MirroringReport: Sendable, Hashable {
    /// The objects of one entity and their records.
    package struct Entity: Sendable, Hashable {
        package var number: Int64
        package var name: String
        /// The number of rows of exactly this entity.
        package var rows: Int64?
        package var records: Int64?
        /// The number of records to upload, including deletions.
        package var uploads: Int64?
        package var deletions: Int64?
        package var rowsWithoutRecord: Int64?
        package var recordsWithoutRow: Int64?
    }

    /// The work that the mirroring itself would count before an export.
    package struct Waiting: Sendable, Hashable {
        /// The number of records to upload, including deletions.
        package var uploads: Int64?
        package var deletions: Int64?
        package var relationships: Int64?
        package var shares: Int64?
        package var movedRecords: Int64?

        /// The sum of everything; nil if a part of it is unknown.
        package var total: Int64? { sum([uploads, relationships, shares, movedRecords]) }
    }

    /// The records and relationships whose deletion was uploaded, and that the next export clears away.
    package struct Finished: Sendable, Hashable {
        package var records: Int64?
        package var relationships: Int64?
    }

    /// The part of the history that was exported.
    package enum Export: Sendable, Hashable {
        /// Nothing was exported so far.
        case nothing
        /// The transactions up to this number were exported.
        case transactions(upTo: Int64)
        case unknown
    }

    /// The transactions of one author after the last exported one.
    package struct Authored: Sendable, Hashable {
        /// The author; nil for transactions without one.
        package var author: String?
        package var transactions: Int64
        package var changes: Int64
    }

    package struct History: Sendable, Hashable {
        package var export: Export
        /// Whether the history contains every transaction after the last exported one. If it does not, the transactions to
        /// send are incomplete.
        package var isContinuous: Bool?
        /// The transactions that the next export sends, by author.
        package var unsent: [Authored]?
    }

    /// One run of the mirroring.
    package struct Event: Sendable, Hashable {
        package enum Kind: Int64, Sendable { case setup, `import`, export }

        package var kind: Kind?
        /// The beginning, in seconds since 2001.
        package var start: Double?
        package var end: Double?
        /// Whether the file shows that the event has no end yet.
        package var isUnfinished = false
        package var succeeded: Bool?
        package var errorDomain: String?
        package var errorCode: Int64?
    }

    package struct Zone: Sendable, Hashable {
        package var name: String?
        /// Whether the account that is signed in owns the zone. The name of the owner is personal, and is not read.
        package var isUsers: Bool?
        /// The scope of the zone's database: 1 for public, 2 for private, 3 for shared.
        package var scope: Int64?
        package var records: Int64?
        /// The time of the last fetch, in seconds since 2001.
        package var lastFetch: Double?
        package var hasChangeToken: Bool?
        /// The columns that request work on the zone.
        package var needs: [Need]

        package enum Need: String, Sendable, CaseIterable {
            case `import` = "ZNEEDSIMPORT"
            case shareUpdate = "ZNEEDSSHAREUPDATE"
            case shareDeletion = "ZNEEDSSHAREDELETE"
            case shareInvitation = "ZNEEDSNEWSHAREINVITATION"
            case identityLoss = "ZNEEDSRECOVERYFROMIDENTITYLOSS"
            case userPurge = "ZNEEDSRECOVERYFROMUSERPURGE"
            case zoneDeletion = "ZNEEDSRECOVERYFROMZONEDELETE"
        }
    }

    /// The generation of the tables.
    package enum Form: String, Sendable {
        /// Records and their system fields are in tables of their own.
        case assetTables
        /// Records and their system fields are columns of the records' table.
        case assetColumns
    }

    /// The names of the tables, sorted.
    package var tables: [String]
    package var form: Form?
    /// Whether the mirroring has noted an account.
    package var hasAccount: Bool?
    /// Whether the next mirrored opening fetches every zone again, because the store was migrated.
    package var fetchesZonesAgain: Bool
    package var waiting: Waiting
    package var finished: Finished
    package var entities: [Entity]
    /// The number of records of entities that the store does not have.
    package var strayRecords: Int64?
    package var history: History
    /// The last events, starting with the newest.
    package var events: [Event]?
    package var zones: [Zone]?

    /// Whether nothing waits for upload in this file: nothing is marked, no transaction is unsent, and every row has a
    /// record. This is unknown if transactions after the last exported one may be missing.
    package var isDone: Bool? {
        let unsent = history.unsent.map { $0.reduce(0) { $0 + $1.transactions } }
        let parts = [
            waiting.uploads, waiting.relationships, waiting.shares, waiting.movedRecords, unsent, rowsWithoutRecord,
        ]
        if parts.contains(where: { $0 ?? 0 > 0 }) { return false }
        if case .transactions = history.export, history.isContinuous != true { return nil }
        return parts.contains(nil) ? nil : true
    }

    package var rowsWithoutRecord: Int64? { sum(entities.map(\.rowsWithoutRecord)) }
    package var recordsWithoutRow: Int64? { sum(entities.map(\.recordsWithoutRow) + [strayRecords]) }
}

/// Returns the sum of numbers; nil if one of them is unknown.
private func sum(_ numbers: [Int64?]) -> Int64? {
    numbers.reduce(0) { sum, number in
        guard let sum, let number else { return nil }
        return sum &+ number
    }
}
