import SwormSQLite

/// A check of the tables in which Core Data tracks the mirroring of a store to CloudKit.
struct MirroringCheck {
    private let model: CompiledModel
    private let layout: StoreLayout
    private let reader: MirroringReader
    private let export: MirroringReport.Export

    /// The columns that identify the rows of a table, as in the unique indexes that Core Data creates.
    private static let uniqueKeys: [(kind: MirroringTables.Kind, columns: [String])] = [
        (.record, ["ZENTITYID", "ZENTITYPK"]), (.record, ["ZCKRECORDNAME", "ZRECORDZONE"]),
        (.analyzerState, ["ZENTITYID", "ZENTITYPK"]), (.relationship, ["ZCKRECORDID", "ZRECORDZONE"]),
        (.zone, ["ZCKRECORDZONENAME", "ZCKOWNERNAME", "ZDATABASE"]), (.database, ["ZDATABASESCOPENUM"]),
        (.event, ["ZEVENTIDENTIFIER"]), (.zoneQuery, ["ZRECORDTYPE", "ZRECORDZONE"]),
    ]

    /// - Returns: Nil if the store is not mirrored.
    init?(connection: StoreConnection, model: CompiledModel, layout: StoreLayout, identifier: String) throws {
        guard let reader = try MirroringReader(connection, identifier: identifier) else { return nil }
        self.model = model
        self.layout = layout
        self.reader = reader
        export = try reader.export()
    }

    /// Returns all issues that are found.
    func issues() throws -> [StoreIssue] {
        var issues = try repeatedKeys() + keysBehind() + strayRecords()
        for root in model.entities where root.root == root.number { issues += try pairs(of: root) }
        return issues
    }

    private func number(_ sql: String) throws -> Int64 { try reader.connection.integer(sql) ?? 0 }

    private static func counted(_ count: Int64, of noun: String) -> String {
        "\(count) \(noun)\(count == 1 ? "" : "s")"
    }

    // MARK: Keys

    private func repeatedKeys() throws -> [StoreIssue] {
        try Self.uniqueKeys.compactMap { key in
            guard let table = reader.tables.table(key.kind, with: key.columns) else { return nil }
            let present = key.columns.map { "\($0) IS NOT NULL" }.joined(separator: " AND ")
            let columns = key.columns.joined(separator: ", ")
            let count = try number(
                "SELECT count(*) FROM (SELECT 1 FROM \(table) WHERE \(present) GROUP BY \(columns) HAVING count(*) > 1)"
            )
            guard count > 0 else { return nil }
            return StoreIssue(
                .mirroringUnique,
                "\(reader.tables.name(key.kind) ?? table): \(Self.counted(count, of: "value")) of \(columns) that must be unique \(count == 1 ? "occurs" : "occur") several times"
            )
        }
    }

    /// Compares the highest keys of the tables with those that Core Data continues from.
    private func keysBehind() throws -> [StoreIssue] {
        var recorded: [(name: String, highest: Int64)] = []
        try reader.connection.rows("SELECT Z_NAME, Z_MAX FROM Z_PRIMARYKEY WHERE substr(Z_NAME, 1, 4) = 'NSCK'") {
            if let name = $0.text(0) { recorded.append((name, $0.int64(1))) }
        }
        return try recorded.compactMap { name, highest in
            let table = "A" + SQLName.uppercased(name)
            guard reader.tables.columns[table]?.contains("Z_PK") ?? false else { return nil }
            let present = try number("SELECT max(Z_PK) FROM \(SQLName.alwaysQuoted(table))")
            guard highest < present else { return nil }
            return StoreIssue(.keyBehind, "\(name): Z_MAX is \(highest), the highest key is \(present)")
        }
    }

    // MARK: Pairs

    /// Reports records of entities that the model does not have: a migration fails, or assigns them to objects of
    /// another entity.
    private func strayRecords() throws -> [StoreIssue] {
        guard let table = reader.tables.table(.record, with: ["ZENTITYID"]) else { return [] }
        let count = try number(
            "SELECT count(*) FROM \(table) WHERE ZENTITYID IS NULL OR ZENTITYID NOT BETWEEN 1 AND \(model.entities.count)"
        )
        guard count > 0 else { return [] }
        return [
            StoreIssue(
                .mirroringEntity,
                "\(reader.tables.name(.record) ?? table): \(Self.counted(count, of: "record")) of an entity that the model does not have"
            )
        ]
    }

    /// Compares the rows and the records of a hierarchy.
    private func pairs(of root: CompiledEntity) throws -> [StoreIssue] {
        guard let pairs = reader.pairs(of: root.family.map(Int64.init)) else { return [] }
        let table = SQLName.quoted(layout.table(of: root))
        var issues: [StoreIssue] = []
        func add(_ kind: StoreIssue.Kind, message: String) {
            issues.append(StoreIssue(kind, "\(root.name): \(message)", severity: .warning, entity: root.name))
        }
        let records = try number(
            "SELECT count(*) FROM \(pairs.records) AND \(MirroringReader.lacksRow(in: table))\(unexplained(root))")
        if records > 0 {
            add(
                .mirroringRecord,
                message:
                    "\(Self.counted(records, of: "record")) without a row, of which no deletion waits for upload")
        }
        // Before the first export, every row is still to be uploaded.
        guard case .transactions(let last) = export, let insertions = changes(.insert, of: root, after: last) else {
            return issues
        }
        let rows = try number(
            "SELECT count(*) FROM \(table) WHERE Z_PK NOT IN (\(pairs.keys)) AND Z_PK NOT IN (\(insertions))")
        if rows > 0 {
            add(
                .mirroringRow,
                message:
                    "\(Self.counted(rows, of: "row")) without a record, which no transaction after the last export inserts"
            )
        }
        return issues
    }

    /// Returns the condition for records without a row that neither the mirroring nor the history explains.
    private func unexplained(_ root: CompiledEntity) -> String {
        var condition = ""
        if reader.tables.has("ZNEEDSCLOUDDELETE", in: .record) { condition += " AND ZNEEDSCLOUDDELETE IS NOT 1" }
        var last: Int64 = 0
        if case .transactions(let number) = export { last = number }
        if let deletions = changes(.delete, of: root, after: last) {
            condition += " AND (ZENTITYPK IS NULL OR ZENTITYPK NOT IN (\(deletions)))"
        }
        return condition
    }

    /// Returns the SQL of the keys that the history names in changes of a kind; nil if there is no such history.
    private func changes(
        _ type: NSPersistentHistoryChangeType, of root: CompiledEntity, after last: Int64
    ) -> String? {
        let needed = ["ZTRANSACTIONID", "ZENTITY", "ZENTITYPK", "ZCHANGETYPE"]
        guard let columns = reader.history[.change], columns.isSuperset(of: needed) else { return nil }
        let family = root.family
        return
            "SELECT ZENTITYPK FROM ACHANGE WHERE ZTRANSACTIONID > \(last) AND ZCHANGETYPE = \(type.rawValue) AND ZENTITY BETWEEN \(family.lowerBound) AND \(family.upperBound) AND ZENTITYPK IS NOT NULL"
    }
}
