#if PostgreSQL
import Foundation
import SwormPostgres
import SwormPredicates

/// One save, which writes the values of a request into rows on a server.
///
/// It reads what it must know in one trip to the server, and sends its changes in a second one, or a few. A save that
/// continues a view sends both together. If it throws an error, the caller undoes its changes.
final class ServerSave {
    let request: SaveRequest
    let write: ServerWrite
    /// Whether all rows are compared with the request before anything is written.
    var isThorough: Bool
    var result = SaveResult()
    /// The rows that were locked and exist, with their versions.
    var present: [RowID: (entity: Int, version: Int64)] = [:]
    /// The changes that were not sent yet.
    private var steps: [ServerWrite.Step] = []
    /// The rows that need a position in an ordered relationship, unless the request provides one.
    var unplaced: [OrderColumn: [Unplaced]] = [:]
    /// The derived attributes that have the time of the transaction.
    var timed: [(row: RowID, slot: Int)] = []
    /// Whether rows of the save exchange unique values.
    var exchangesValues = false
    /// Whether results of changes that were not sent yet are missing in the history.
    var awaitsNotes = false
    /// Whether changes were sent.
    private var hasSentChanges = false

    init(_ request: SaveRequest, in write: ServerWrite, isThorough: Bool) {
        self.request = request
        self.write = write
        self.isThorough = isThorough
    }

    var schema: ServerSchema { write.schema }
    var model: CompiledModel { write.model }
    var layout: StoreLayout { write.schema.layout }
    var key: String { SystemColumns.postgres.key }

    func columns(of row: RowID) -> ServerColumns { schema.columns(of: row) }

    /// Writes the request.
    func run() throws -> SaveResult {
        try request.check(model: model, layout: layout)
        try allocateKeys()
        try noteRequest()
        if write.continuesView { return try runInView() }
        try checkRows()
        do {
            try writeRows()
        } catch let error as CoreDataError where asksForVersion && !hasSentChanges {
            // Another version of the row counts for more than values that cannot be written.
            steps = []
            isThorough = true
            try checkRows()
            throw error
        }
        try checkInverses()
        return result
    }

    /// Writes the request along with its checks. If no keys have to be drawn, this takes one trip to the server.
    private func runInView() throws -> SaveResult {
        let check = try addChecks()
        try writeRows()
        try checkInverses()
        try check()
        return result
    }

    private func writeRows() throws {
        hasSentChanges = false
        delete()
        if exchangesValues { clearUniqueValues() }
        try update()
        try insert()
        try writeLinks()
        try writePositions()
        placeTheRest()
        if write.derivation != nil {
            try send()
            result.derived.merge(try write.settleDerivedValues()) { $0.merging($1) { $1 } }
        }
    }

    // MARK: Sending

    func add(_ step: ServerWrite.Step) { steps.append(step) }

    /// Sends the changes that were not sent yet, with further statements.
    func send(followedBy further: [ServerWrite.Step] = []) throws {
        let all = steps + further
        hasSentChanges = hasSentChanges || !steps.isEmpty
        steps = []
        try write.run(all)
        awaitsNotes = false
    }

    // MARK: Keys

    /// Assigns a key to every inserted row.
    private func allocateKeys() throws {
        let keys = InsertedKeys(of: request, model: model)
        for (root, key) in keys.highest.sorted(by: { $0.key < $1.key }) {
            if let statement = write.store.statement(reaching: key, root: root) { add(.init(statement)) }
        }
        // Keys that are drawn next must be behind those.
        if !keys.highest.isEmpty, !keys.temporary.isEmpty { try send() }
        result.keys = keys.assignedKeys
        for (root, keys) in keys.temporary {
            let new = try write.store.keys(keys.count, root: root, on: write.connection).joined()
            for (key, new) in zip(keys, new) { try result.keys.assignOnce(new, to: key) }
        }
    }

    /// Returns the final key of a row of the request.
    func key(_ row: RowID) throws -> Int64 {
        if row.key >= 0 { return row.key }
        guard let key = result.keys[row.key] else {
            throw CoreDataError(
                NSManagedObjectReferentialIntegrityError,
                "A relationship points to an object of '\(model[row.entity].name)' that has not been saved and is not part of this save.",
                entity: model[row.entity].name)
        }
        return key
    }

    // MARK: Errors

    /// Returns the error for a change that a trigger skipped.
    ///
    /// - Parameter verb: The change: "insert", "change", "delete".
    func ignoredChange(_ verb: String, of columns: ServerColumns) -> CoreDataError {
        CoreDataError(
            NSPersistentStoreSaveError,
            "Cannot \(verb) rows of \(columns.entity.name): a trigger or a policy of the table \(columns.table) skips the change, so it would be lost silently. Nothing was written. Remove it, or make it raise an error.",
            entity: columns.entity.name)
    }

    // MARK: Values

    /// Throws the error of the first value, in the order of writing, that its column cannot return unchanged.
    func checkValues() throws {
        for update in request.updates {
            let columns = columns(of: update.row)
            for (slot, value) in update.attributes {
                if let place = columns.attribute(slot) { _ = try ServerValue(value, for: place, of: columns.entity) }
            }
            for (_, destination) in update.toOnes { _ = try destination.map { try key($0) } }
        }
        let groups = Dictionary(grouping: request.insertions.indices) { request.insertions[$0].row.entity }
        for (number, indexes) in groups.sorted(by: { $0.key < $1.key }) {
            let columns = schema.columns[number - 1]
            for index in indexes {
                for place in columns.attributes {
                    _ = try value(ofInsertion: index, for: place, of: columns.entity)
                }
                for destination in request.insertions[index].toOnes { _ = try destination.map { try key($0) } }
            }
        }
    }

    /// Returns the value of an inserted row for a column.
    func value(
        ofInsertion index: Int, for place: ServerColumns.Attribute, of entity: CompiledEntity
    ) throws -> ServerValue {
        try request.insertions[index].exact[place.slot].map { try ServerValue($0, for: place, of: entity) }
            ?? ServerValue(request.insertions[index].attributes[place.slot], for: place, of: entity)
    }

    /// Returns the value for a column, and notes a date that the server rounds.
    func value(
        _ value: AttributeValue, for place: ServerColumns.Attribute, of row: RowID, in columns: ServerColumns
    ) throws -> ServerValue {
        let stored = try ServerValue(value, for: place, of: columns.entity)
        if case .date(let date) = value, case .date(let rounded) = stored, date != rounded {
            try note(.date(rounded), slot: place.slot, of: row)
        }
        return stored
    }

    /// Notes a value that the store has computed.
    func note(_ value: AttributeValue, slot: Int, of row: RowID) throws {
        result.derived[RowID(entity: row.entity, key: try key(row)), default: [:]][slot] = value
    }
}
#endif
