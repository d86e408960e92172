#if PostgreSQL
import SwormPredicates

/// The author of a write, as the history records it.
struct HistoryAuthor: Sendable {
    var author: String?
    var contextName: String?
}

/// The objects that one write inserts, changes and deletes, each of them once, for the history of a store on a server.
///
/// Properties are noted by their names, which stay the same when a later version of the model has more properties.
final class ServerHistoryNotes {
    /// An object, identified by its hierarchy, because a link to it does not reveal its entity.
    struct Object: Hashable {
        var root: Int
        var key: Int64
    }

    struct Deletion {
        /// The number of the entity on the server.
        var entity: Int64
        var object: Object
        /// The values that are preserved after the deletion, as JSON.
        var tombstone: String?
    }

    /// Rows of one hierarchy that were all changed in the same properties.
    struct Update {
        var root: Int
        var keys: [Int64]
        var columns: String?
    }

    let author: HistoryAuthor
    /// The inserted rows, by their entities.
    private(set) var insertions: [(entity: Int, keys: [Int64])] = []
    /// Keys between which all rows were inserted, by the root entities of the rows.
    private(set) var ranges: [(root: Int, keys: Range<Int64>)] = []
    /// The changed objects, in the order in which the write has met them.
    private(set) var changed: [Object] = []
    private(set) var properties: [Object: Set<String>] = [:]
    /// The entities of changed objects, as far as they are known.
    private(set) var entities: [Object: Int] = [:]
    private(set) var updates: [Update] = []
    private(set) var deletions: [Deletion] = []
    private var deleted: Set<Object> = []
    private var inserted: Set<Object> = []
    /// The transaction of the history, after it was written; nil if nothing was changed.
    var written: WrittenTransaction?
    /// Whether the statements that write the notes were made.
    var areTaken = false

    init(_ author: HistoryAuthor) { self.author = author }

    // MARK: Noting

    func insert(_ keys: [Int64], of entity: CompiledEntity) {
        guard !keys.isEmpty else { return }
        insertions.append((entity.number, keys))
        for key in keys { inserted.insert(Object(root: entity.root, key: key)) }
    }

    /// Notes that all rows between two keys were inserted.
    func insert(_ keys: Range<Int64>, root: Int) {
        if !keys.isEmpty { ranges.append((root, keys)) }
    }

    /// Notes that an object was changed.
    ///
    /// - Parameters:
    ///   - names: The names of the changed properties.
    ///   - entity: The entity of the object, if it is known.
    func change(_ object: Object, properties names: some Sequence<String>, entity: Int? = nil) {
        if properties[object] == nil { changed.append(object) }
        properties[object, default: []].formUnion(names)
        if let entity { entities[object] = entity }
    }

    /// Notes that a property of objects of a hierarchy was changed.
    func change(_ keys: [Int64], of root: Int, property name: String) {
        for key in keys { change(Object(root: root, key: key), properties: [name]) }
    }

    /// Notes that objects have lost members of a relationship; nil for objects without one.
    func change(_ keys: [Int64], at link: ServerLink?) {
        if let link { change(keys, of: link.entity.root, property: link.relationship.name) }
    }

    /// Notes that rows were changed, each of them once.
    func change(_ keys: [Int64], root: Int, properties names: Set<String>) {
        if !keys.isEmpty { updates.append(Update(root: root, keys: keys, columns: Self.columns(names))) }
    }

    func delete(_ deletion: Deletion) {
        if deleted.insert(deletion.object).inserted { deletions.append(deletion) }
    }

    // MARK: Notes

    func isInserted(_ object: Object) -> Bool {
        inserted.contains(object) || ranges.contains { $0.root == object.root && $0.keys.contains(object.key) }
    }

    func isDeleted(_ object: Object) -> Bool { deleted.contains(object) }

    /// Returns the names of properties as a change records them; nil without any.
    static func columns(_ names: some Sequence<String>) -> String? {
        let list = Set(names).sorted(by: SQLName.precedes)
        return list.isEmpty ? nil : list.joined(separator: ",")
    }

    /// Returns the names of properties that a change has recorded.
    static func names(_ columns: String) -> [String] { columns.split(separator: ",").map(String.init) }
}

/// A transaction that was added to the history of a store.
struct WrittenTransaction: Sendable {
    var number: Int64
    /// Whether all transactions with lower numbers had ended before.
    var isBehindHorizon: Bool
}

extension CompiledEntity {
    /// Returns the names of properties, as the history records them.
    func historyNames(_ slots: some Sequence<PropertySlot>) -> [String] { slots.map { name(of: $0) } }
}
#endif
