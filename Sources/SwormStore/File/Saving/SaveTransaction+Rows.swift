import Foundation
import SwormPredicates
import SwormSQLite

extension SaveTransaction {
    // MARK: Insertions

    func insert() throws {
        var groups: [Int: [Int]] = [:]
        for (index, insertion) in request.insertions.enumerated() {
            groups[insertion.row.entity, default: []].append(index)
        }
        let arena = BindingArena()
        // The order of entities is fixed, so that equal saves write equal files.
        for (number, indexes) in groups.sorted(by: { $0.key < $1.key }) {
            let columns = self.columns[number - 1]
            var statement = try connection.base.statement(columns.insertion)
            for index in indexes {
                // The insertions are accessed by index, because a copy of an insertion would retain its lists.
                let row = request.insertions[index].row
                let key = try key(row)
                try statement.bind(key, at: 1)
                let lostVersion = request.insertions[index].lostVersion
                let version = lostVersion.map(Self.version(anewAfter:)) ?? 1
                try statement.bind(version, at: 2)
                if lostVersion != nil { result.renewedVersions[row] = version }
                let hasExact = !request.insertions[index].exact.isEmpty
                var parameter = 3
                for (place, write) in columns.writes.enumerated() {
                    if hasExact, let exact = request.insertions[index].exact[write.slot] {
                        try statement.bind(exact, at: parameter)
                        parameter += 1
                        continue
                    }
                    let isBound =
                        try !write.isExternal
                        && statement.bindPlain(
                            request.insertions[index].attributes[write.slot], as: write.type, at: parameter, in: arena)
                    if !isBound {
                        let value = request.insertions[index].attributes[write.slot]
                        let stored = try storedValue(value, for: columns.attributes[place], of: columns.entity)
                        try statement.bind(stored, at: parameter, in: arena)
                    }
                    parameter += 1
                }
                for toOne in columns.toOnes {
                    let destination = request.insertions[index].toOnes[toOne.slot]
                    let destinationKey = try destination.map { try self.key($0) }
                    try statement.bind(destinationKey.map(StoredValue.integer) ?? .null, at: parameter)
                    parameter += 1
                    if toOne.entityColumn != nil {
                        let entity = destination.map { StoredValue.integer(Int64($0.entity)) }
                        try statement.bind(entity ?? .null, at: parameter)
                        parameter += 1
                    }
                    if let order = toOne.orderColumn, let destinationKey {
                        leaveUnplaced(
                            key, owner: destinationKey, in: columns.table, ownerColumn: toOne.column, orderColumn: order
                        )
                    }
                }
                try statement.run(emptying: arena)
                if connection.base.changes == 0 { throw ignoredChange("insert", of: row) }
            }
        }
    }

    /// Returns the version after the given one, or 1 after the largest number: a file can contain any number.
    private static func version(after last: Int64) -> Int64 { last < .max ? max(last, 0) + 1 : 1 }

    /// Returns the version of a row that is inserted again after its deletion. The deleted row may have had later
    /// versions than the last known one, and other contexts may have read them, so the new version is far above that
    /// one.
    private static func version(anewAfter last: Int64) -> Int64 {
        let gap: Int64 = 1 << 20
        return last < .max - gap ? version(after: max(last, 0) + gap) : 1
    }

    // MARK: Updates

    func update() throws {
        let arena = BindingArena()
        result.updatedVersions = []
        result.updatedVersions.reserveCapacity(request.updates.count)
        var start = 0
        while start < request.updates.count {
            let end = endOfRun(from: start)
            if end > start {
                try updateAttributes(of: start..<end, in: arena)
            } else {
                try update(request.updates[start], in: arena)
            }
            start = max(end, start + 1)
        }
    }

    /// Returns the version that an update expects, or nil if its row was checked before.
    private func askedVersion(_ update: SaveRequest.Update) -> Int64? { asksForVersions ? update.version : nil }

