import Foundation
import SwormPredicates
import SwormSQLite

/// One save, which writes the values of a request into rows.
///
/// It runs inside a write transaction. If it throws an error, the caller rolls the transaction back and removes the
/// files in `writtenFiles`.
final class SaveTransaction {
    let connection: StoreConnection
    let model: CompiledModel
    let layout: StoreLayout
    let columns: [EntityColumns]
    let external: ExternalDataFolder
    let request: SaveRequest

    var result = SaveResult()
    /// The files that were written for this save.
    private(set) var writtenFiles: [UUID] = []
    /// The written files to which no row that another connection could read has ever referred, because the writes were
    /// repeated.
    private(set) var abandonedFiles: [UUID] = []
    /// The files to which rows referred before this save, and possibly not after it.
    var replacedFiles: Set<UUID> = []
    /// The rows that need a position in an ordered relationship, unless the request provides one.
    var unplaced: [OrderColumn: [Unplaced]] = [:]
    /// Whether updates find their rows by the expected versions, instead of checking the versions beforehand.
    private(set) var asksForVersions = true
    /// The previous versions of updated rows.
    var versions: [RowID: Int64] = [:]
    /// The tables of the store's history, or nil if the store has no history.
    private(set) var history: HistoryTables?
    /// The transaction that this save has added to the history, if any.
    var writtenHistory = WrittenHistory()
    /// Whether Core Data mirrors the store to CloudKit.
    private(set) var isMirrored = false
    /// The changes other than insertions that are recorded in the history.
    var notes = HistoryNotes()
    /// The number of changed rows that were recorded before this save, for the listeners of the file.
    private var recorded = 0
    private let open: OpenStore
    private let upkeep: DerivationUpkeep
    /// The limits of an inferred model, or nil if the model was not inferred.
    let limits: InferredLimits?
    /// Whether the connection's transaction contains nothing before this save. A second try then starts the transaction
    /// again instead of rolling back to a savepoint, because a savepoint would make SQLite copy every page before it is
    /// changed.
    private let isAlone: Bool

    init(
        _ request: SaveRequest, connection: StoreConnection, model: CompiledModel, open: OpenStore,
        external: ExternalDataFolder, isAlone: Bool
    ) {
        self.request = request
        self.isAlone = isAlone
        self.connection = connection
        self.model = model
        layout = open.layout
        columns = open.columns
        self.open = open
        upkeep = open.upkeep
        limits = open.limits
        self.external = external
    }

    func run() throws {
        try request.check(model: model, layout: layout)
        if let limits { try checkRequest(within: limits) }
        try checkVersions(includingUpdates: false)
        do {
            try checkDestinations()
            try checkMembers()
        } catch {
            try checkVersions(includingUpdates: true)
            throw error
        }
        try prepare()
        if request.mayRepeatValues { try checkUniqueValues() }
        do {
            try firstTry { try write(clearingUniqueValues: false) }
        } catch is StaleUpdate {
            forgetWork()
            try checkVersions(includingUpdates: true)
            // A statement cannot find a row by its version if the row has none, which reads as 0.
            asksForVersions = false
            try write(clearingUniqueValues: false)
        } catch let error as SQLiteError where error.isUniqueViolation {
            forgetWork()
            try checkVersions(includingUpdates: true)
            asksForVersions = false
            let conflicts = try uniquenessConflicts()
            guard conflicts.isEmpty else { throw UniquenessConflicts(conflicts: conflicts) }
            // No other row keeps the value in the end, so rows of the save exchange unique values. They release their
            // values first.
            try write(clearingUniqueValues: true)
        } catch let error as CoreDataError where asksForVersions {
            // Another version of a row counts for more than values that cannot be written.
            try checkVersionsOfUnwrittenRows()
            throw error
        }
        try checkInverses()
        if let limits { try checkDeletions(within: limits) }
        try writeHistory()
        collectTriggerChanges()
    }

    private func prepare() throws {
        connection.changes.removeAll()
        recorded = connection.base.recordedChanges
        try readHistoryTables()
        try allocateKeys()
        try noteRequest()
    }

    /// Finds the tables of the history, and throws an error if the changes could not reach the mirroring of the store.
    private func readHistoryTables() throws {
        let found = try open.history.read(connection, model: model, layout: layout)
        history = found.tables
        isMirrored = found.isMirrored
        if isMirrored { try open.refuseNewMirroring(keepsHistory: history != nil) }
    }

    /// Runs the closure, and undoes its changes if the writes must be repeated.
    private func firstTry(_ body: () throws -> Void) throws {
        guard isAlone else { return try connection.base.savepoint(body) }
        do {
            try body()
        } catch let error where error is StaleUpdate || (error as? SQLiteError)?.isUniqueViolation == true {
            if connection.base.isInTransaction { try connection.base.rollback() }
            connection.base.forgetChanges(after: recorded)
            try connection.base.begin(.immediate)
            // Other connections may have written in between.
            if let limits { try checkRequest(within: limits) }
            try checkVersions(includingUpdates: true)
            try checkDestinations()
            try checkMembers()
            result = SaveResult()
            notes = HistoryNotes()
            try prepare()
            throw error
        }
    }

    /// Runs statements that do not belong to a request, along with the work that every save does besides writing rows:
    /// external files, history, and the changes noted by triggers.
    func run<Output>(_ statements: () throws -> Output) throws -> Output {
        connection.changes.removeAll()
        try readHistoryTables()
        let output = try statements()
        try upkeep.settle(connection)
        try writeHistory()
        connection.changes.removeAll()
        return output
    }

    /// Whether changes must be recorded in the store's history.
    var keepsHistory: Bool { history != nil }

    private func write(clearingUniqueValues: Bool) throws {
        try delete()
        if clearingUniqueValues { try clearUniqueValues() }
        try update()
        try insert()
        try writeLinks()
        try writePositions()
        try placeTheRest()
        try upkeep.settle(connection)
    }

    /// Resets the state after a rollback to the savepoint. Files that were written remain noted, so that they are
    /// removed if the save fails; a repeated save writes them again.
    private func forgetWork() {
        unplaced = [:]
        result.rearranged = []
        connection.changes.removeAll()
        connection.base.forgetChanges(after: recorded)
        replacedFiles = []
        abandonedFiles = writtenFiles
    }

    func columns(of row: RowID) -> EntityColumns { columns[row.entity - 1] }

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

    /// Returns the bytes for a column of external binary data. Writes long content into a file.
    func externalColumn(_ data: Data) throws -> StoredValue {
        if data.count > ExternalDataFolder.inlineLimit, let identifier = try external.write(data) {
            writtenFiles.append(identifier)
            return .blob(ExternalDataFolder.referenceColumn(identifier))
        }
        return .blob(ExternalDataFolder.inlineColumn(data))
    }

    func storedValue(_ value: AttributeValue, for place: EntityColumns.Attribute, of entity: CompiledEntity) throws
        -> StoredValue
    {
        let stored = try StoredValue(value, for: place.attribute, of: entity)
        if place.isExternal, case .blob(let data) = stored { return try externalColumn(data) }
        return stored
    }
}
