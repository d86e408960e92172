import SwormSQLite

extension MirroringReader {
    /// Returns the transactions after the last exported one, by author, as far as they are uploaded.
    func history(masking mask: NameMask) throws -> MirroringReport.History {
        let export = try export()
        guard export != .unknown, let transactions = history[.transaction], transactions.contains("Z_PK") else {
            return .init(export: export, isContinuous: nil, unsent: nil)
        }
        var last: Int64 = 0
        if case .transactions(let number) = export { last = number }
        return .init(
            export: export, isContinuous: try isContinuous(after: export), unsent: try unsent(after: last, mask))
    }

    /// Returns the part of the history that was exported.
    func export() throws -> MirroringReport.Export {
        switch try entry(MirroringNames.Entry.historyToken, in: "ZTRANSFORMEDVALUE") {
        case .missing: .nothing
        case .value(.blob(let archive)):
            ArchivedHistoryToken.transaction(in: archive, store: identifier)
                .map { MirroringReport.Export.transactions(upTo: $0) } ?? .unknown
        case .value, .unknown: .unknown
        }
    }

    /// Returns whether the history still contains each transaction after the last exported one; nil if that is unknown.
    private func isContinuous(after export: MirroringReport.Export) throws -> Bool? {
        guard case .transactions(let last) = export else { return nil }
        guard let first = try connection.integer("SELECT min(Z_PK) FROM ATRANSACTION"),
            let highest = try connection.integer("SELECT max(Z_PK) FROM ATRANSACTION")
        else { return last == 0 }
        guard last <= highest, first <= last || first - 1 == last else { return false }
        let later = try connection.integer(
            "SELECT count(*) FROM ATRANSACTION WHERE Z_PK > ?", binding: [.integer(last)])
        guard later == highest - last else { return nil }
        // Transactions with the highest numbers may have been deleted.
        let recorded = try connection.integer(
            "SELECT max(Z_MAX) FROM Z_PRIMARYKEY WHERE Z_NAME = ? AND Z_ENT >= ?",
            binding: [.text(HistoryTables.Kind.transaction.rawValue), .integer(MirroredEntity.modelEnd)])
        return (recorded ?? highest) > highest ? nil : true
    }

    private func unsent(after last: Int64, _ mask: NameMask) throws -> [MirroringReport.Authored]? {
        guard history[.change]?.contains("ZTRANSACTIONID") ?? false else { return nil }
        var columns = history
        // Without their keys, the strings cannot be looked up.
        if let strings = columns[.string], !strings.contains("Z_PK") { columns[.string] = nil }
        let author = HistoryTables.text("ZAUTHOR", in: columns)
        var found: [MirroringReport.Authored] = []
        try connection.rows(
            """
            SELECT \(author), count(*), sum(c.n) FROM ATRANSACTION AS t LEFT JOIN (SELECT ZTRANSACTIONID AS id, \
            count(*) AS n FROM ACHANGE WHERE ZTRANSACTIONID > ?1 GROUP BY 1) AS c ON c.id = t.Z_PK \
            WHERE t.Z_PK > ?1 GROUP BY 1 ORDER BY 1
            """, binding: [.integer(last)]
        ) { row in
            let name = row.isNull(0) ? nil : row.text(0)
            if let name, MirroringNames.isOwn(author: name) { return }
            found.append(.init(author: name.map(mask.masked), transactions: row.int64(1), changes: row.int64(2)))
        }
        return found
    }
}