    /// Returns the end of the run of updates, from the given one, that set the same plain attributes of one entity, so
    /// that one statement can execute all of them.
    private func endOfRun(from start: Int) -> Int {
        let first = request.updates[start]
        let columns = columns(of: first.row)
        guard first.toOnes.isEmpty, askedVersion(first) != nil,
            first.attributes.allSatisfy({ columns.attribute($0.slot)?.isExternal == false })
        else { return start }
        var end = start + 1
        while end < request.updates.count {
            let next = request.updates[end]
            guard next.row.entity == first.row.entity, next.toOnes.isEmpty, askedVersion(next) != nil,
                next.attributes.haveSameSlots(as: first.attributes)
            else { break }
            end += 1
        }
        return end
    }

    private func updateAttributes(of run: Range<Int>, in arena: BindingArena) throws {
        let columns = columns(of: request.updates[run.lowerBound].row)
        let places = request.updates[run.lowerBound].attributes.compactMap { columns.attribute($0.slot) }
        let assignments = ["Z_OPT = ?"] + places.map { "\($0.column) = ?" }
        var statement = try connection.base.statement(
            "UPDATE \(columns.table) SET \(assignments.joined(separator: ", ")) WHERE Z_PK = ? AND Z_ENT = ? AND Z_OPT = ?"
        )
        for index in run {
            let update = request.updates[index]
            let version = update.version ?? 0
            let next = Self.version(after: version)
            try statement.bind(next, at: 1)
            for (index, place) in places.enumerated() {
                let value = update.attributes.values[index]
                if try !statement.bindPlain(value, as: place.attribute.type, at: index + 2, in: arena) {
                    try statement.bind(try storedValue(value, for: place, of: columns.entity), at: index + 2, in: arena)
                }
            }
            try statement.bind(update.row.key, at: places.count + 2)
            try statement.bind(Int64(update.row.entity), at: places.count + 3)
            try statement.bind(version, at: places.count + 4)
            try statement.run(emptying: arena)
            guard connection.base.changes > 0 else { throw StaleUpdate() }
            result.updatedVersions.append(next)
        }
    }

    func update(_ update: SaveRequest.Update, in arena: BindingArena) throws {
        let columns = columns(of: update.row)
        var assignments = ["Z_OPT = ?"]
        let asked = askedVersion(update)
        let version = Self.version(after: asked ?? versions[update.row] ?? 0)
        var values: [StoredValue] = [.integer(version)]
        for (slot, value) in update.attributes {
            guard let place = columns.attribute(slot) else { continue }
            if place.isExternal { try noteReplacedFiles(of: update.row, [place]) }
            assignments.append("\(place.column) = ?")
            values.append(try storedValue(value, for: place, of: columns.entity))
        }
        for (slot, destination) in update.toOnes {
            guard let toOne = columns.toOne(slot) else { continue }
            let key = try destination.map { try self.key($0) }
            let stored = key.map(StoredValue.integer) ?? .null
            assignments.append("\(toOne.column) = ?")
            values.append(stored)
            if let column = toOne.entityColumn {
                assignments.append("\(column) = ?")
                values.append(destination.map { .integer(Int64($0.entity)) } ?? .null)
            }
            if let order = toOne.orderColumn {
                // The position in the old owner's order has no meaning for the new owner.
                assignments.append("\(order) = CASE WHEN \(toOne.column) IS ? THEN \(order) END")
                values.append(stored)
                if let key {
                    leaveUnplaced(
                        update.row.key, owner: key, in: columns.table, ownerColumn: toOne.column, orderColumn: order)
                }
            }
        }
        var conditions = "Z_PK = ?"
        values.append(.integer(update.row.key))
        if let asked {
            conditions += " AND Z_ENT = ? AND Z_OPT = ?"
            values += [.integer(Int64(update.row.entity)), .integer(asked)]
        }
        var statement = try connection.base.statement(
            "UPDATE \(columns.table) SET \(assignments.joined(separator: ", ")) WHERE \(conditions)")
        for (index, value) in values.enumerated() { try statement.bind(value, at: index + 1, in: arena) }
        try statement.run(emptying: arena)
        // The row exists if its version was checked before, so a trigger has ignored the change.
        if connection.base.changes == 0 {
            throw asked == nil ? ignoredChange("change", of: update.row) as any Error : StaleUpdate()
        }
        result.updatedVersions.append(version)
    }

