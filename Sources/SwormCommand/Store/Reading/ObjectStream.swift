import Foundation
import OpenCoreData
import SwormPredicates
import SwormSQLite
import SwormStore

/// The objects of exactly one entity in key order, with their relationships. Only a few hundred are in memory at once.
final class ObjectStream {
    private static let batch = 500

    private let store: StoreReader
    private let session: any StoreSession
    private let entity: CompiledEntity
    private let cursor: any ProjectionCursor
    private let columns: [ValueColumn]
    private let attributeCount: Int
    private let writer: ExactWriter
    /// The slots of the to-one relationships among the columns, and those of the to-many relationships.
    private let toManys: [Int]
    /// The keys in join tables that do not identify an object, by slot and owner.
    private var strays: [Int: [Int64: [Int64]]] = [:]
    private var waiting: [ObjectRecord] = []
    private var next = 0

    /// - Parameters:
    ///   - names: The attributes to read, without relationships; nil for everything.
    ///   - session: The view to read from; nil for that of the reader.
    ///   - predicate: The condition that the objects match; nil for all objects.
    init(
        from store: StoreReader, of entity: CompiledEntity, blobs: BlobStyle, only names: [String]? = nil,
        in session: (any StoreSession)? = nil, matching predicate: PredicateTree? = nil
    ) throws {
        let session = session ?? store.session
        self.store = store
        self.session = session
        self.entity = entity
        let attributes = entity.attributes.filter {
            !$0.isTransient && $0.type != .undefined && names?.contains($0.name) ?? true
        }
        let toOnes = names == nil ? entity.relationships.filter { !$0.isToMany && !$0.isTransient } : []
        toManys = entity.relationships.indices.filter {
            names == nil && entity.relationships[$0].isToMany && !entity.relationships[$0].isTransient
        }
        let titles = ["self"] + attributes.map(\.name) + toOnes.map(\.name)
        let expressions: [ExpressionTree] =
            [.evaluatedObject] + titles.dropFirst().map { .path($0.split(separator: ".").map(String.init)) }
        var fetch = FetchSpecification(entity: entity.number)
        fetch.includesSubentities = false
        fetch.predicate = predicate
        cursor = try session.cursor(ProjectionSpecification(fetch: fetch, tree: ProjectionTree(expressions)))
        columns = ValueColumn.columns(
            cursor.columns, titles: titles, expressions: expressions, entity: entity, model: store.model)
        attributeCount = attributes.count
        writer = ExactWriter(blobs: blobs, session: session, missingFiles: store.missingFiles)
        for slot in toManys {
            for stray in try session.strayMembers(ofRelationship: slot, entity: entity.number) {
                strays[slot, default: [:]][stray.owner, default: []].append(stray.key)
            }
        }
    }

    /// Returns the next object, or nil at the end.
    func record() throws -> ObjectRecord? {
        if next == waiting.count { try fill() }
        guard next < waiting.count else { return nil }
        defer { next += 1 }
        return waiting[next]
    }

    private func fill() throws {
        waiting.removeAll(keepingCapacity: true)
        next = 0
        while waiting.count < Self.batch, try cursor.next() {
            // A row with a key below 1 is not an object.
            if cursor.int64(columns[0].cell) > 0 { waiting.append(try record(of: cursor)) }
        }
        guard !waiting.isEmpty else { return }
        for slot in toManys { try addMembers(slot) }
    }

    private func record(of row: any ProjectionCursor) throws -> ObjectRecord {
        var record = ObjectRecord(
            name: ObjectName(entity: entity.name, key: row.int64(columns[0].cell)), properties: [])
        record.properties.reserveCapacity(columns.count + toManys.count)
        for (index, column) in columns.enumerated().dropFirst() {
            let value: ObjectRecord.Value =
                index <= attributeCount
                ? .attribute(try writer.text(column, of: row)) : .toOne(object(column.cell, of: row))
            record.properties.append(.init(name: column.title, value: value))
        }
        return record
    }

    private func object(_ cell: Int, of row: any ProjectionCursor) -> ObjectName? {
        guard !row.isNull(cell) else { return nil }
        // A key without a row has no entity.
        let name = store.model.entity(numbered: row.int64(cell + 1))?.name ?? ObjectName.unknownEntity
        return ObjectName(entity: name, key: row.int64(cell))
    }

    private func addMembers(_ slot: Int) throws {
        let relationship = entity.relationships[slot]
        var members: [Int64: [ObjectName]] = [:]
        for member in try session.members(
            ofRelationship: slot, entity: entity.number, owners: waiting.map(\.name.key))
        {
            members[member.owner, default: []].append(
                ObjectName(entity: store.model[member.destination.entity].name, key: member.destination.key))
        }
        for (owner, keys) in strays[slot] ?? [:] {
            members[owner, default: []] += keys.map { ObjectName(entity: ObjectName.unknownEntity, key: $0) }
        }
        for index in waiting.indices {
            waiting[index].properties.append(
                .init(
                    name: relationship.name,
                    value: .toMany(members[waiting[index].name.key] ?? [], isOrdered: relationship.isOrdered)))
        }
    }
}
