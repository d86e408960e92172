import SwormSQLite

/// A reader of the mirroring's tables in a file, which it does not change.
struct MirroringReader {
    let connection: StoreConnection
    let tables: MirroringTables
    /// The columns of the history's tables.
    let history: [HistoryTables.Kind: Set<String>]
    /// The identifier of the store, by which an archived token names it.
    let identifier: String

    /// - Returns: Nil if the store is not mirrored.
    init?(_ connection: StoreConnection, identifier: String) throws {
        guard let tables = try MirroringTables(connection) else { return nil }
        self.connection = connection
        self.tables = tables
        self.identifier = identifier
        history = try HistoryTables.columns(connection)
    }

    /// Returns the state of the mirroring.
    ///
    /// - Parameter fetchesZonesAgain: Whether the store's metadata request a fetch of every zone.
    func report(_ entities: [MirroredEntity], fetchesZonesAgain: Bool) throws -> MirroringReport {
        let mask = try NameMask(users: userRecordNames())
        let (counted, strays) = try count(entities)
        return MirroringReport(
            tables: tables.columns.keys.sorted(), form: form, hasAccount: try hasAccount(),
            fetchesZonesAgain: fetchesZonesAgain, waiting: try waiting(), finished: try finished(), entities: counted,
            strayRecords: strays, history: try history(masking: mask), events: try events(masking: mask),
            zones: try zones(masking: mask))
    }

    /// Returns the number of rows that satisfy a condition; nil if the file does not have the columns.
    func count(
        of kind: MirroringTables.Kind, having columns: [String], where condition: String
    ) throws -> Int64? {
        guard let table = tables.table(kind, with: columns) else { return nil }
        return try connection.integer("SELECT count(*) FROM \(table) WHERE \(condition)") ?? 0
    }

    private var form: MirroringReport.Form? {
        if tables.table(.systemFields) != nil { return .assetTables }
        return tables.has("ZCKRECORDSYSTEMFIELDS", in: .record) ? .assetColumns : nil
    }

    private func waiting() throws -> MirroringReport.Waiting {
        let (upload, deletion) = ("ZNEEDSUPLOAD", "ZNEEDSCLOUDDELETE")
        let (update, removal) = ("ZNEEDSSHAREUPDATE", "ZNEEDSSHAREDELETE")
        return MirroringReport.Waiting(
            uploads: try count(of: .record, having: [upload], where: "\(upload) = 1"),
            deletions: try count(
                of: .record, having: [upload, deletion], where: "\(upload) = 1 AND \(deletion) = 1"),
            relationships: try count(of: .relationship, having: ["ZISUPLOADED"], where: "ZISUPLOADED = 0"),
            shares: try count(of: .zone, having: [update, removal], where: "\(update) = 1 OR \(removal) = 1"),
            movedRecords: try count(of: .moveReceipt, having: [deletion], where: "\(deletion) = 1"))
    }

    private func finished() throws -> MirroringReport.Finished {
        MirroringReport.Finished(
            records: try count(
                of: .record, having: ["ZNEEDSUPLOAD", "ZNEEDSCLOUDDELETE"],
                where: "ZNEEDSCLOUDDELETE = 1 AND ZNEEDSUPLOAD = 0"),
            relationships: try count(
                of: .relationship, having: ["ZISUPLOADED", "ZNEEDSDELETE"],
                where: "ZNEEDSDELETE = 1 AND ZISUPLOADED = 1"))
    }

    // MARK: Metadata

    /// The value of one of the mirroring's metadata.
    enum Entry {
        case missing
        case value(StoredValue)
        case unknown
    }

    /// Returns the value for a key in the mirroring's table of metadata.
    func entry(_ key: String, in column: String) throws -> Entry {
        guard let table = tables.table(.entry, with: ["ZKEY", column]) else { return .unknown }
        var values: [StoredValue] = []
        try connection.rows("SELECT \(column) FROM \(table) WHERE ZKEY = ? LIMIT 2", binding: [.text(key)]) {
            values.append($0.storedValue(0))
        }
        guard let value = values.first else { return .missing }
        return values.count == 1 ? .value(value) : .unknown
    }

    /// Returns the names of the user's record. A damaged file may have several.
    private func userRecordNames() throws -> Set<String> {
        guard let table = tables.table(.entry, with: ["ZKEY", "ZSTRINGVALUE"]) else { return [] }
        var names: Set<String> = []
        try connection.rows(
            """
            SELECT DISTINCT ZSTRINGVALUE FROM \(table) WHERE ZKEY = ? AND typeof(ZSTRINGVALUE) = 'text' \
            LIMIT \(NameMask.limit + 1)
            """, binding: [.text(MirroringNames.Entry.userRecord)]
        ) { row in
            if case .text(let name) = row.storedValue(0) { names.insert(name) }
        }
        return names
    }

    private func hasAccount() throws -> Bool? {
        switch try entry(MirroringNames.Entry.userRecord, in: "ZSTRINGVALUE") {
        case .missing, .value(.null): false
        case .value: true
        case .unknown: nil
        }
    }
}

/// Removes the names of the user's record, which are personal, from text of the file.
struct NameMask {
    /// The number of names that are looked for. If there are more, no text is shown.
    static let limit = 100

    private let users: [String]
    private let hidesAll: Bool

    init(users: Set<String>) {
        hidesAll = users.count > Self.limit
        // A name may be a part of a longer one.
        self.users = users.filter { !$0.isEmpty }.sorted { ($0.utf8.count, $0) > ($1.utf8.count, $1) }
    }

    func masked(_ text: String) -> String {
        hidesAll ? "(user)" : users.reduce(text) { Self.text($0, without: $1) }
    }

    private static func text(_ text: String, without user: String) -> String {
        var (result, rest) = ("", text[...])
        while let found = rest.firstRange(of: user) {
            result += rest[..<found.lowerBound] + "(user)"
            rest = rest[found.upperBound...]
        }
        return result + rest
    }
}
