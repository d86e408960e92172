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
        // In the order of entities, so that a save writes the same file each time.
        for (number, indexes) in groups.sorted(by: { $0.key < $1.key }) {
            let columns = self.columns[number - 1]
            var statement = try connection.base.statement(columns.insertion)
            for index in indexes {
                let insertion = request.insertions[index]
                let key = try key(insertion.row)
                try statement.bind(key, at: 1)
                let version = insertion.lostVersion.map(Self.version(after:)) ?? 1
                try statement.bind(version, at: 2)
                if insertion.lostVersion != nil { result.versions[insertion.row] = version }
                var parameter = 3
                for (index, write) in columns.writes.enumerated() {
                    if !insertion.exact.isEmpty, let exact = insertion.exact[write.slot] {
                        try statement.bind(exact, at: parameter)
                        parameter += 1
                        continue
                    }
                    let value = insertion.attributes[write.slot]
                    let isBound =
                        try !write.isExternal && statement.bindPlain(value, write.type, at: parameter, in: arena)
                    if !isBound {
                        let stored = try storedValue(value, columns.attributes[index], columns.entity)
                        try statement.bind(stored, at: parameter, in: arena)
                    }
                    parameter += 1
                }
                for toOne in columns.toOnes {
                    let destination = insertion.toOnes[toOne.slot]
                    let destinationKey = try destination.map { try self.key($0) }
                    try statement.bind(destinationKey.map(StoredValue.integer) ?? .null, at: parameter)
                    parameter += 1
                    if toOne.entityColumn != nil {
                        let entity = destination.map { StoredValue.integer(Int64($0.entity)) }
                        try statement.bind(entity ?? .null, at: parameter)
                        parameter += 1
                    }
                    if let order = toOne.orderColumn, let destinationKey {
                        leaveUnplaced(key, owner: destinationKey, in: columns.table, toOne.column, order)
                    }
                }
                try statement.run(emptying: arena)
            }
        }
    }

    /// Begins again behind the highest number: a file can hold any.
    private static func version(after last: Int64) -> Int64 { last < .max ? max(last, 0) + 1 : 1 }

    // MARK: Updates

    func update() throws {
        let arena = BindingArena()
        for update in request.updates {
            let columns = columns(of: update.row)
            var assignments = ["Z_OPT = ?"]
            let version = Self.version(after: versions[update.row] ?? 0)
            var values: [StoredValue] = [.integer(version)]
            for (slot, value) in update.attributes {
                guard let place = columns.attribute(slot) else { continue }
                if place.isExternal { try noteReplacedFiles(of: update.row, [place]) }
                assignments.append("\(place.column) = ?")
                values.append(try storedValue(value, place, columns.entity))
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
                    // The place in the old owner's order says nothing in the new owner's.
                    assignments.append("\(order) = CASE WHEN \(toOne.column) IS ? THEN \(order) END")
                    values.append(stored)
                    if let key { leaveUnplaced(update.row.key, owner: key, in: columns.table, toOne.column, order) }
                }
            }
            var statement = try connection.base.statement(
                "UPDATE \(columns.table) SET \(assignments.joined(separator: ", ")) WHERE Z_PK = ?")
            for (index, value) in values.enumerated() { try statement.bind(value, at: index + 1, in: arena) }
            try statement.bind(update.row.key, at: values.count + 1)
            try statement.run(emptying: arena)
            result.versions[update.row] = version
        }
    }

    // MARK: Deletions

    func delete() throws {
        for deletion in request.deletions {
            let columns = columns(of: deletion.row)
            try noteReplacedFiles(of: deletion.row, columns.externalAttributes)
            try connection.run(
                "DELETE FROM \(columns.table) WHERE Z_PK = ? AND Z_ENT = ?",
                [.integer(deletion.row.key), .integer(Int64(deletion.row.entity))])
            // It was gone already, and so is what belonged to it.
            guard connection.base.changes > 0 else { continue }
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
                        [.integer(deletion.row.key)])
                case .inverse?, nil: continue
                }
            }
        }
    }

    private func removeJoinRows(of key: Int64, in join: StoreLayout.Join) throws {
        let table = SQLName.quoted(join.table)
        let sides = join.isReflexive ? [join.ownColumn, join.otherColumn] : [join.ownColumn]
        for side in sides {
            try connection.run("DELETE FROM \(table) WHERE \(SQLName.quoted(side)) = ?", [.integer(key)])
        }
    }

    // MARK: External files

    /// Notes the files that columns of a row refer to, before the row is changed.
    private func noteReplacedFiles(of row: SaveRequest.Row, _ places: [EntityColumns.Attribute]) throws {
        guard !places.isEmpty else { return }
        // `substr` keeps inline content of any length from being read in full.
        let list = places.map { "substr(\($0.column), 1, 64)" }.joined(separator: ", ")
        try connection.rows("SELECT \(list) FROM \(columns(of: row).table) WHERE Z_PK = ?", [.integer(row.key)]) {
            statement in
            for index in places.indices {
                let file = statement.withBlob(index) { $0.flatMap(ExternalDataFolder.reference) }
                if let file { replacedFiles.insert(file) }
            }
        }
    }

    /// Takes the files back out of `replacedFiles` to which a row still refers.
    func keepReferencedFiles() throws {
        var searched: Set<String> = []
        for columns in columns {
            for place in columns.externalAttributes where searched.insert("\(columns.table) \(place.column)").inserted {
                try connection.rows(
                    "SELECT \(place.column) FROM \(columns.table) WHERE length(\(place.column)) = 38 AND substr(\(place.column), 1, 1) = X'02'"
                ) { statement in
                    let file = statement.withBlob(0) { $0.flatMap(ExternalDataFolder.reference) }
                    if let file { replacedFiles.remove(file) }
                }
            }
        }
    }
}
