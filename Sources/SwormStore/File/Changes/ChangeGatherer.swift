import SwormPredicates
import SwormSQLite

/// The gathering of the changes of one transaction for the listeners of the file.
///
/// The rows are those that SQLite reports, so that no row is missed that a trigger or a delete rule changes. The changed
/// properties come from the requests.
final class ChangeGatherer {
    /// A moment of the transaction to which it can be rolled back.
    struct Mark {
        fileprivate var rows = 0
        fileprivate var writes = 0
    }

    private let recorder: ChangeRecorder
    private let connection: StoreConnection
    private var writes: [WrittenProperties] = []

    /// Starts to record the changes of a connection; nil if the file has no listeners.
    init?(_ connection: StoreConnection, for listeners: CommitListeners) {
        if listeners.isEmpty { return nil }
        self.connection = connection
        recorder = connection.base.startRecording()
    }

    /// Ends the recording. Called before the connection is given back, because another thread may use it then.
    func stop() { connection.base.stopRecording() }

    var mark: Mark { Mark(rows: recorder.changes.count, writes: writes.count) }

    /// Forgets the changes after a moment, because they were rolled back.
    func cut(to mark: Mark) {
        connection.base.forgetChanges(after: mark.rows)
        writes.removeSubrange(min(mark.writes, writes.count)...)
    }

    /// Adds the properties that a successful write has changed.
    func note(_ properties: WrittenProperties) { writes.append(properties) }

    /// Whether the file has triggers that are not Core Data's. They may change values without changing the versions of rows.
    private var hasForeignTriggers: Bool { connection.hasForeignTriggers == true }

    /// Returns the names of all entities whose rows or properties the transaction may have changed, or nil if they are
    /// known only after the changes were gathered.
    ///
    /// - Parameters:
    ///   - contents: The contents of the store's tables.
    ///   - model: The model of the store.
    func entities(in contents: [String: ChangedTable], model: CompiledModel) -> [String]? {
        if hasForeignTriggers { return nil }
        var names: [String] = []
        for table in recorder.changedTables {
            switch content(of: table, in: contents) {
            case .hierarchy(let root)?:
                names.append(model[root].name)
                for number in model[root].family where !model[number].derivedSlots.isEmpty {
                    names.append(model[number].name)
                }
            case .links(let sides)?: names += sides.map { model[$0.entity].name }
            case nil: break
            }
        }
        for write in writes {
            guard !write.cutsLinks, write.unknownRoots.isEmpty else { return nil }
            for number in write.slots.keys { names.append(model[number].name) }
        }
        return names
    }

    /// Returns the content of a table with the given index in the recorder.
    private func content(of table: Int, in contents: [String: ChangedTable]) -> ChangedTable? {
        while connection.recordedTables.count <= table {
            connection.recordedTables.append(contents[recorder.tables[connection.recordedTables.count]])
        }
        return connection.recordedTables[table]
    }

    /// Returns the changes of the transaction.
    ///
    /// - Parameters:
    ///   - contents: The contents of the store's tables.
    ///   - model: The model of the store.
    func changes(in contents: [String: ChangedTable], model: CompiledModel) -> CommittedChanges {
        if hasForeignTriggers, !recorder.changes.isEmpty { return .unknown }
        var changes = CommittedChanges()
        var roots = ChangedRoots()
        var last: (table: Int, content: ChangedTable?)?
        for change in recorder.changes {
            if last?.table != change.table { last = (change.table, content(of: change.table, in: contents)) }
            switch last?.content {
            case .hierarchy(let root)?:
                roots.note(CommittedChanges.Kind(change.kind), of: change.key, root: root)
            case .links(let sides)?:
                for (entity, slot) in sides {
                    changes.note(properties: [model[entity].relationships[slot].name], of: model[entity].name)
                }
            case nil: break
            }
        }
        roots.move(to: &changes, model: model)
        for write in writes { write.add(to: &changes, changedRoots: roots.numbers, model: model) }
        changes.author = writes.allSatisfy { $0.author == writes[0].author } ? writes.first?.author : nil
        // Derived values are written by triggers and after the request, and belong to no request.
        for root in roots.numbers {
            for number in model[root].family where !model[number].derivedSlots.isEmpty {
                let entity = model[number]
                changes.note(properties: entity.derivedSlots.map { entity.name(of: .attribute($0)) }, of: entity.name)
            }
        }
        return changes
    }
}

/// The changed rows by the number of the root entity, of which a transaction seldom changes more than a few.
private struct ChangedRoots {
    private(set) var numbers: [Int] = []
    private var rows: [CommittedChanges.Rows] = []
    private var last = 0

    mutating func note(_ kind: CommittedChanges.Kind, of key: Int64, root: Int) {
        if !numbers.indices.contains(last) || numbers[last] != root {
            last = numbers.firstIndex(of: root) ?? numbers.count
            if last == numbers.count {
                numbers.append(root)
                rows.append(CommittedChanges.Rows())
            }
        }
        rows[last].note(kind, of: key)
    }

    mutating func move(to changes: inout CommittedChanges, model: CompiledModel) {
        for (number, rows) in zip(numbers, rows) { changes.rows[model[number].name] = rows }
        rows = []
    }
}

extension CommittedChanges.Kind {
    fileprivate init(_ kind: ChangeRecorder.Kind) {
        switch kind {
        case .insertion: self = .insertion
        case .update: self = .update
        case .deletion: self = .deletion
        }
    }
}
