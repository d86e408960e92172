import Foundation
import SwormStore

/// The transactions and changes of a history that a user asks for.
struct TimelineFilter {
    static let options = [
        OptionSpec(
            "since", value: "TIME",
            summary:
                "Only transactions from a time on: a day in UTC (2026-06-01), a time (2026-06-01T12:00:00Z), or a span "
                + "before now (36h, 30d, 4w)."),
        OptionSpec("until", value: "TIME", summary: "Only transactions before a time. A day is included."),
        OptionSpec("author", value: "NAME", summary: "Only transactions of an author; an empty name is no author."),
        OptionSpec("process", value: "NAME", summary: "Only transactions of a process."),
        OptionSpec("entity", value: "ENTITY", summary: "Only changes of an entity and of its sub-entities."),
        OptionSpec("object", value: "OBJECT", summary: "Only changes of one object, such as Book/17, one by one."),
    ]

    /// Seconds since 2001-01-01.
    var since: Double?
    var until: Double?
    var author: String?
    var process: String?
    /// The numbers of the entities; nil for all.
    var entities: ClosedRange<Int>?
    /// The key of the only object.
    var key: Int64?

    init() {}

    /// - Throws: ``ToolError`` for arguments that are not valid.
    init(_ arguments: Arguments, store: StoreReader) throws {
        since = try TimeOperand.seconds(arguments, option: "since", endsDay: false)
        until = try TimeOperand.seconds(arguments, option: "until", endsDay: true)
        author = arguments.value("author")
        process = arguments.value("process")
        entities = try arguments.value("entity").map { try store.entity($0).family }
        guard let text = arguments.value("object") else { return }
        let name = try ObjectOperand.name(text, in: store)
        guard entities == nil else {
            throw ToolError(.usage, "--object names the entity already", hint: "omit --entity")
        }
        // The object may have been deleted. All entities of its table share the keys.
        let entity = try store.entity(name.entity)
        entities = store.model[entity.root].family
        key = name.key
    }

    /// Whether only some changes of a transaction count.
    var selectsChanges: Bool { entities != nil || key != nil }

    /// Returns whether a transaction is asked for, whatever its changes.
    func contains(_ transaction: StoredTransaction) -> Bool {
        let seconds = transaction.timestamp.timeIntervalSinceReferenceDate
        if let since, seconds < since { return false }
        if let until, seconds >= until { return false }
        if let author, transaction.author ?? "" != author { return false }
        if let process, transaction.processID ?? "" != process { return false }
        return true
    }

    /// Returns whether a change is asked for.
    func contains(_ change: StoredChange) -> Bool {
        if let key, change.row.key != key { return false }
        return entities?.contains(change.row.entity) ?? true
    }
}
