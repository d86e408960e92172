import Foundation
@testable import OpenCoreData
import TestSupport
import Testing

/// Opens stores that Apple's framework wrote for reading only, in their own place, through the public API.
@Suite("Reading stores that Apple's framework wrote", .enabled(if: AppleStores.folder != nil, AppleStores.missing))
struct AppleStoreReadingTests {
    @Test func `the folder has stores, and models that they fit`() {
        print(
            "\(AppleStores.stores.count) of \(AppleStores.storeURLs.count) stores fit \(AppleStores.models.count) models"
        )
        for url in AppleStores.storeURLs where !AppleStores.stores.contains(where: { $0.url == url }) {
            print("no model fits \(Fixtures.relative(url))")
        }
        #expect(!AppleStores.stores.isEmpty)
    }

    /// Runs a test on a store in its own place, and checks that nothing there has changed.
    private func reading(_ fixture: AppleStore, _ body: (NSManagedObjectContext, PlainStore, PlainModel) throws -> Void)
        throws
    {
        let folder = fixture.url.deletingLastPathComponent()
        let before = try AppleStores.contents(of: folder)
        let plain = try PlainStore(copyOf: fixture.url)
        let model = PlainModel(try fixture.model.make())
        try fixture.withContext(readOnly: true) { try body($0, plain, model) }
        let after = try AppleStores.contents(of: folder)
        #expect(before.keys.sorted() == after.keys.sorted())
        // The memory that connections share is no data. Other tests that read in the same folder make it anew meanwhile.
        for (path, data) in before where !path.hasSuffix("-shm") { #expect(after[path] == data, "\(path) has changed") }
    }

    @Test(arguments: AppleStores.stores)
    func `every row is an object, and every value agrees with plain SQL`(_ fixture: AppleStore) throws {
        try reading(fixture) { context, plain, model in
            let expected = try ObjectGraphText(plain, model)
            let found = try ObjectGraphText(context, model)
            #expect(found.differences(from: expected) == [])
            for link in expected.danglingLinks.prefix(1) {
                print("\(fixture.testDescription): \(link) and others lead to no row")
            }
            #expect(!context.hasChanges)
            let store = try #require(context.persistentStoreCoordinator?.persistentStores.first)
            #expect(store.identifier == plain.identifier)
            #expect(store.isReadOnly)
        }
    }

    @Test(arguments: AppleStores.stores)
    func `every row is found by its URI, as a fault that fires`(_ fixture: AppleStore) throws {
        try reading(fixture) { context, plain, model in
            let coordinator = try #require(context.persistentStoreCoordinator)
            let expected = try ObjectGraphText(plain, model)
            for (key, node) in expected.nodes {
                let url = try #require(URL(string: "x-coredata://\(plain.identifier)/\(key)"))
                let id = try #require(coordinator.managedObjectID(forURIRepresentation: url))
                let object = context.object(with: id)
                #expect(object.objectID.uriRepresentation() == url)
                let entity = try #require(model[object.entity.name ?? ""])
                let found = try ObjectGraphText.Node(object, entity)
                #expect(found == node, "\(key)")
                #expect(!object.isFault)
            }
        }
    }

    @Test(arguments: AppleStores.stores)
    func `an entity is fetched with and without its sub-entities, in every form and order`(_ fixture: AppleStore) throws
    {
        try reading(fixture) { context, plain, model in
            for entity in model.entities {
                let rows = plain.rows[entity.table] ?? []
                let all = rows.filter { $0["Z_ENT"]?.integer.map { entity.family.contains(Int($0)) } ?? false }
                let own = rows.filter { $0["Z_ENT"]?.integer == Int64(entity.number) }
                let request = NSFetchRequest<NSManagedObject>(entityName: entity.name)
                for (isWide, rows) in [(true, all), (false, own)] {
                    request.includesSubentities = isWide
                    let expected = rows.compactMap { $0["Z_PK"]?.integer }.sorted()
                    let count = try context.count(for: request)
                    #expect(count == expected.count)
                    #expect(try keys(context.fetch(request)) == expected)
                    let ids = NSFetchRequest<NSManagedObjectID>(entityName: entity.name)
                    ids.includesSubentities = isWide
                    ids.resultType = .managedObjectIDResultType
                    #expect(try context.fetch(ids).map(\.key) == expected)
                }
                for attribute in entity.attributes where !attribute.isTransient && attribute.type.hasPlainOrder {
                    let sorted = NSFetchRequest<NSManagedObject>(entityName: entity.name)
                    for ascending in [true, false] {
                        sorted.sortDescriptors = [NSSortDescriptor(key: attribute.name, ascending: ascending)]
                        let order = all.sorted { left, right in
                            let (one, other) = (left[attribute.column] ?? .null, right[attribute.column] ?? .null)
                            if one.precedes(other) || other.precedes(one) { return one.precedes(other) == ascending }
                            return left["Z_PK"]?.integer ?? 0 < right["Z_PK"]?.integer ?? 0
                        }
                        #expect(
                            try keys(context.fetch(sorted)) == order.compactMap { $0["Z_PK"]?.integer },
                            "\(entity.name) by \(attribute.name)")
                    }
                    sorted.fetchOffset = 1
                    sorted.fetchLimit = 3
                    #expect(try context.fetch(sorted).count == min(3, max(0, all.count - 1)))
                }
            }
        }
    }

    @Test(arguments: AppleStores.stores)
    func `conditions on attributes and through relationships find the rows of the graph`(_ fixture: AppleStore) throws {
        try reading(fixture) { context, plain, model in
            let graph = try ObjectGraphText(plain, model)
            var asked = 0
            for entity in model.entities {
                let conditions = AppleStoreConditions(entity: entity, model: model, graph: graph)
                for condition in try conditions.all(context) {
                    let request = NSFetchRequest<NSManagedObject>(entityName: entity.name)
                    request.predicate = condition.predicate
                    let found = Set(try context.fetch(request).map(ObjectGraphText.key))
                    #expect(found == condition.expected, "\(entity.name) where \(condition.text)")
                    #expect(try context.count(for: request) == condition.expected.count, "\(condition.text)")
                    asked += 1
                }
            }
            print("\(fixture.testDescription): \(asked) conditions")
        }
    }

    private func keys(_ objects: [NSManagedObject]) -> [Int64] { objects.map(\.objectID.key) }
}

extension NSAttributeType {
    /// Whether SQLite compares the values as they are, by number or by bytes.
    fileprivate var hasPlainOrder: Bool {
        switch self {
        case .undefinedAttributeType, .transformableAttributeType, .compositeAttributeType, .objectIDAttributeType,
            .binaryDataAttributeType:
            false
        default: true
        }
    }
}

extension PlainStore.Cell {
    /// SQLite's order of values.
    fileprivate func precedes(_ other: PlainStore.Cell) -> Bool {
        switch (self, other) {
        case (.null, .null): return false
        case (.null, _): return true
        case (.text(let one), .text(let two)): return one.utf8.lexicographicallyPrecedes(two.utf8)
        case (.blob(let one), .blob(let two)): return one.lexicographicallyPrecedes(two)
        default:
            guard let one = number, let two = other.number else { return rank < other.rank }
            return one < two
        }
    }

    private var number: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .real(let value): value
        default: nil
        }
    }

    private var rank: Int {
        switch self {
        case .null: 0
        case .integer, .real: 1
        case .text: 2
        case .blob: 3
        }
    }
}
