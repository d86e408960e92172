import Foundation
@testable import OpenCoreData
import SwormPredicates
import SwormSQLite
import SwormRows

/// A folder of its own for one test, removed at the end.
final class StoreFolder {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "store-tests-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func url(_ name: String = "Test.sqlite") -> URL { URL(fileURLWithPath: path + "/" + name) }

    func open(_ model: CompiledModel = LibraryModel.model, _ change: (inout StoreOptions) -> Void = { _ in }) throws
        -> SQLiteStore
    {
        var options = StoreOptions()
        options.busyTimeout = 0.3
        change(&options)
        return try SQLiteStore.open(url: url(), model: model, options: options)
    }

    /// A plain connection to the store, past all our code.
    func raw(_ name: String = "Test.sqlite") throws -> Connection {
        try Connection(.file(path: url(name).path), options: .init(busyTimeout: 0.3))
    }

    /// The content of every file in the folder, by path.
    func contents() throws -> [String: Data] {
        var result: [String: Data] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: path) {
            result[name] = FileManager.default.contents(atPath: path + "/" + name) ?? Data()
        }
        return result
    }
}

extension Connection {
    /// The rows of a query, each as its values joined by a bar.
    func lines(_ sql: String) throws -> [String] {
        var statement = try statement(sql)
        var lines: [String] = []
        while try statement.step() {
            lines.append((0..<statement.columnCount).map { statement.text($0) ?? "NULL" }.joined(separator: "|"))
        }
        return lines
    }
}

extension SQLiteStore {
    func reading<Result>(_ body: (any StoreSession) throws -> Result) throws -> Result {
        let session = try beginSession()
        defer { session.end() }
        return try body(session)
    }

    /// The rows of an entity, in the order of their keys.
    func rows(_ entity: Int) throws -> (RowBuffer, RowShape) {
        let shape = RowShape(model: model, entity: entity)
        return (try reading { try $0.rows(FetchSpecification(entity: entity), shape: shape) }, shape)
    }

    @discardableResult
    func insert(
        _ entity: Int, key: Int64 = -1, _ values: [String: AttributeValue] = [:],
        _ toOnes: [String: RowID] = [:]
    ) throws -> RowID {
        var request = SaveRequest()
        request.insert(model[entity], key: key, values, toOnes)
        let result = try save(request)
        return RowID(entity: entity, key: result.keys[key] ?? key)
    }
}

extension SaveRequest {
    @discardableResult
    mutating func insert(
        _ entity: CompiledEntity, key: Int64, _ values: [String: AttributeValue] = [:], _ toOnes: [String: RowID] = [:]
    ) -> RowID {
        let row = RowID(entity: entity.number, key: key)
        insertions.append(
            Insertion(
                row: row, attributes: entity.attributes.map { values[$0.name] ?? .null },
                toOnes: entity.relationships.map { toOnes[$0.name] }))
        return row
    }

    mutating func update(
        _ row: RowID, version: Int64?, in model: CompiledModel, _ values: [String: AttributeValue] = [:],
        _ toOnes: [String: RowID?] = [:]
    ) {
        let entity = model[row.entity]
        var attributes = SlotValues()
        for (slot, attribute) in entity.attributes.enumerated() { attributes[slot] = values[attribute.name] }
        updates.append(
            Update(
                row: row, version: version, attributes: attributes,
                toOnes: entity.relationships.enumerated().compactMap { slot, relationship in
                    toOnes[relationship.name].map { (slot, $0) }
                }))
    }

    /// A link by the relationship's name.
    static func link(_ owner: RowID, _ name: String, _ destination: RowID, in model: CompiledModel) -> Link {
        guard case .relationship(let slot)? = model[owner.entity].slot(named: name) else {
            return Link(owner: owner, relationship: -1, destination: destination)
        }
        return Link(owner: owner, relationship: slot, destination: destination)
    }
}
