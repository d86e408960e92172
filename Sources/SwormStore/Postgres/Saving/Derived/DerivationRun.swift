#if PostgreSQL
import Foundation
import SwormPostgres
import SwormPredicates
import SwormRows

/// The derived values that one write affects.
///
/// The write notes the rows that it changes. At its end, the values of the rows that depend on them are computed, until no
/// other value changes as a result.
final class DerivationRun {
    private let derivations: ServerDerivations
    private var rules: [ServerDerivations.Rule] { derivations.rules }
    /// The rows whose values must be computed, by rule.
    private var pending: [Set<Int64>]
    /// The changed rows on which other rows depend, by rule and by the number of relationships between them.
    private var changed: [[Int: Set<Int64>]]
    /// The members of pairs that were added or removed, by rule.
    private var members: [Set<Int64>]
    private var result: [RowID: [Int: AttributeValue]] = [:]

    /// Creates a run; nil if there is nothing to derive.
    init?(_ derivations: ServerDerivations) {
        guard !derivations.rules.isEmpty else { return nil }
        self.derivations = derivations
        pending = Array(repeating: [], count: derivations.rules.count)
        changed = Array(repeating: [:], count: derivations.rules.count)
        members = Array(repeating: [], count: derivations.rules.count)
    }

    // MARK: Noting

    /// Notes inserted rows of a hierarchy.
    ///
    /// - Parameter ownValuesAreWritten: Whether the values that depend on the row itself only were written with it.
    func noteInserted(_ keys: some Sequence<Int64>, root: Int, ownValuesAreWritten: Bool) {
        let keys = Set(keys)
        guard !keys.isEmpty else { return }
        for (index, rule) in rules.enumerated() {
            if rule.root == root, !(rule.isOwn && ownValuesAreWritten) { pending[index].formUnion(keys) }
            if case .column(let column, _) = rule.source, column.root == root {
                changed[index][1, default: []].formUnion(keys)
            }
        }
    }

    /// Notes updated rows of a hierarchy.
    ///
    /// - Parameters:
    ///   - columns: The names of the changed columns as SQL text writes them, of attributes and of relationships.
    ///   - ownValuesAreWritten: Whether the values that depend on the row itself only were written with it.
    ///   - isSave: Whether the versions of the rows changed.
    func noteChanged(
        _ keys: some Sequence<Int64>, root: Int, columns: some Sequence<String>, ownValuesAreWritten: Bool,
        isSave: Bool = true
    ) {
        let keys = Set(keys)
        guard !keys.isEmpty else { return }
        for name in columns {
            for (index, distance) in derivations.readers[.init(root: root, name: name)] ?? [] {
                if distance > 0 {
                    changed[index][distance, default: []].formUnion(keys)
                } else if !(rules[index].isOwn && ownValuesAreWritten) {
                    pending[index].formUnion(keys)
                }
            }
        }
        guard isSave, !ownValuesAreWritten else { return }
        for (index, rule) in rules.enumerated() where rule.root == root {
            if case .now = rule.source { pending[index].formUnion(keys) }
        }
    }

    /// Notes pairs that were added to a join table, or removed.
    ///
    /// - Parameters:
    ///   - join: The join table, seen from one of its sides.
    ///   - own: The keys of the objects on this side.
    ///   - other: The keys of the objects on the other side.
    func noteLinks(_ join: ServerDerivations.Join, own: some Sequence<Int64>, other: some Sequence<Int64>) {
        for (index, rule) in rules.enumerated() {
            guard case .join(let own_, _, _) = rule.source, own_.table == join.table else { continue }
            if own_.own == join.own || join.isReflexive { note(own, with: other, of: index) }
            if own_.own == join.other || join.isReflexive { note(other, with: own, of: index) }
        }
    }

    private func note(_ owners: some Sequence<Int64>, with members: some Sequence<Int64>, of index: Int) {
        pending[index].formUnion(owners)
        self.members[index].formUnion(members)
    }

    /// Notes objects that lose members, whose column has their keys.
    func noteOwners(_ owners: some Sequence<Int64>, of column: ServerDerivations.Column) {
        for (index, rule) in rules.enumerated() {
            if case .column(column, _) = rule.source { pending[index].formUnion(owners) }
        }
    }

