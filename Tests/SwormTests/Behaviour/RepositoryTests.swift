import Foundation
import Sworm
import TestSupport
import Testing

/// A protocol of the user's own over the library's, with a key path in a static.
private protocol Keyed: ManagedObjectConvertible, Sendable {
    associatedtype Key: SupportedAttributeType & Sendable where Key.PrimitiveAttributeType: Comparable
    static var key: any KeyPath<Self, Key> & Sendable { get }
}

extension Shelf.Volume: Keyed { fileprivate static let key: any KeyPath<Shelf.Volume, Int> & Sendable = \.id }
extension Shelf.Writer: Keyed { fileprivate static let key: any KeyPath<Shelf.Writer, Int> & Sendable = \.id }

private struct Repository<Item: Keyed>: Sendable {
    let store: PersistentContainer

    func find(_ key: Item.Key) throws -> Item? {
        try store.perform { try $0.decodeOne(Item.all.where(Item.key == key)) }
    }

    func all(except keys: [Item.Key]) throws -> [Item] {
        try store.perform { try $0.decode(Item.all.where(!(Item.key === keys)).sort(Item.key)) }
    }

    func keys() throws -> [Item.Key] { try store.perform { try $0.fetch(Item.all.sort(Item.key), Item.key) } }

    func put(_ item: Item) throws {
        try store.perform { context in
            let key = item[keyPath: Item.key]
            if let known = try context.fetchOne(Item.all.where(Item.key == key)) {
                try known.encode(item)
            } else {
                try context.insert(item)
            }
        }
    }

    /// A wrapper of 1.x's shape.
    func reading<R: Sendable>(_ action: (ManagedObjectContext) throws -> R) throws -> R {
        try store.perform(action: action)
    }

    func readingLater<R: Sendable>(_ action: @escaping @Sendable (ManagedObjectContext) throws -> R) async throws -> R {
        try await store.schedule(action: action)
    }
}

@Suite("Generic code over the library", .overEachStore)
struct RepositoryTests {
    @Test func `a protocol that extends the library's has its key path in a static`() async throws {
        let store = try PersistentContainer(for: Shelf.Volume.self, at: .tested)
        let volumes = Repository<Shelf.Volume>(store: store)
        let writers = Repository<Shelf.Writer>(store: store)
        for id in [3, 1, 2] { try volumes.put(Shelf.Volume(id: id, title: "v\(id)")) }
        try writers.put(Shelf.Writer(id: 9, name: "Ursula"))
        try volumes.put(Shelf.Volume(id: 2, title: "again"))
        #expect(try volumes.keys() == [1, 2, 3])
        #expect(try volumes.find(2)?.title == "again")
        #expect(try volumes.find(4) == nil)
        #expect(try volumes.all(except: [1]).map(\.title) == ["again", "v3"])
        #expect(try writers.find(9)?.name == "Ursula")
        #expect(try volumes.reading { try $0.count(of: Shelf.Volume.all) } == 3)
        #expect(try await volumes.readingLater { try $0.count(of: Shelf.Writer.all) } == 1)
    }

    @Test func `an error of the closure that gives contexts is logged and thrown as it is`() async throws {
        struct NoContext: Error, Equatable { let turn: Int }
        let log = ErrorLog()
        let store = PersistentContainer(managedObjectContext: { throw NoContext(turn: 4) }, logError: log.add)
        #expect(throws: NoContext(turn: 4)) { try store.perform { try $0.count(of: Shelf.Volume.all) } }
        await #expect(throws: NoContext(turn: 4)) {
            try await store.schedule { try $0.count(of: Shelf.Volume.all) }
        }
        #expect(log.errors.compactMap { $0 as? NoContext } == [NoContext(turn: 4), NoContext(turn: 4)])
    }

    @Test func `a closure that gives an error of the system has it thrown as it is`() throws {
        let store = PersistentContainer(managedObjectContext: { throw CocoaError(.fileReadNoSuchFile) })
        #expect(throws: CocoaError.self) { try store.perform { try $0.count(of: Shelf.Volume.all) } }
    }
}
