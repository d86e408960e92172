#if PostgreSQL
import SwormPredicates

/// The gathering of the changes of one transaction for the listeners of the store.
///
/// The rows are those that the statements report, and the changed properties come from the requests.
final class ServerChanges {
    /// A moment of the transaction to which it can be rolled back.
    struct Mark {
        fileprivate var rows = 0
        fileprivate var writes = 0
    }

    private struct Rows {
        var root: Int
        var kind: CommittedChanges.Kind
        var keys: [Int64]
    }

    private var rows: [Rows] = []
    private var writes: [WrittenProperties] = []

    /// Creates a gathering; nil if there are no listeners.
    init?(for listeners: CommitListeners) { if listeners.isEmpty { return nil } }

    var mark: Mark { Mark(rows: rows.count, writes: writes.count) }

    /// Forgets the changes after a moment, because they were rolled back.
    func cut(to mark: Mark) {
        rows.removeSubrange(min(mark.rows, rows.count)...)
        writes.removeSubrange(min(mark.writes, writes.count)...)
    }

    /// Adds changed rows of one hierarchy.
    func note(_ kind: CommittedChanges.Kind, of keys: some Sequence<Int64>, root: Int) {
        let keys = Array(keys)
        if !keys.isEmpty { rows.append(Rows(root: root, kind: kind, keys: keys)) }
    }

    /// Adds the properties that a successful write has changed.
    func note(_ properties: WrittenProperties) { writes.append(properties) }

    private var roots: [Int] { Set(rows.map(\.root)).sorted() }

    /// Returns the names of all entities whose rows or properties the transaction may have changed, or nil if they are
    /// known only after the changes were gathered.
    func entities(_ model: CompiledModel) -> [String]? {
        var names: [String] = []
        for root in roots {
            names.append(model[root].name)
            for number in model[root].family where !model[number].derivedSlots.isEmpty {
                names.append(model[number].name)
            }
        }
        for write in writes {
            guard !write.cutsLinks, write.unknownRoots.isEmpty else { return nil }
            for number in write.slots.keys { names.append(model[number].name) }
        }
        return names
    }

    /// Returns the changes of the transaction.
    func changes(_ model: CompiledModel) -> CommittedChanges {
        var changes = CommittedChanges()
        for part in rows {
            let root = model[part.root].name
            for key in part.keys { changes.note(part.kind, of: key, root: root) }
        }
        let roots = roots
        for write in writes { write.add(to: &changes, changedRoots: roots, model: model) }
        changes.author = writes.allSatisfy { $0.author == writes[0].author } ? writes.first?.author : nil
        // Derived values are written after the request, and belong to no request.
        for root in roots {
            for number in model[root].family where !model[number].derivedSlots.isEmpty {
                let entity = model[number]
                changes.note(properties: entity.derivedSlots.map { entity.name(of: .attribute($0)) }, of: entity.name)
            }
        }
        return changes
    }
}
#endif
