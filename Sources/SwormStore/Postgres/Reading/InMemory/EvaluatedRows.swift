#if PostgreSQL
import SwormPostgres
import SwormPredicates
import SwormRows

/// The source of rows that are tested in memory.
final class EvaluationSource {
    let session: PostgresSession
    let connection: PostgresConnection
    /// The names of the properties that may be read; nil for all.
    private let names: Set<String>?
    private var shapes: [Int: RowShape] = [:]

    init(session: PostgresSession, connection: PostgresConnection, names: Set<String>?) {
        self.session = session
        self.connection = connection
        self.names = names
    }

    var model: CompiledModel { session.store.model }

    /// Returns the shape of the rows of an entity, with the properties that may be read.
    func shape(of entity: Int) -> RowShape {
        if let known = shapes[entity] { return known }
        let shape = RowShape(model: model, entity: entity, only: names)
        shapes[entity] = shape
        return shape
    }
}

/// Rows of one entity and its sub-entities that are tested in memory, with the rows to which their relationships lead.
final class EvaluatedRows {
    let source: EvaluationSource
    let shape: RowShape
    let buffer: RowBuffer
    var count: Int { buffer.count }
    /// The destinations of the to-one relationships that were followed.
    private var destinations: [PropertyLocation: Destinations] = [:]
    /// The members of the to-many relationships that were followed.
    private var members: [PropertyLocation: Members] = [:]

    private struct Destinations {
        var rows: EvaluatedRows
        /// The index of each row by its key.
        var indices: [Int64: Int]
    }

    private struct Members {
        var rows: EvaluatedRows
        /// The rows of each owner's members, which follow each other.
        var ranges: [Int64: Range<Int>]
    }

    init(_ buffer: RowBuffer, shape: RowShape, source: EvaluationSource) {
        self.buffer = buffer
        self.shape = shape
        self.source = source
    }

    func key(_ row: Int) -> Int64 { buffer.int64(row: row, cell: RowShape.primaryKeyCell) }

    func entity(_ row: Int) throws -> CompiledEntity {
        let number = buffer.int64(row: row, cell: RowShape.entityCell)
        guard let entity = source.model.entity(numbered: number),
            source.model[shape.entity].family.contains(entity.number)
        else {
            throw CoreDataError.wrongEntity(ofRow: key(row), number: number, in: source.model[shape.entity].name)
        }
        return entity
    }

    func value(_ row: Int, slot: Int, of entity: CompiledEntity) throws -> AttributeValue {
        let cell = shape.cell(ofAttribute: slot, in: entity.number)
        guard cell >= 0 else { return entity.defaultValues[slot] }
        return try buffer.value(
            row: row, cell: cell, of: entity.attributes[slot], in: entity, session: source.session)
    }

    // MARK: Relationships

    /// Returns the destination of a to-one relationship, or nil if it is empty.
    func destination(_ row: Int, slot: Int, of entity: CompiledEntity) throws -> EvaluatedRow? {
        let cell = shape.cells(ofToOne: slot, in: entity.number).key
        guard cell >= 0, !buffer.isNull(row: row, cell: cell) else { return nil }
        let relationship = entity.relationships[slot]
        let location = PropertyLocation(entity: relationship.owner, slot: slot)
        let found = try destinations[location] ?? readDestinations(cell: cell, of: relationship)
        destinations[location] = found
        return found.indices[buffer.int64(row: row, cell: cell)].map { EvaluatedRow(rows: found.rows, row: $0) }
    }

    /// Reads the destinations of a relationship for all rows.
    private func readDestinations(cell: Int, of relationship: CompiledRelationship) throws -> Destinations {
        var keys: Set<Int64> = []
        for row in 0..<count where !buffer.isNull(row: row, cell: cell) {
            keys.insert(buffer.int64(row: row, cell: cell))
        }
        let shape = source.shape(of: relationship.destination)
        let compiled = source.session.compiler.rows(withKeys: keys.sorted(), shape: shape)
        let rows = try read(compiled, shape: shape)
        var indices: [Int64: Int] = [:]
        for row in 0..<rows.count { indices[rows.key(row)] = row }
        return Destinations(rows: rows, indices: indices)
    }

    /// Returns the members of a to-many relationship, in their order.
    func members(_ row: Int, slot: Int, of entity: CompiledEntity) throws -> [EvaluatedRow] {
        let location = PropertyLocation(entity: entity.relationships[slot].owner, slot: slot)
        let found = try members[location] ?? readMembers(slot: slot, of: entity.relationships[slot])
        members[location] = found
        return (found.ranges[key(row)] ?? 0..<0).map { EvaluatedRow(rows: found.rows, row: $0) }
    }

    /// Reads the members of a relationship for all rows.
    private func readMembers(slot: Int, of relationship: CompiledRelationship) throws -> Members {
        let shape = source.shape(of: relationship.destination)
        let keys = Set((0..<count).map { key($0) }).sorted()
        let compiled = try source.session.compiler.memberRows(
            ofRelationship: slot, in: relationship.owner, owners: keys, shape: shape, limit: Int.max)
        let rows = try read(compiled, shape: shape, more: [CellRule(.integer), CellRule(.integer)])
        let owner = shape.cells.count
        var ranges: [Int64: Range<Int>] = [:]
        var start = 0
        for row in 0..<rows.count {
            let key = rows.buffer.int64(row: row, cell: owner)
            if row + 1 == rows.count || rows.buffer.int64(row: row + 1, cell: owner) != key {
                ranges[key] = start..<row + 1
                start = row + 1
            }
        }
        return Members(rows: rows, ranges: ranges)
    }

    private func read(
        _ compiled: CompiledStatement, shape: RowShape, more: [CellRule] = []
    ) throws -> EvaluatedRows {
        let result = try source.connection.run(SQLStatement(compiled))
        return EvaluatedRows(
            try source.session.buffer([result], shape: shape, more: more), shape: shape, source: source)
    }
}
#endif