    /// Returns statements, to run before rows are changed or deleted, that note the owners of which they are members.
    ///
    /// - Parameters:
    ///   - columns: The names of the columns to be changed; nil for rows to be deleted.
    func stepsNotingOwners(of keys: some Collection<Int64>, root: Int, columns: Set<String>?) -> [ServerWrite.Step] {
        guard !keys.isEmpty else { return [] }
        return rules.enumerated().compactMap { index, rule in
            switch rule.source {
            case .column(let column, _):
                guard column.root == root, columns?.contains(column.name) ?? true else { return nil }
            case .join(_, _, let members): guard members == root, columns == nil else { return nil }
            case .now, .path: return nil
            }
            guard let sql = rule.rows(at: 1) else { return nil }
            return step(sql, keys: keys) { self.pending[index].formUnion($0) }
        }
    }

    private func step(
        _ sql: String, keys: some Collection<Int64>, take: @escaping ([Int64]) throws -> Void
    ) -> ServerWrite.Step {
        let parameters = Parameters()
        parameters.append(keys: keys)
        return ServerWrite.Step(sql, with: parameters) { try take($0.keys()) }
    }

    // MARK: Computing

    /// Computes the values, until no other value changes as a result.
    ///
    /// Values that are computed from values of the same attribute, in other rows, take several rounds. Rows that form a cycle
    /// may never converge. In all other cases, as many rounds as there are values suffice.
    func settle(_ write: ServerWrite) throws -> [RowID: [Int: AttributeValue]] {
        var affected = Array(repeating: Set<Int64>(), count: rules.count)
        var rounds = 0
        while true {
            for index in rules.indices { try findRows(index, write: write) }
            guard pending.contains(where: { !$0.isEmpty }) else { break }
            for index in rules.indices { affected[index].formUnion(pending[index]) }
            guard rounds < affected.reduce(0, { $0 + $1.count }) else { break }
            rounds += 1
            for index in rules.indices {
                try findRows(index, write: write)
                let keys = pending[index].sorted()
                pending[index] = []
                if !keys.isEmpty { try compute(index, for: keys, write: write) }
            }
        }
        return result
    }

    /// Finds the rows whose values depend on changed rows.
    private func findRows(_ index: Int, write: ServerWrite) throws {
        guard !changed[index].isEmpty else { return }
        let found = changed[index]
        changed[index] = [:]
        try write.run(
            found.sorted { $0.key < $1.key }.compactMap { distance, keys in
                rules[index].rows(at: distance).map { step($0, keys: keys) { self.pending[index].formUnion($0) } }
            })
    }

    private func compute(_ index: Int, for keys: [Int64], write: ServerWrite) throws {
        let rule = rules[index]
        if case .now = rule.source { return try setTime(index, of: keys, write: write) }
        // Two transactions that change members of one owner must not both compute its value without the other's change.
        // Either the owner is locked before its members are read, or both write it, and the second one is rejected.
        var steps = write.readsLatest ? [step(rule.locking, keys: keys) { _ in }] : []
        let writesAll = !write.readsLatest && !write.isExclusive
        if !write.isExclusive { steps += sourceLocks(index, of: keys, writing: writesAll) }
        guard let computation = rule.computation(writesAll: writesAll) else {
            try write.run(steps)
            return try form(index, of: keys, write: write)
        }
        let parameters = Parameters()
        parameters.append(keys: keys)
        steps.append(
            ServerWrite.Step(computation, with: parameters) { result in
                var changed: [Int64] = []
                for row in 0..<result.rowCount {
                    let key = try result.int64(row, column: 0) ?? 0
                    guard try result.bool(row, column: 3) != true else { throw rule.overflow(of: key) }
                    let value = try result.serverValue(row, column: 2, as: rule.place.type)
                    try self.take(value, of: rule, key: key, number: result.int64(row, column: 1), write)
                    if try result.bool(row, column: 4) == true { changed.append(key) }
                }
                self.note(changed, of: rule, write: write)
            })
        try write.run(steps)
    }

