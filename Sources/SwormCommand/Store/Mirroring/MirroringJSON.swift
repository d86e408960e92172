import SwormStore

/// The state of a mirroring as JSON. Null means unknown.
enum MirroringJSON {
    static func value(_ report: MirroringReport?, path: String) -> JSONValue {
        guard let report else { return .object([("store", .string(path)), ("mirrored", .bool(false))]) }
        return .object([
            ("store", .string(path)), ("mirrored", .bool(true)),
            ("tables", .array(report.tables.map { .string($0) })), ("form", .optional(report.form?.rawValue)),
            ("hasAccount", flag(report.hasAccount)), ("nothingWaitsHere", flag(report.isDone)),
            ("waiting", value(report.waiting)),
            (
                "finished",
                .object([
                    ("records", number(report.finished.records)),
                    ("relationships", number(report.finished.relationships)),
                ])
            ),
            ("fetchesZonesAgain", .bool(report.fetchesZonesAgain)), ("entities", .array(report.entities.map(value))),
            ("rowsWithoutRecord", number(report.rowsWithoutRecord)),
            ("recordsWithoutRow", number(report.recordsWithoutRow)), ("strayRecords", number(report.strayRecords)),
            ("history", value(report.history)), ("events", list(report.events, each: value)),
            ("zones", list(report.zones, each: value)),
        ])
    }

    private static func number(_ number: Int64?) -> JSONValue { number.map { .int($0) } ?? .null }

    private static func flag(_ flag: Bool?) -> JSONValue { flag.map { .bool($0) } ?? .null }

    private static func date(_ seconds: Double?) -> JSONValue {
        guard let seconds else { return .null }
        let sink = ByteSink()
        DateText.write(seconds, to: sink)
        return .string(sink.text)
    }

    private static func list<Item>(_ items: [Item]?, each value: (Item) -> JSONValue) -> JSONValue {
        items.map { .array($0.map(value)) } ?? .null
    }

    private static func value(_ waiting: MirroringReport.Waiting) -> JSONValue {
        .object([
            ("total", number(waiting.total)), ("uploads", number(waiting.uploads)),
            ("deletions", number(waiting.deletions)), ("relationships", number(waiting.relationships)),
            ("shares", number(waiting.shares)), ("movedRecords", number(waiting.movedRecords)),
        ])
    }

    private static func value(_ entity: MirroringReport.Entity) -> JSONValue {
        .object([
            ("number", .int(entity.number)), ("name", .string(entity.name)), ("rows", number(entity.rows)),
            ("records", number(entity.records)), ("uploads", number(entity.uploads)),
            ("deletions", number(entity.deletions)), ("rowsWithoutRecord", number(entity.rowsWithoutRecord)),
            ("recordsWithoutRow", number(entity.recordsWithoutRow)),
        ])
    }

    private static func value(_ history: MirroringReport.History) -> JSONValue {
        let (state, last): (String?, Int64?) =
            switch history.export {
            case .nothing: ("nothing", nil)
            case .transactions(let number): ("transactions", number)
            case .unknown: (nil, nil)
            }
        return .object([
            ("exported", .optional(state)), ("lastExportedTransaction", number(last)),
            ("isContinuous", flag(history.isContinuous)),
            (
                "unsent",
                list(history.unsent) {
                    .object([
                        ("author", .optional($0.author)), ("transactions", .int($0.transactions)),
                        ("changes", .int($0.changes)),
                    ])
                }
            ),
        ])
    }

    private static func value(_ event: MirroringReport.Event) -> JSONValue {
        .object([
            ("type", .optional(event.kind.map { _ in MirroringWords.kind(event) })), ("started", date(event.start)),
            ("ended", date(event.end)), ("succeeded", flag(event.succeeded)),
            ("errorDomain", .optional(event.errorDomain)), ("errorCode", number(event.errorCode)),
            ("error", .optional(event.succeeded == true ? nil : MirroringWords.error(event))),
        ])
    }

    private static func value(_ zone: MirroringReport.Zone) -> JSONValue {
        .object([
            ("name", .optional(zone.name)), ("isOwnedByThisAccount", flag(zone.isUsers)),
            ("database", .optional(zone.scope.map { _ in MirroringWords.database(zone) })),
            ("records", number(zone.records)), ("lastFetch", date(zone.lastFetch)),
            ("hasChangeToken", flag(zone.hasChangeToken)),
            ("needs", .array(zone.needs.map { .string(MirroringWords.need($0)) })),
        ])
    }
}
