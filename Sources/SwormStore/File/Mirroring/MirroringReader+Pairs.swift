import SwormSQLite

extension MirroringReader {
    /// Counts the rows and the records of each entity, and the records of entities that are not among them.
    ///
    /// A record belongs to the row of its hierarchy that has its key: Core Data records the entity of the object itself,
    /// but that was not observed for every hierarchy, and keys are unique in a hierarchy.
    func count(_ entities: [MirroredEntity]) throws -> (entities: [MirroringReport.Entity], strays: Int64?) {
        var found: [Int64: MirroringReport.Entity] = [:]
        for entity in entities {
            found[entity.number] = MirroringReport.Entity(number: entity.number, name: entity.name)
        }
        let strays = try countRecords(&found)
        for family in Dictionary(grouping: entities, by: \.root).values {
            guard let table = family.first?.table else { continue }
            try countRows(of: family, in: SQLName.alwaysQuoted(table), &found)
        }
        let shown = entities.filter { !$0.isAbstract || found[$0.number]?.records ?? 0 > 0 }
        return (shown.compactMap { found[$0.number] }.sorted { $0.number < $1.number }, strays)
    }

    /// - Returns: The number of records of unknown entities; nil if records do not name their entities.
    private func countRecords(_ found: inout [Int64: MirroringReport.Entity]) throws -> Int64? {
        guard let table = tables.table(.record, with: ["ZENTITYID"]) else { return nil }
        let knowsUploads = tables.has("ZNEEDSUPLOAD", in: .record)
        let knowsDeletions = knowsUploads && tables.has("ZNEEDSCLOUDDELETE", in: .record)
        for number in found.keys {
            found[number]?.records = 0
            if knowsUploads { found[number]?.uploads = 0 }
            if knowsDeletions { found[number]?.deletions = 0 }
        }
        let uploads = knowsUploads ? "sum(ZNEEDSUPLOAD IS 1)" : "0"
        let deletions = knowsDeletions ? "sum(ZNEEDSUPLOAD IS 1 AND ZNEEDSCLOUDDELETE IS 1)" : "0"
        var strays: Int64 = 0
        try connection.rows("SELECT ZENTITYID, count(*), \(uploads), \(deletions) FROM \(table) GROUP BY 1") { row in
            guard case .integer(let number) = row.storedValue(0), found[number] != nil else {
                strays += row.int64(1)
                return
            }
            found[number]?.records = row.int64(1)
            if knowsUploads { found[number]?.uploads = row.int64(2) }
            if knowsDeletions { found[number]?.deletions = row.int64(3) }
        }
        return strays
    }

    /// Counts the rows of a hierarchy, and those of its rows and records that have no counterpart.
    private func countRows(
        of family: [MirroredEntity], in table: String, _ found: inout [Int64: MirroringReport.Entity]
    ) throws {
        let pairs = pairs(of: family.map(\.number))
        for entity in family {
            found[entity.number]?.rows = 0
            guard pairs != nil else { continue }
            found[entity.number]?.rowsWithoutRecord = 0
            found[entity.number]?.recordsWithoutRow = 0
        }
        let missing = pairs.map { "sum(Z_PK NOT IN (\($0.keys)))" } ?? "0"
        try connection.rows("SELECT Z_ENT, count(*), \(missing) FROM \(table) GROUP BY Z_ENT") { row in
            guard case .integer(let number) = row.storedValue(0), found[number]?.rows != nil else { return }
            found[number]?.rows = row.int64(1)
            if pairs != nil { found[number]?.rowsWithoutRecord = row.int64(2) }
        }
        guard let pairs else { return }
        try connection.rows(
            "SELECT ZENTITYID, count(*) FROM \(pairs.records) AND \(Self.lacksRow(in: table)) GROUP BY 1"
        ) { found[$0.int64(0)]?.recordsWithoutRow = $0.int64(1) }
    }

    /// Returns the SQL of the keys that records of a hierarchy name, and that of the records themselves, up to the end of
    /// their condition; nil if records do not name their rows.
    func pairs(of family: [Int64]) -> (keys: String, records: String)? {
        guard let records = tables.table(.record, with: ["ZENTITYID", "ZENTITYPK"]) else { return nil }
        let own = "\(records) WHERE ZENTITYID IN (\(family.map(String.init).joined(separator: ", ")))"
        return ("SELECT ZENTITYPK FROM \(own) AND ZENTITYPK IS NOT NULL", own)
    }

    /// Returns the condition of records that name no row of a table.
    static func lacksRow(in table: String) -> String {
        "(ZENTITYPK IS NULL OR ZENTITYPK NOT IN (SELECT Z_PK FROM \(table)))"
    }
}
