import SwormSQLite

extension MirroringReader {
    /// The number of zones that are read.
    private static let zoneLimit = 1_000

    /// Returns the zones; nil if the file has no table of zones. The names of their owners are personal, and are only
    /// compared.
    func zones(masking mask: NameMask) throws -> [MirroringReport.Zone]? {
        guard let table = tables.table(.zone, with: ["Z_PK"]) else { return nil }
        func column(_ name: String) -> String { tables.has(name, in: .zone) ? "z.\(name)" : "NULL" }
        let hasToken = column("ZCURRENTCHANGETOKEN")
        let needs = MirroringReport.Zone.Need.allCases
        let columns =
            [
                column("ZCKRECORDZONENAME"), column("ZCKOWNERNAME"), scope, records == nil ? "NULL" : "ifnull(r.n, 0)",
                column("ZLASTFETCHDATE"),
                hasToken == "NULL" ? "NULL" : "\(hasToken) IS NOT NULL",
            ] + needs.map { column($0.rawValue) }
        var zones: [MirroringReport.Zone] = []
        try connection.rows(
            """
            SELECT \(columns.joined(separator: ", ")) FROM \(table) AS z\(records ?? "") \
            ORDER BY z.Z_PK LIMIT \(Self.zoneLimit)
            """
        ) { row in
            var zone = MirroringReport.Zone(needs: [])
            if case .text(let name) = row.storedValue(0) { zone.name = mask.masked(name) }
            if case .text(let owner) = row.storedValue(1) { zone.isUsers = MirroringNames.isUser(zoneOwner: owner) }
            zone.scope = row.integer(2)
            zone.records = row.integer(3)
            zone.lastFetch = row.number(4)
            zone.hasChangeToken = row.flag(5)
            for (index, need) in needs.enumerated() where row.flag(6 + index) == true { zone.needs.append(need) }
            zones.append(zone)
        }
        return zones
    }

    /// The SQL of the scope of a zone's database.
    private var scope: String {
        guard tables.has("ZDATABASE", in: .zone),
            let table = tables.table(.database, with: ["Z_PK", "ZDATABASESCOPENUM"])
        else { return "NULL" }
        return "(SELECT d.ZDATABASESCOPENUM FROM \(table) AS d WHERE d.Z_PK = z.ZDATABASE)"
    }

    /// The SQL that joins the numbers of records to their zones; nil if records do not name their zones.
    private var records: String? {
        tables.table(.record, with: ["ZRECORDZONE"]).map {
            " LEFT JOIN (SELECT ZRECORDZONE AS id, count(*) AS n FROM \($0) GROUP BY 1) AS r ON r.id = z.Z_PK"
        }
    }
}