    // MARK: Deletions

    func delete() throws {
        for deletion in request.deletions {
            let columns = columns(of: deletion.row)
            try noteReplacedFiles(of: deletion.row, columns.externalAttributes)
            try connection.run(
                "DELETE FROM \(columns.table) WHERE Z_PK = ? AND Z_ENT = ?",
                binding: [.integer(deletion.row.key), .integer(Int64(deletion.row.entity))])
            // The row was already deleted, together with its dependent rows.
            guard connection.base.changes > 0 else {
                try requireNone(
                    "Z_PK = ? AND Z_ENT = ?",
                    binding: [.integer(deletion.row.key), .integer(Int64(deletion.row.entity))],
                    in: columns.table, else: "delete \(columns.entity.name) p\(deletion.row.key)", of: columns.entity)
                continue
            }
            for slot in columns.entity.relationships.indices {
                switch layout.toMany(slot, in: columns.entity.number) {
                case .join(let join)?:
                    try removeJoinRows(of: deletion.row.key, in: join)
                case .oneWay(let column, let order)?:
                    let destination = columns.entity.relationships[slot].destination
                    let name = SQLName.quoted(column)
                    let reset = order.map { ", \(SQLName.quoted($0)) = NULL" } ?? ""
                    try connection.run(
                        "UPDATE \(self.columns[destination - 1].table) SET \(name) = NULL\(reset) WHERE \(name) = ?",
                        binding: [.integer(deletion.row.key)])
                case .inverse?, nil: continue
                }
            }
        }
    }

    private func removeJoinRows(of key: Int64, in join: StoreLayout.Join) throws {
        let table = SQLName.quoted(join.table)
        let sides = join.isReflexive ? [join.ownColumn, join.otherColumn] : [join.ownColumn]
        for side in sides {
            try connection.run("DELETE FROM \(table) WHERE \(SQLName.quoted(side)) = ?", binding: [.integer(key)])
        }
    }

    // MARK: External files

    /// Notes the files that columns of a row refer to, before the row is changed.
    private func noteReplacedFiles(of row: RowID, _ places: [EntityColumns.Attribute]) throws {
        guard !places.isEmpty else { return }
        // `substr` avoids reading inline content of any length in full.
        let list = places.map { "substr(\($0.column), 1, 64)" }.joined(separator: ", ")
        try connection.rows(
            "SELECT \(list) FROM \(columns(of: row).table) WHERE Z_PK = ?", binding: [.integer(row.key)]
        ) {
            statement in
            for index in places.indices {
                let file = statement.withBlob(index) { $0.flatMap(ExternalDataFolder.reference) }
                if let file { replacedFiles.insert(file) }
            }
        }
    }

    /// Notes the files that columns of the rows under a condition refer to, before the rows are changed.
    func noteFiles(of places: [EntityColumns.Attribute], in table: String, where condition: String) throws {
        for place in places {
            try connection.rows(
                "SELECT \(place.column) FROM \(table) WHERE length(\(place.column)) = 38 AND substr(\(place.column), 1, 1) = X'02' AND \(condition)"
            ) { statement in
                let file = statement.withBlob(0) { $0.flatMap(ExternalDataFolder.reference) }
                if let file { replacedFiles.insert(file) }
            }
        }
    }
}

/// An error that reports that the row of an update was deleted, or does not have the expected version.
struct StaleUpdate: Error {}
