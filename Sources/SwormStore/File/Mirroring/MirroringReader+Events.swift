import SwormSQLite

extension MirroringReader {
    /// The number of events that are read.
    private static let eventLimit = 10

    /// Returns the last events, starting with the newest; nil if the file has no table of events.
    func events(masking mask: NameMask) throws -> [MirroringReport.Event]? {
        guard let table = tables.table(.event) else { return nil }
        func column(_ name: String) -> String { tables.has(name, in: .event) ? name : "NULL" }
        let names = [
            "ZCLOUDKITEVENTTYPE", "ZSTARTEDAT", "ZENDEDAT", "ZSUCCEEDED", "ZERRORDOMAIN", "ZERRORCODE",
        ]
        let order = ["ZSTARTEDAT", "Z_PK"].first { tables.has($0, in: .event) }.map { " ORDER BY \($0) DESC" } ?? ""
        let knowsEnds = tables.has("ZENDEDAT", in: .event)
        var events: [MirroringReport.Event] = []
        try connection.rows(
            "SELECT \(names.map(column).joined(separator: ", ")) FROM \(table)\(order) LIMIT \(Self.eventLimit)"
        ) { row in
            var event = MirroringReport.Event()
            event.kind = row.integer(0).flatMap(MirroringReport.Event.Kind.init)
            event.start = row.number(1)
            event.end = row.number(2)
            event.isUnfinished = row.isNull(2) && knowsEnds
            event.succeeded = row.flag(3)
            if case .text(let domain) = row.storedValue(4) { event.errorDomain = mask.masked(domain) }
            event.errorCode = row.integer(5)
            // An event that still runs has not failed.
            let hasError = !row.isNull(4) || event.errorCode ?? 0 != 0
            if event.isUnfinished, !hasError, event.succeeded == false { event.succeeded = nil }
            events.append(event)
        }
        return events
    }
}
