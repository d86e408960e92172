#if PostgreSQL
import Foundation
import SwormPostgres
import SwormPredicates

extension ServerSave {
    /// Inserts the new rows: up to a thousand of an entity by arrays, and more by COPY if the table allows it.
    func insert() throws {
        var groups: [Int: [Int]] = [:]
        for (index, insertion) in request.insertions.enumerated() {
            groups[insertion.row.entity, default: []].append(index)
        }
        for (number, indexes) in groups.sorted(by: { $0.key < $1.key }) {
            let columns = schema.columns[number - 1]
            if indexes.count > Self.longestList, try allowsCopy(columns) {
                try copy(indexes, columns: columns)
            } else {
                try insert(indexes, columns)
            }
            let keys = try indexes.map { try key(request.insertions[$0].row) }
            write.changes?.note(.insertion, of: keys, root: columns.entity.root)
            write.history?.insert(keys, of: columns.entity)
            write.derivation?.noteInserted(keys, root: columns.entity.root, ownValuesAreWritten: true)
        }
    }

    /// The columns that an insertion writes beside the entity number and the times.
    private func insertedColumns(_ columns: ServerColumns) -> [WrittenColumns.Column] {
        [.init(name: key, type: .int8), .init(name: SystemColumns.postgres.version, type: .int8)]
            + columns.attributes.map { .init(name: $0.column, type: $0.type) }
            + columns.derived.filter { $0.source != nil }.map { .init(name: $0.place.column, type: $0.place.type) }
            + columns.toOnes.map { .init(name: $0.column, type: .int8) }
    }

    /// Returns the values of ``insertedColumns(_:)``.
    private func values(_ index: Int, columns: ServerColumns) throws -> [ServerValue] {
        // The insertions are accessed by index, because a copy of an insertion would retain its lists.
        let row = request.insertions[index].row
        let key = try key(row)
        let lostVersion = request.insertions[index].lostVersion
        let version = lostVersion.map(Self.version(anewAfter:)) ?? 1
        if lostVersion != nil { result.renewedVersions[row] = version }
        var values: [ServerValue] = [.integer(key), .integer(version)]
        for place in columns.attributes {
            if let exact = request.insertions[index].exact[place.slot] {
                values.append(try ServerValue(exact, for: place, of: columns.entity))
            } else {
                values.append(
                    try value(request.insertions[index].attributes[place.slot], for: place, of: row, in: columns))
            }
        }
        for derived in columns.derived {
            guard let source = derived.source else {
                try noteTime(derived, of: row)
                continue
            }
            values.append(try value(derived, from: request.insertions[index].attributes[source], row: row, columns))
        }
        for toOne in columns.toOnes {
            let destination = try request.insertions[index].toOnes[toOne.slot].map { try self.key($0) }
            values.append(destination.map { .integer($0) } ?? .null)
            if let order = toOne.orderColumn, let destination {
                leaveUnplaced(
                    key, owner: destination, in: columns.table, ownerColumn: toOne.column, orderColumn: order)
            }
        }
        return values
    }

    // MARK: Arrays

    private func insert(_ indexes: [Int], _ columns: ServerColumns) throws {
        var rows = WrittenColumns(insertedColumns(columns))
        for index in indexes {
            rows.append(try values(index, columns: columns))
            if rows.isFull {
                try addInsertion(rows, columns: columns)
                rows.removeAll()
                // Many rows are not kept until all of them can be sent.
                if indexes.count > Self.longestList { try send() }
            }
        }
        if rows.rowCount > 0 { try addInsertion(rows, columns: columns) }
    }

    private func addInsertion(_ rows: WrittenColumns, columns: ServerColumns) throws {
        var names = rows.columns.compactMap(\.name)
        var values = rows.columns.indices.map { rows.value($0) }
        if columns.numbersEntities {
            names.append(SystemColumns.postgres.entity)
            values.append(String(columns.storedNumber))
        }
        for time in columns.derived where time.source == nil {
            names.append(time.place.column)
            values.append(Self.now(for: time.place))
        }
        let source = rows.rowCount == 1 ? "" : " FROM \(rows.source)"
        let count = rows.rowCount
        add(
            .init(
                "INSERT INTO \(columns.table) (\(names.joined(separator: ", "))) SELECT \(values.joined(separator: ", "))\(source)",
                with: try rows.parameters(of: columns.entity)
            ) { [self] result in
                guard result.affectedRows == count else { throw ignoredChange("insert", of: columns) }
            })
    }

    // MARK: COPY

    /// Sends the changes that were not sent yet, and returns whether the server accepts COPY into a table.
    private func allowsCopy(_ columns: ServerColumns) throws -> Bool {
        var allowsCopy = false
        try send(followedBy: [ServerWrite.copyQuestion(columns.table) { allowsCopy = $0 }])
        return allowsCopy
    }

    private func copy(_ indexes: [Int], columns: ServerColumns) throws {
        let times = columns.derived.filter { $0.source == nil }
        let time = times.isEmpty ? nil : try write.time()
        // COPY is not a part of a pipeline.
        try send()
        let written = insertedColumns(columns)
        var names = written.compactMap(\.name)
        var types = written.map(\.type)
        if columns.numbersEntities {
            names.append(SystemColumns.postgres.entity)
            types.append(.int2)
        }
        for time in times {
            names.append(time.place.column)
            types.append(time.place.type)
        }
        let end = try times.map { derived in
            try ServerValue(time.map { .date($0) } ?? .null, for: derived.place, of: columns.entity)
        }
        let table = "\(columns.table) (\(names.joined(separator: ", ")))"
        let count = try write.connection.copyIn(into: table, types: types) { writer in
            for index in indexes {
                var values = try self.values(index, columns: columns)
                if columns.numbersEntities { values.append(.integer(columns.storedNumber)) }
                values += end
                try writer.beginRow()
                for (value, type) in zip(values, types) {
                    guard writer.write(value, as: type) else {
                        throw CoreDataError(
                            NSManagedObjectValidationError,
                            "A value of \(columns.entity.name) is too long: a message to the server takes less than a gibibyte. Nothing was saved.",
                            entity: columns.entity.name)
                    }
                }
            }
        }
        guard count == indexes.count else { throw ignoredChange("insert", of: columns) }
    }
}
#endif