    /// Returns the steps that lock the rows from which values are computed. A transaction that changes one of them at the same
    /// time may not see the rows that get the values, and would not compute them.
    private func sourceLocks(_ index: Int, of keys: [Int64], writing: Bool) -> [ServerWrite.Step] {
        let added = members[index].sorted()
        members[index] = []
        let locks = rules[index].sourceLocks(writing: writing).map { step($0, keys: keys) { _ in } }
        guard !added.isEmpty, let lock = rules[index].memberLock(writing: writing) else { return locks }
        return locks + [step(lock, keys: added) { _ in }]
    }

    /// Computes a form of strings that only this process knows.
    private func form(_ index: Int, of keys: [Int64], write: ServerWrite) throws {
        let rule = rules[index]
        guard let reading = rule.reading else { return }
        let parameters = Parameters()
        parameters.append(keys: keys)
        var changed: [(key: Int64, value: ServerValue)] = []
        try write.run([
            ServerWrite.Step(reading, with: parameters) { result in
                for row in 0..<result.rowCount {
                    let key = try result.int64(row, column: 0) ?? 0
                    let value = try result.string(row, column: 2).map(rule.derived.formed).map { ServerValue.text($0) }
                    let before = try result.serverValue(row, column: 3, as: .text)
                    try self.take(value ?? .null, of: rule, key: key, number: result.int64(row, column: 1), write)
                    if (value ?? .null).comparable != before.comparable { changed.append((key, value ?? .null)) }
                }
            }
        ])
        guard !changed.isEmpty else { return }
        let values = Parameters()
        values.append(keys: changed.map(\.key))
        guard values.append(changed.map(\.value), as: .text) else { throw rule.overflow(of: changed[0].key) }
        try write.run([ServerWrite.Step(rule.assignment, with: values)])
        note(changed.map(\.key), of: rule, write: write)
    }

    private func setTime(_ index: Int, of keys: [Int64], write: ServerWrite) throws {
        let rule = rules[index]
        let time = ServerValue.date(try write.time())
        let parameters = Parameters()
        parameters.append(keys: keys)
        try write.run([
            ServerWrite.Step(rule.timing, with: parameters) { result in
                var changed: [Int64] = []
                for row in 0..<result.rowCount {
                    let key = try result.int64(row, column: 0) ?? 0
                    try self.take(time, of: rule, key: key, number: result.int64(row, column: 1), write)
                    changed.append(key)
                }
                self.note(changed, of: rule, write: write)
            }
        ])
    }

    private func take(
        _ value: ServerValue, of rule: ServerDerivations.Rule, key: Int64, number: Int64?, _ write: ServerWrite
    ) throws {
        let entity = write.schema.entity(stored: number, in: rule.derived.entity.number)
        guard let value = value.value(as: rule.place.attribute.type) else { return }
        result[RowID(entity: entity, key: key), default: [:]][rule.derived.slot] = value
    }

    private func note(_ keys: [Int64], of rule: ServerDerivations.Rule, write: ServerWrite) {
        write.changes?.note(.update, of: keys, root: rule.root)
        noteChanged(
            keys, root: rule.root, columns: CollectionOfOne(rule.place.column), ownValuesAreWritten: false,
            isSave: false)
    }
}

extension DerivedAttribute {
    /// Returns the form of a string that the attribute has.
    func formed(_ text: String) -> String {
        switch derivation.form {
        case .plain: text
        case .uppercase: text.uppercased()
        case .lowercase: text.lowercased()
        case .canonical: canonicalForm(of: text)
        }
    }
}

extension ServerDerivations.Rule {
    /// Returns the error for a value that the attribute cannot hold.
    fileprivate func overflow(of key: Int64) -> CoreDataError {
        let (entity, attribute) = (derived.entity.name, place.attribute)
        return CoreDataError(
            NSValidationNumberTooLargeError,
            "The value of '\(entity).\(attribute.name)' (\(attribute.derivation ?? "")) of the row \(key) is out of the range of \(attribute.type.displayName). Nothing was saved. Use smaller values, or give the derived attribute the type Decimal or Double, which can hold such a value.",
            entity: entity, key: attribute.name)
    }
}

extension PostgresResult {
    /// Returns the keys in the first column.
    func keys() throws -> [Int64] {
        var keys: [Int64] = []
        keys.reserveCapacity(rowCount)
        for row in 0..<rowCount { if let key = try int64(row, column: 0) { keys.append(key) } }
        return keys
    }
}
#endif
