#if PostgreSQL
import Foundation
import SwormPredicates

/// The indexes of the newest version that the tables of a store serve.
///
/// Indexes are not a part of a version: programs with the same version can have other ones, if one of them is newer. The set that
/// the store has not had before is the newest one.
struct ServerIndexes: Sendable, Hashable, Codable {
    typealias Index = ServerLeftovers.Index

    /// The newest set, without the schema in the definitions.
    var current: [Index] = []
    /// The digests of the sets before.
    var former: Set<String> = []

    init(_ indexes: [ServerIndex]) { current = indexes.map { Index(name: $0.name, definition: $0.signature) } }

    /// A text that is the same for equal sets.
    var digest: String {
        let lines = current.map { "\($0.name) \($0.definition)" }.sorted().joined(separator: "\n")
        return Data(SHA2.sha256(Array(lines.utf8))).base64EncodedString()
    }
}

/// The change from the indexes that a store has to those of a program with the same version. It accesses no server.
struct ServerIndexChange {
    private let prefix: String
    /// The state with the change.
    private(set) var state: ServerMigrationState
    /// The indexes that give up their names first, and those that get other names then.
    private var freed: [(from: String, to: String)] = []
    private var renames: [(from: String, to: String)] = []
    /// Whether there is a change.
    private(set) var isNeeded = true

    /// - Parameters:
    ///   - wanted: The indexes of the program.
    ///   - present: The names of the indexes that are finished.
    ///   - prefix: The schema with a period.
    init(_ wanted: [ServerIndex], present: Set<String>, state: ServerMigrationState, prefix: String) {
        self.prefix = prefix
        self.state = state
        let new = ServerIndexes(wanted)
        let before = state.indexes ?? ServerIndexes([])
        let isNew = before.digest != new.digest && !before.former.contains(new.digest)
        let missing = wanted.filter { !present.contains($0.name) && !state.creates($0) }
        // A program with an older set uses what there is. If its indexes were removed, the set has become the newest one again.
        guard isNew || !missing.isEmpty else {
            isNeeded = false
            return
        }
        if before.digest != new.digest {
            leave(before.current, wanted: wanted)
            self.state.indexes = new
            self.state.indexes?.former = before.former.union(state.indexes == nil ? [] : [before.digest])
                .subtracting([new.digest])
        }
        for index in wanted { provide(index, before: before.current, present: present) }
    }

    /// Keeps the indexes that only programs with the older set need, under other names if theirs are needed.
    private mutating func leave(_ before: [ServerIndexes.Index], wanted: [ServerIndex]) {
        let definitions = Set(wanted.map(\.signature))
        let needed = Set(wanted.map(\.name))
        for var index in before where !definitions.contains(index.definition) {
            // One that was not created is not needed any more.
            guard state.work.removeIndex(named: index.name) == nil else { continue }
            if needed.contains(index.name) { index.name = renamed(index.name, taken: needed) }
            state.leftovers.indexes.append(index)
        }
        for place in state.leftovers.indexes.indices {
            let index = state.leftovers.indexes[place]
            guard needed.contains(index.name), !definitions.contains(index.definition) else { continue }
            state.leftovers.indexes[place].name = renamed(index.name, taken: needed)
        }
    }

    private mutating func provide(_ index: ServerIndex, before: [ServerIndexes.Index], present: Set<String>) {
        let known = before.first { $0.definition == index.signature }
        if let place = state.leftovers.indexes.firstIndex(where: { $0.definition == index.signature }) {
            let left = state.leftovers.indexes.remove(at: place)
            if left.name != index.name { renames.append((from: left.name, to: index.name)) }
            return
        }
        if let known, known.name != index.name {
            // A step that creates it has its name.
            if state.work.removeIndex(named: known.name) != nil {
                state.work.append(ServerWork(index, in: prefix))
            } else {
                renames.append((from: known.name, to: index.name))
            }
            return
        }
        let isThere = known != nil ? present.contains(index.name) : present.contains(index.name) && before.isEmpty
        guard !isThere, !state.creates(index) else { return }
        state.work.append(ServerWork(index, in: prefix))
    }

    /// Gives an index a free name, and returns it.
    private mutating func renamed(_ name: String, taken: Set<String>) -> String {
        let others = taken.union(state.leftovers.indexes.map(\.name))
        let new = PostgresNames.free(["\(name)_old"]) { !others.contains($0) }
        freed.append((from: name, to: new))
        return new
    }

    /// The statements that rename indexes, in one transaction.
    var statements: [String] {
        (freed + ServerMigrationPlanner.steps(renames)).map { name, new in
            "ALTER INDEX IF EXISTS \(prefix)\(SQLName.alwaysQuoted(name)) RENAME TO \(SQLName.alwaysQuoted(new))"
        }
    }
}

extension ServerIndex {
    /// A text that is the same for indexes that differ in their names only, and in all schemas.
    var signature: String { (isUnique ? "UNIQUE " : "") + definition(in: "") }
}

extension [ServerWork] {
    /// Removes the step that creates an index, and returns it; nil if there is no such step.
    @discardableResult
    mutating func removeIndex(named name: String) -> ServerWork? {
        let place = firstIndex {
            if case .index(name, _, _) = $0.task { true } else { false }
        }
        return place.map { remove(at: $0) }
    }
}
#endif
