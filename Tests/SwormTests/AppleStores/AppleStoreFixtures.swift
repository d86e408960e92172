// Rows are compared with plain SQL, which needs the driver of the package.
#if canImport(SwormSQLite)
import Foundation
import Sworm
import SwormSQLite
import TestSupport
import Testing

/// The stores that Apple's framework wrote, found by the hashes in them, for tables that were written for their models.
enum AppleStoreFixtures {
    static let missing = Comment(rawValue: Fixtures.missing)

    /// A store, with the version of its model.
    struct Fixture: Sendable, CustomTestStringConvertible {
        var store: URL
        var modelFile: URL
        var testDescription: String { store.lastPathComponent }
    }

    /// The stores of a model that has an entity with just these attributes.
    static func stores(of entity: String, attributes: Set<String>) -> [Fixture] {
        all.filter { fixture in
            let model = NSManagedObjectModel(contentsOf: fixture.modelFile)
            return model?.entitiesByName[entity].map { Set($0.attributesByName.keys) == attributes } ?? false
        }
    }

    private static let all: [Fixture] = {
        guard let folder = Fixtures.folder else { return [] }
        let models = Fixtures.paths.filter { $0.hasSuffix(".xcdatamodel") }.map { folder.appendingPathComponent($0) }
        return Fixtures.databases.compactMap { store in
            guard
                let metadata = try? NSPersistentStoreCoordinator.metadataForPersistentStore(
                    ofType: NSSQLiteStoreType, at: store, options: nil)
            else { return nil }
            let model = models.first { url in
                NSManagedObjectModel(contentsOf: url)?
                    .isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata) ?? false
            }
            return model.map { Fixture(store: store, modelFile: $0) }
        }
    }()
}

/// A copy of a store that is read with plain SQL and removed at the end.
final class SQLCopy {
    private let folder: URL
    private let connection: Connection

    init(_ store: URL) throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("apple-store-" + UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        connection = try Connection(.file(path: Fixtures.copy(store, to: folder).path))
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// Calls a closure with a cursor over each row.
    func rows<Value>(_ sql: String, _ make: (inout SQLRow) throws -> Value) throws -> [Value] {
        var statement = try connection.statement(sql)
        var values: [Value] = []
        while try statement.step() {
            var cells: [SQLRow.Cell] = []
            for column in 0..<statement.columnCount {
                cells.append(
                    SQLRow.Cell(
                        isNull: statement.isNull(column), integer: statement.int64(column),
                        real: statement.double(column), text: statement.text(column) ?? "",
                        data: statement.data(column) ?? Data()))
            }
            var row = SQLRow(cells: cells)
            values.append(try make(&row))
        }
        return values
    }
}

/// The columns of a row, taken one after the other.
struct SQLRow {
    struct Cell {
        var isNull: Bool
        var integer: Int64
        var real: Double
        var text: String
        var data: Data
    }

    private var cells: ArraySlice<Cell>

    init(cells: [Cell]) { self.cells = cells[...] }

    private mutating func next() -> Cell? { cells.popFirst().flatMap { $0.isNull ? nil : $0 } }

    mutating func text() -> String? { next()?.text }
    mutating func integer() -> Int64? { next()?.integer }
    mutating func bool() -> Bool? { next().map { $0.integer != 0 } }
    mutating func real() -> Double? { next()?.real }
    mutating func date() -> Date? { next().map { Date(timeIntervalSinceReferenceDate: $0.real) } }
    mutating func uuid() -> UUID? {
        next().flatMap { cell in
            guard cell.data.count == 16 else { return nil }
            let hex = cell.data.map { String(format: "%02X", $0) }
            let parts = [hex[0..<4], hex[4..<6], hex[6..<8], hex[8..<10], hex[10..<16]].map { $0.joined() }
            return UUID(uuidString: parts.joined(separator: "-"))
        }
    }
}
#endif
