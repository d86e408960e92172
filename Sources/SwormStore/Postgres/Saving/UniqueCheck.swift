#if PostgreSQL
import SwormPostgres
import SwormPredicates

/// The comparison of the unique values of a save with each other and with those of rows that exist, before the save has
/// written anything. The holders of the values are found by one statement for each constraint.
final class UniqueCheck {
    /// The number of inserted rows above which the index alone finds taken values. The comparison then follows.
    private static let longestList = 1000

    private struct Row {
        var row: RowID
        /// The index of the constraint.
        var constraint: Int
        /// The values after the save; nil for those that the row has already.
        var values: [ServerValue?]
    }

    private let save: ServerSave
    private var constraints: [(constraint: UniqueConstraint, columns: ServerColumns)] = []
    private var indexes: [UniqueConstraint: Int] = [:]
    /// The indexes of the constraints of an entity, by its number.
    private var indexesOfEntities: [Int: [Int]] = [:]
    private var rows: [Row] = []
    /// The columns that the save writes, by root entity and key.
    private var written: [RowID: Set<String>] = [:]
    private var deleted: Set<RowID> = []
    /// Whether the save has values that cannot be written. Their rows are left out.
    private var hasInvalidValues = false
    /// The rows that have the values, by the index of the row of the save.
    private var holders: [Int: [RowID]] = [:]

    init(_ save: ServerSave) {
        self.save = save
        let request = save.request
        deleted = Set(request.deletions.map { save.model.identity(of: $0.row) })
        if request.insertions.count <= Self.longestList || request.mayRepeatValues || save.isThorough {
            for index in request.insertions.indices { validating { try addInsertion(index) } }
        }
        for update in request.updates { validating { try add(update) } }
    }

    private func validating(_ body: () throws -> Void) { do { try body() } catch { hasInvalidValues = true } }

    // MARK: Values

    private func constraints(of columns: ServerColumns) -> [Int] {
        if let known = indexesOfEntities[columns.entity.number] { return known }
        let list = columns.uniqueConstraints(in: save.model).map { constraint in
            if let known = indexes[constraint] { return known }
            constraints.append((constraint, columns))
            indexes[constraint] = constraints.count - 1
            return constraints.count - 1
        }
        indexesOfEntities[columns.entity.number] = list
        return list
    }

    private func addInsertion(_ insertion: Int) throws {
        let row = save.request.insertions[insertion].row
        let columns = save.columns(of: row)
        for index in constraints(of: columns) {
            let values = try constraints[index].constraint.columns.map { column -> ServerValue? in
                if let place = columns.attributes.first(where: { $0.column == column }) {
                    return try save.value(ofInsertion: insertion, for: place, of: columns.entity)
                }
                guard let toOne = columns.toOnes.first(where: { $0.column == column }) else { return .null }
                let destination = save.request.insertions[insertion].toOnes[toOne.slot]
                return try destination.map { .integer(try save.key($0)) } ?? .null
            }
            rows.append(Row(row: row, constraint: index, values: values))
        }
    }

    private func add(_ update: SaveRequest.Update) throws {
        let columns = save.columns(of: update.row)
        var values: [String: ServerValue] = [:]
        for (slot, value) in update.attributes {
            guard let place = columns.attribute(slot) else { continue }
            values[place.column] = try ServerValue(value, for: place, of: columns.entity)
        }
        for (slot, destination) in update.toOnes {
            guard let toOne = columns.toOne(slot) else { continue }
            values[toOne.column] = try destination.map { .integer(try save.key($0)) } ?? .null
        }
        written[save.model.identity(of: update.row), default: []].formUnion(values.keys)
        for index in constraints(of: columns) {
            let names = constraints[index].constraint.columns
            guard names.contains(where: { values[$0] != nil }) else { continue }
            rows.append(Row(row: update.row, constraint: index, values: names.map { values[$0] }))
        }
    }

    // MARK: Statements

    /// Whether rows have some of their values already, which must be read before the holders are found.
    var needsValues: Bool { rows.contains { $0.values.contains(nil) } }

    /// Returns the statements that find the holders of the values.
    ///
    /// - Parameter afterValues: Whether the statements follow those that read values that rows have already. The holders can
    ///   be found earlier if there are no such values.
    func steps(afterValues: Bool) -> [ServerWrite.Step] {
        afterValues ? pendingHolders : needsValues ? valueSteps() : holderSteps()
    }

    private var pendingHolders: [ServerWrite.Step] { hasReadValues ? holderSteps() : [] }
    private var hasReadValues = false

