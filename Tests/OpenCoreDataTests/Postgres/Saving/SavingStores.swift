#if PostgreSQL
import Foundation
import SwormPostgres
import SwormPredicates
import SwormRows
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

/// A store in a file or on a server, for tests with the same expectations of both.
///
/// @unchecked: a folder does not change.
final class SavingStore: @unchecked Sendable {
    enum Kind: String, CaseIterable, Sendable { case file, server }

    let kind: Kind
    let model: CompiledModel
    let store: any ObjectStore
    private let folder: StoreFolder?
    private let options: PostgresOptions?
    private let timeout: Double
    private let keepsHistory: Bool

    init(
        _ kind: Kind, _ model: CompiledModel = LibraryModel.model, timeout: Double = 5,
        server: PostgresOptions? = nil, keepsHistory: Bool = false
    ) throws {
        self.kind = kind
        self.model = model
        self.timeout = timeout
        self.keepsHistory = keepsHistory
        folder = kind == .file ? try StoreFolder() : nil
        options = kind == .server ? try server ?? PostgresStores.options() : nil
        store = try Self.open(model, folder, options, timeout, keepsHistory)
    }

    /// Closes the store. A test calls it at its end, which keeps the folder of the store until then.
    func close() { store.close() }

    /// Opens a further store with the same content.
    func open() throws -> any ObjectStore { try Self.open(model, folder, options, timeout, keepsHistory) }

    private static func open(
        _ model: CompiledModel, _ folder: StoreFolder?, _ options: PostgresOptions?, _ timeout: Double,
        _ keepsHistory: Bool
    ) throws -> any ObjectStore {
        var storeOptions = StoreOptions()
        storeOptions.busyTimeout = timeout
        storeOptions.tracksHistory = keepsHistory
        if let folder { return try folder.open(model) { $0 = storeOptions } }
        return try PostgresStores.store(of: model, at: options, storeOptions)
    }

    var server: PostgresStore { get throws { try #require(store as? PostgresStore) } }

    /// Runs a statement on the server past the store. `@` stands for the schema with its period.
    @discardableResult
    func run(_ sql: String) throws -> [String?] {
        try PostgresStores.run(sql.replacing("@", with: server.schema.prefix))
    }

    // MARK: Content

    /// The content of all entities: the values of rows, and the members of relationships.
    func content() throws -> [String] { try store.content() }

    func reading<Result>(_ body: (any StoreSession) throws -> Result) throws -> Result { try store.reading(body) }
}

/// An object that one thread hands over to another.
///
/// @unchecked: only one thread at a time uses the object.
struct Handed<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
}

/// The keys that rows have in a store, by names that are the same in all stores.
struct RowNames {
    var keys: [Int64: Int64] = [:]
    var names: [RowID: Int64] = [:]

    func row(_ row: RowID) -> RowID { RowID(entity: row.entity, key: keys[row.key] ?? row.key) }

    mutating func note(_ name: Int64, key: Int64, root: Int) {
        keys[name] = key
        names[RowID(entity: root, key: key)] = name
    }
}

extension ObjectStore {
    func reading<Result>(_ body: (any StoreSession) throws -> Result) throws -> Result {
        let session = try beginSession()
        defer { session.end() }
        return try body(session)
    }

    /// Inserts a row, and returns it with its key.
    @discardableResult
    func insert(
        _ entity: Int, key: Int64 = -1, _ values: [String: AttributeValue] = [:], _ toOnes: [String: RowID] = [:]
    ) throws -> RowID {
        var request = SaveRequest()
        request.insert(model[entity], key: key, values, toOnes)
        let result = try save(request)
        return RowID(entity: entity, key: result.keys[key] ?? key)
    }

    /// Reads the values of an entity's rows in the order of their keys.
    func values(_ entity: Int, _ name: String) throws -> [AttributeValue] {
        guard case .attribute(let slot)? = model[entity].slot(named: name) else { return [] }
        let shape = RowShape(model: model, entity: entity)
        return try reading { session in
            let rows = try session.rows(FetchSpecification(entity: entity), shape: shape)
            return try (0..<rows.count).map {
                try rows.value(
                    row: $0, cell: shape.cell(ofAttribute: slot, in: entity), of: model[entity].attributes[slot],
                    in: model[entity], session: session)
            }
        }
    }

    func versions(_ entity: Int) throws -> [Int64] {
        let shape = RowShape(model: model, entity: entity)
        return try reading { session in
            let rows = try session.rows(FetchSpecification(entity: entity), shape: shape)
            return (0..<rows.count).map { rows.int64(row: $0, cell: RowShape.versionCell) }
        }
    }

    func members(_ owner: RowID, _ name: String) throws -> [StoreMember] {
        guard case .relationship(let slot)? = model[owner.entity].slot(named: name) else { return [] }
        return try reading { try $0.members(ofRelationship: slot, entity: owner.entity, owners: [owner.key]) }
    }

    /// The content of all entities as text.
    ///
    /// - Parameter name: Returns the name of a row, instead of its key.
    func content(naming name: (RowID) -> Int64 = { $0.key }) throws -> [String] {
        try reading { session in
            var lines: [String] = []
            for root in model.entities where root.root == root.number {
                let shape = RowShape(model: model, entity: root.number)
                let rows = try session.rows(FetchSpecification(entity: root.number), shape: shape)
                var found: [(entity: CompiledEntity, key: Int64)] = []
                for row in 0..<rows.count {
                    let entity = model[Int(rows.int64(row: row, cell: RowShape.entityCell))]
                    let key = rows.int64(row: row, cell: RowShape.primaryKeyCell)
                    found.append((entity, key))
                    var parts = [
                        "\(entity.name) \(name(RowID(entity: root.number, key: key)))",
                        "v\(rows.int64(row: row, cell: RowShape.versionCell))",
                    ]
                    for (slot, attribute) in entity.attributes.enumerated() where !attribute.isTransient {
                        let value = try rows.value(
                            row: row, cell: shape.cell(ofAttribute: slot, in: entity.number), of: attribute, in: entity,
                            session: session)
                        parts.append("\(attribute.name)=\(value.uniqueKey)")
                    }
                    for (slot, relationship) in entity.relationships.enumerated() where !relationship.isToMany {
                        let cell = shape.toOneCells[entity.number - root.number][slot].key
                        guard cell >= 0, !rows.isNull(row: row, cell: cell) else { continue }
                        let destination = RowID(
                            entity: model[relationship.destination].root, key: rows.int64(row: row, cell: cell))
                        parts.append("\(relationship.name)=\(name(destination))")
                    }
                    lines.append(parts.joined(separator: " "))
                }
                for number in root.family {
                    let entity = model[number]
                    let owners = found.filter { $0.entity.number == number }.map(\.key)
                    for (slot, relationship) in entity.relationships.enumerated() where relationship.isToMany {
                        let members = try session.members(ofRelationship: slot, entity: number, owners: owners)
                        let texts = members.map { member in
                            let owner = name(RowID(entity: root.number, key: member.owner))
                            let other = RowID(
                                entity: model[member.destination.entity].root, key: member.destination.key)
                            let place = member.orderKey.map { " at \($0)" } ?? ""
                            return "\(entity.name) \(owner).\(relationship.name): \(name(other))\(place)"
                        }
                        // Members without an order are sorted by keys, which names replace.
                        lines += texts.sorted()
                    }
                }
            }
            return lines.sorted()
        }
    }
}
#endif
