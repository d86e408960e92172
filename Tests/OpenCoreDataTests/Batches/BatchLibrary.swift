import Foundation
import SwormPredicates
import SwormSQLite
import Testing

@testable import OpenCoreData
@testable import SwormStore

extension NSManagedObjectContext {
    /// What a predicate asks for.
    func specification(_ entity: String, _ format: String? = nil, limit: Int = 0) throws -> FetchSpecification {
        let number = try #require(compiledModel?.entity(named: entity)).number
        var specification = FetchSpecification(entity: number)
        specification.predicate = try format.map { try parsePredicate($0) }
        specification.limit = limit
        return specification
    }

    @discardableResult
    func update(_ entity: String, _ format: String? = nil, _ values: [String: AttributeValue]) throws -> Int {
        let plan = try #require(compiledModel?.entity(named: entity))
        return try update(
            specification(entity, format),
            setting: values.map { name, value in
                guard case .attribute(let slot)? = plan.slot(named: name) else { return (-1, value) }
                return (slot, value)
            })
    }

    @discardableResult
    func deleteAll(_ entity: String, _ format: String? = nil) throws -> Int {
        try delete(specification(entity, format))
    }
}

/// Two stores with the same content, of which one is changed through objects and the other by statements.
final class StorePair {
    let folder: StoreFolder
    private let model: NSManagedObjectModel
    private let options: [AnyHashable: Any] = [NSPersistentHistoryTrackingKey: true]

    init(_ model: NSManagedObjectModel, _ fill: (NSManagedObjectContext) throws -> Void) throws {
        folder = try StoreFolder()
        self.model = model
        let coordinator = try GraphLibrary.coordinator(at: folder.url("One.sqlite"), model: model, options: options)
        let context = GraphLibrary.context(coordinator)
        try fill(context)
        try context.save()
        for store in coordinator.persistentStores { try coordinator.remove(store) }
        for file in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            let other = file.replacingOccurrences(of: "One", with: "Two")
            try FileManager.default.copyItem(atPath: folder.path + "/" + file, toPath: folder.path + "/" + other)
        }
    }

    /// Changes one of the stores, and returns the code of the error that was thrown.
    func change(_ name: String, _ body: (NSManagedObjectContext) throws -> Void) throws -> Int? {
        let coordinator = try GraphLibrary.coordinator(
            at: folder.url(name + ".sqlite"), model: model, options: options)
        defer { for store in coordinator.persistentStores { try? coordinator.remove(store) } }
        let context = GraphLibrary.context(coordinator)
        return coreDataError {
            try body(context)
            try context.save()
        }.map { $0.errorCode == NSValidationMultipleErrorsError ? $0.details.first?.errorCode ?? 0 : $0.errorCode }
    }

    /// All rows of a store, the times of its history excepted.
    func content(_ name: String) throws -> [String] {
        let connection = try folder.raw(name + ".sqlite")
        let tables = try connection.lines(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT IN ('Z_METADATA', 'Z_MODELCACHE', 'ATRANSACTION', 'Z_PRIMARYKEY') AND name NOT LIKE 'sqlite_%' ORDER BY name"
        )
        return try tables.flatMap { table -> [String] in
            let columns = try connection.lines("SELECT name FROM pragma_table_info('\(table)')")
                .filter { table != "ACHANGE" || $0 != "Z_PK" }
            let list = columns.map { "quote(\"\($0)\")" }.joined(separator: ", ")
            return try connection.lines("SELECT \(list) FROM \"\(table)\"").sorted().map { "\(table): \($0)" }
        }
    }

    /// Says whether both stores hold the same.
    func expectSame(_ comment: Comment) throws {
        let (one, two) = (try content("One"), try content("Two"))
        let (onlyOne, onlyTwo) = (Set(one).subtracting(two), Set(two).subtracting(one))
        #expect(
            onlyOne.isEmpty && onlyTwo.isEmpty && one.count == two.count,
            "\(onlyOne.sorted())\n\(onlyTwo.sorted())\n\(comment)")
    }
}