    private func valueSteps() -> [ServerWrite.Step] {
        hasReadValues = true
        return constraints.indices.compactMap { index in
            let partial = rows.indices.filter { rows[$0].constraint == index && rows[$0].values.contains(nil) }
            guard !partial.isEmpty else { return nil }
            let (constraint, columns) = constraints[index]
            let places = Dictionary(partial.map { (rows[$0].row.key, $0) }, uniquingKeysWith: { first, _ in first })
            let parameters = Parameters()
            parameters.append(keys: places.keys)
            let list = constraint.columns.joined(separator: ", ")
            return ServerWrite.Step(
                "SELECT \(save.key), \(list) FROM \(constraint.table) WHERE \(save.key) = ANY($1)", with: parameters
            ) { [self] result in
                for found in 0..<result.rowCount {
                    guard let row = try result.int64(found, column: 0).flatMap({ places[$0] }) else { continue }
                    for (position, name) in constraint.columns.enumerated() where rows[row].values[position] == nil {
                        rows[row].values[position] = try result.serverValue(
                            found, column: position + 1, as: columns.type(ofColumn: name))
                    }
                }
            }
        }
    }

    private func holderSteps() -> [ServerWrite.Step] {
        constraints.indices.compactMap { index in
            let asked = rows.indices.filter { rows[$0].constraint == index && !isFree(rows[$0]) }
            guard !asked.isEmpty else { return nil }
            let (constraint, columns) = constraints[index]
            let parameters = Parameters()
            for (position, name) in constraint.columns.enumerated() {
                let values = asked.map { rows[$0].values[position] ?? .null }
                // A value that is too long for a message is rejected when it is written.
                guard parameters.append(values, as: columns.type(ofColumn: name)) else { return nil }
            }
            let list = constraint.columns.indices
            let number = columns.numbersEntities ? "t.\(SystemColumns.postgres.entity)" : "\(columns.storedNumber)"
            let arrays = list.map { "$\($0 + 1)" }.joined(separator: ", ")
            let names = list.map { "v\($0)" }.joined(separator: ", ")
            let tests = list.map { "t.\(constraint.columns[$0]) = u.v\($0)" }.joined(separator: " AND ")
            return ServerWrite.Step(
                "SELECT u.n, t.\(save.key), \(number) FROM unnest(\(arrays)) WITH ORDINALITY AS u(\(names), n) JOIN \(constraint.table) AS t ON \(tests) ORDER BY 1, 2",
                with: parameters
            ) { [self] result in
                for found in 0..<result.rowCount {
                    guard let place = try result.int(found, column: 0), asked.indices.contains(place &- 1),
                        let key = try result.int64(found, column: 1)
                    else { continue }
                    let entity = save.schema.entity(
                        stored: try result.int64(found, column: 2), in: columns.entity.number)
                    holders[asked[place - 1], default: []].append(RowID(entity: entity, key: key))
                }
            }
        }
    }

    /// Whether a row has no unique values, because one of them is NULL.
    private func isFree(_ row: Row) -> Bool { row.values.contains { $0 == nil || $0 == .null } }

    /// Returns the statements that fail if a constraint of the rows has no unique index, which finds values that the statements
    /// of this transaction cannot see. The server is asked once for each store.
    func indexSteps() -> [ServerWrite.Step] {
        let enforced = save.schema.enforcedConstraints
        let asked = Set(rows.map(\.constraint)).sorted().map { constraints[$0].constraint.probe(key: save.key) }
        return asked.filter { sql in enforced.withLock { !$0.contains(sql) } }.map { sql in
            ServerWrite.Step(sql) { _ in enforced.withLock { _ = $0.insert(sql) } }
        }
    }

    // MARK: Outcome

    /// Throws ``UniquenessConflicts`` if values belong to several rows, and the error of a value that cannot be written before
    /// that. Notes whether rows of the save exchange values.
    func check() throws {
        if hasInvalidValues { try save.checkValues() }
        struct Values: Hashable {
            var constraint: Int
            var values: [ServerValue]
        }
        var conflicts: [UniquenessConflicts.Conflict] = []
        var takers: [Values: RowID] = [:]
        for (index, row) in rows.enumerated() where !isFree(row) {
            let constraint = constraints[row.constraint].constraint
            let values = Values(constraint: row.constraint, values: row.values.map { ($0 ?? .null).comparable })
            if let other = takers[values] {
                conflicts.append(
                    .init(row: row.row, existing: other, constraint: constraint.properties, isInSave: true))
            } else {
                takers[values] = row.row
            }
            let own = try save.key(row.row)
            for holder in holders[index] ?? [] where holder.key != own {
                let identity = save.model.identity(of: holder)
                guard !deleted.contains(identity) else { continue }
                // A row that gets other values in this save is among the takers with its new values.
                guard written[identity]?.isDisjoint(with: constraint.columns) ?? true else {
                    save.exchangesValues = true
                    continue
                }
                conflicts.append(.init(row: row.row, existing: holder, constraint: constraint.properties))
            }
        }
        guard !conflicts.isEmpty else { return }
        try save.checkValues()
        throw UniquenessConflicts(conflicts: conflicts)
    }
}

extension UniqueConstraint {
    /// A statement without effect that the server rejects if no unique index enforces the constraint.
    func probe(key: String) -> String {
        "INSERT INTO \(table) (\(key)) SELECT 1 WHERE FALSE ON CONFLICT (\(columns.joined(separator: ", "))) DO NOTHING"
    }
}
#endif
