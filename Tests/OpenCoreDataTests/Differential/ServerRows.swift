#if PostgreSQL
import Foundation
import SwormPredicates
import Testing

@testable import OpenCoreData
@testable import SwormStore

/// A writer of the rows of objects into the tables that a store has on a server.
struct ServerRows {
    let compiler: SQLCompiler
    let connection: DriverConnection
    private var model: CompiledModel { compiler.model }
    private var layout: StoreLayout { compiler.layout }

    /// Inserts the rows of saved objects with the same keys.
    func insert(_ objects: [NSManagedObject]) throws {
        // Foreign keys are checked at the end of a transaction.
        try connection.execute("BEGIN")
        for object in objects {
            try insert(object, entity: #require(model.entity(named: object.objectID.reference.entityName)))
        }
        for object in objects { try link(object) }
        try reserveKeys(of: objects)
        try connection.execute("COMMIT")
    }

    /// Lets the sequences of the tables continue behind the keys of the objects, as after a copy of a store.
    private func reserveKeys(of objects: [NSManagedObject]) throws {
        var highest: [Int: Int64] = [:]
        for object in objects {
            let reference = object.objectID.reference
            let root = try #require(model.entity(named: reference.entityName)).root
            highest[root] = max(highest[root] ?? 0, reference.key)
        }
        for (root, key) in highest {
            let table = SQLName.literal(compiler.table(of: root))
            _ = try connection.rows(
                "SELECT pg_catalog.setval(pg_catalog.pg_get_serial_sequence(\(table), '_key')::regclass, $1)",
                [.int64(key)])
        }
    }

    func name(of join: StoreLayout.Join) -> String { compiler.schema + SQLName.alwaysQuoted(join.table) }

    private func insert(_ values: [(column: String, value: SQLBinding)], into table: String) throws {
        // A parameter has the type of its value, which NULL has not.
        let present = values.filter { $0.value != .null }
        let columns = present.map { SQLName.alwaysQuoted($0.column) }.joined(separator: ", ")
        let parameters = present.indices.map { "$\($0 + 1)" }.joined(separator: ", ")
        _ = try connection.rows("INSERT INTO \(table) (\(columns)) VALUES (\(parameters))", present.map(\.value))
    }

    private func insert(_ object: NSManagedObject, entity: CompiledEntity) throws {
        var values: [(column: String, value: SQLBinding)] = [("_key", .int64(object.objectID.reference.key))]
        if model[entity.root].hasDescendants {
            values.append(("_entity", .int64(Int64(layout.storedNumber(of: entity.number)))))
        }
        for (slot, attribute) in entity.attributes.enumerated() {
            guard let column = layout.column(ofAttribute: slot, in: entity.number) else { continue }
            values.append((column, try stored(object.value(forKeyPath: attribute.name), as: attribute.type)))
        }
        for (slot, relationship) in entity.relationships.enumerated() {
            guard let toOne = layout.toOne(slot, in: entity.number),
                let destination = object.value(forKey: relationship.name) as? NSManagedObject
            else { continue }
            values.append((toOne.column, .int64(destination.objectID.reference.key)))
        }
        try insert(values, into: compiler.table(of: entity.number))
    }

    private func stored(_ value: Any?, as type: AttributeType) throws -> SQLBinding {
        guard let value else { return .null }
        let attribute = try #require(AttributeValue(any: value)).asStored
        switch (type, attribute) {
        case (.boolean, _): return .bool(attribute.numericDouble != 0)
        case (.double, _), (.float, _): return .double(try #require(attribute.numericDouble))
        default:
            let binding = try compiler.dialect.binding(attribute)
            return try #require(binding)
        }
    }

    /// Returns the members of a to-many relationship, in their order if it has one.
    private func members(_ object: NSManagedObject, _ name: String) -> [NSManagedObject] {
        let value = object.value(forKey: name)
        return (value as? NSOrderedSet)?.array.compactMap { $0 as? NSManagedObject }
            ?? (value as? Set<NSManagedObject>).map(Array.init) ?? []
    }

    private func link(_ object: NSManagedObject) throws {
        let reference = object.objectID.reference
        let entity = try #require(model.entity(named: reference.entityName))
        for (slot, relationship) in entity.relationships.enumerated() {
            guard let storage = layout.toMany(slot, in: entity.number) else { continue }
            for (place, member) in members(object, relationship.name).enumerated() {
                let order = SQLBinding.int64(Int64(place) * 1024)
                switch storage {
                case .inverse(_, let column): try update(member, [(column, order)])
                case .oneWay(let key, let column): try update(member, [(key, .int64(reference.key)), (column, order)])
                case .join(let join) where join.isOwner:
                    var values = [
                        (join.ownColumn, SQLBinding.int64(reference.key)),
                        (join.otherColumn, .int64(member.objectID.reference.key)),
                    ]
                    if let column = join.orderColumn { values.append((column, order)) }
                    if let column = join.inverseOrderColumn, let inverse = model.inverse(of: relationship) {
                        let place = members(member, inverse.name).firstIndex { $0 === object }
                        values.append((column, .int64(Int64(try #require(place)) * 1024)))
                    }
                    try insert(values.map { (column: $0.0, value: $0.1) }, into: name(of: join))
                case .join: break
                }
            }
        }
    }

    private func update(_ member: NSManagedObject, _ values: [(column: String?, value: SQLBinding)]) throws {
        let present = values.compactMap { value in value.column.map { (column: $0, value: value.value) } }
        guard !present.isEmpty else { return }
        let reference = member.objectID.reference
        let entity = try #require(model.entity(named: reference.entityName))
        let list = present.enumerated().map { "\(SQLName.alwaysQuoted($1.column)) = $\($0 + 2)" }
        _ = try connection.rows(
            "UPDATE \(compiler.table(of: entity.number)) SET \(list.joined(separator: ", ")) WHERE \"_key\" = $1",
            [.int64(reference.key)] + present.map(\.value))
    }
}
#endif
