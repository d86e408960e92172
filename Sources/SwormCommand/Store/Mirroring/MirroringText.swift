import SwormStore

/// The state of a mirroring as text.
struct MirroringText {
    private static let label = 12

    let report: MirroringReport
    let console: Console

    func write(path: String) {
        field("store", value: path)
        let count = report.tables.count
        field("mirroring", value: "\(count) table\(count == 1 ? "" : "s"), \(MirroringWords.form(report.form))")
        field("account", value: MirroringWords.account(report))
        console.line(DisplayWidth.fit("exported", to: Self.label) + MirroringWords.export(report.history))
        for (index, part) in MirroringWords.waiting(report.waiting).enumerated() {
            field(index == 0 ? "waiting" : "", value: part)
        }
        if let words = MirroringWords.finished(report.finished) { field("deleted", value: words) }
        if report.fetchesZonesAgain { field("migrated", value: "the next mirrored opening fetches every zone again") }
        console.line()
        writeEntities()
        writeHistory()
        writeEvents()
        writeZones()
        console.line()
        console.line("\(MirroringWords.conclusion(report)) \(MirroringWords.limits)")
    }

    private func field(_ name: String, value: String) {
        let room = max(20, console.width - Self.label)
        console.line(
            DisplayWidth.fit(name, to: Self.label) + DisplayWidth.cut(TextTable.oneLine(value), to: room))
    }

    private func table(_ titles: [String], right: [Bool]? = nil, rows: [[String]]) {
        let table = TextTable(titles, right: right, width: console.width, to: console.out)
        for row in rows { table.add(row) }
        table.end()
    }

    private func writeEntities() {
        let titles = ["entity", "rows", "records", "waiting", "deletions", "no record", "no row"]
        table(
            titles, right: titles.map { $0 != "entity" },
            rows: report.entities.map { entity in
                [entity.name]
                    + [
                        entity.rows, entity.records, entity.uploads, entity.deletions, entity.rowsWithoutRecord,
                        entity.recordsWithoutRow,
                    ].map(MirroringWords.count)
            })
        if report.strayRecords != 0 {
            let count = MirroringWords.count(report.strayRecords)
            console.line("records of entities that the store does not have: \(count)")
        }
    }

    private func writeHistory() {
        console.line()
        guard let unsent = report.history.unsent else {
            return console.line("transactions after the last exported one: \(MirroringWords.unknown)")
        }
        guard !unsent.isEmpty else { return console.line("transactions after the last exported one: none to send") }
        table(
            ["author to send", "transactions", "changes"], right: [false, true, true],
            rows: unsent.map { [$0.author ?? "(none)", "\($0.transactions)", "\($0.changes)"] })
    }

    private func writeEvents() {
        console.line()
        guard let events = report.events else { return console.line("events: \(MirroringWords.unknown)") }
        guard !events.isEmpty else { return console.line("events: none") }
        table(
            ["started", "event", "result"],
            rows: events.map { [MirroringWords.date($0.start), MirroringWords.kind($0), MirroringWords.result($0)] })
        // The table would cut the errors.
        for event in events where event.succeeded == false {
            console.line(TextTable.oneLine(MirroringWords.failure(event)))
        }
    }

    private func writeZones() {
        console.line()
        guard let zones = report.zones else { return console.line("zones: \(MirroringWords.unknown)") }
        guard !zones.isEmpty else { return console.line("zones: none") }
        table(
            ["zone", "owner", "database", "records", "last fetch", "needs"],
            right: [false, false, false, true, false, false],
            rows: zones.map { zone in
                [
                    zone.name ?? MirroringWords.unknown, MirroringWords.owner(zone), MirroringWords.database(zone),
                    MirroringWords.count(zone.records),
                    MirroringWords.lastFetch(zone),
                    zone.needs.map(MirroringWords.need).joined(separator: ", "),
                ]
            })
    }
}
