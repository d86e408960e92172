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

    private let recorder = ChangeRecorder()
    private let connection: Connection
    private var writes: [WrittenProperties] = []

    /// Starts to record the changes of a connection; nil if the file has no listeners.
    init?(_ connection: Connection, for listeners: CommitListeners) {
        if listeners.isEmpty { return nil }
        self.connection = connection
        connection.recorder = recorder
    }

    /// Ends the recording. Called before the connection is given back, because another thread may use it then.
    func stop() { connection.recorder = nil }

    var mark: Mark { Mark(rows: recorder.changes.count, writes: writes.count) }

    /// Forgets the changes after a moment, because they were rolled back.
    func cut(to mark: Mark) {
        recorder.cut(to: mark.rows)
        writes.removeSubrange(min(mark.writes, writes.count)...)
    }

    /// Adds the properties that a successful write has changed.
    func note(_ properties: WrittenProperties) { writes.append(properties) }

    /// Returns the changes of the transaction.
    ///
    /// - Parameters:
    ///   - contents: The contents of the store's tables.
    ///   - model: The model of the store.
    func changes(in contents: [String: ChangedTable], model: CompiledModel) -> CommittedChanges {
        var changes = CommittedChanges()
        let tables = recorder.tables.map { contents[$0] }
        var roots: Set<Int> = []
        for change in recorder.changes {
            guard let table = tables[change.table] else { continue }
            switch table {
            case .hierarchy(let root):
                roots.insert(root)
                changes.note(CommittedChanges.Kind(change.kind), of: change.key, root: model[root].name)
            case .links(let sides):
                for (entity, slot) in sides {
                    changes.note(properties: [model[entity].relationships[slot].name], of: model[entity].name)
                }
            }
        }
        for write in writes { write.add(to: &changes, changedRoots: roots, model: model) }
        changes.author = writes.allSatisfy { $0.author == writes[0].author } ? writes.first?.author : nil
        // Derived values are written by triggers and after the request, and belong to no request.
        for number in roots.flatMap({ model[$0].family }) {
            let entity = model[number]
            guard !entity.derivedSlots.isEmpty else { continue }
            changes.note(properties: entity.derivedSlots.map { entity.name(of: .attribute($0)) }, of: entity.name)
        }
        return changes
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
