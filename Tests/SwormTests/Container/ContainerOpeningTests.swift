import Foundation
import Sworm
import Testing

@Suite("Opening a store")
struct ContainerOpeningTests {
    /// The first version of a type, and a later one under the same name.
    enum Old {
        struct Item: ManagedObjectConvertible {
            var name = ""
            static let attributes: Set<Attribute<Item>> = [.init(\.name, "name")]
        }
    }
    enum New {
        struct Item: ManagedObjectConvertible {
            var name = ""
            var count = 0
            static let attributes: Set<Attribute<Item>> = [.init(\.name, "name"), .init(\.count, "count")]
        }
    }

    @Test func `a store of another model is rejected with the difference`() throws {
        let folder = try StoreFolder()
        try PersistentContainer(for: Old.Item.self, at: .file(folder.file())).perform { try $0.insert(Old.Item()) }
        let before = try Data(contentsOf: folder.file())
        let error = storeError { _ = try PersistentContainer(for: New.Item.self, at: .file(folder.file())) }
        #expect(error?.code == .incompatibleModel)
        #expect(error?.message.contains("Item") ?? false)
        #expect(try Data(contentsOf: folder.file()) == before)
    }

    @Test func `a file that must exist and does not is reported`() throws {
        let folder = try StoreFolder()
        let error = storeError {
            _ = try PersistentContainer(for: Old.Item.self, at: .readOnly(folder.file("missing/store.sqlite")))
        }
        #expect(error?.code == .cannotOpen)
        #expect(error?.message.contains("store.sqlite") ?? false)
        #expect(!FileManager.default.fileExists(atPath: folder.file("missing").path))
    }

    @Test func `a file that is not a store is rejected and not modified`() throws {
        let folder = try StoreFolder()
        let text = Data("This is only text, and of some length, so that it could be a header of a database.".utf8)
        try text.write(to: folder.file())
        let error = storeError { _ = try PersistentContainer(for: Old.Item.self, at: .file(folder.file())) }
        #expect(error?.code == .cannotOpen)
        #expect(try Data(contentsOf: folder.file()) == text)
    }

    @Test func `a read-only store takes no change and keeps its bytes`() throws {
        let folder = try StoreFolder()
        try PersistentContainer(for: Old.Item.self, at: .file(folder.file())).perform { try $0.insert(Old.Item()) }
        let before = try Data(contentsOf: folder.file())
        let store = try PersistentContainer(for: Old.Item.self, at: .readOnly(folder.file()))
        #expect(try store.perform { try $0.decode(Old.Item.all).count } == 1)
        let error = storeError { try store.perform { try $0.insert(Old.Item()) } }
        #expect(error != nil)
        #expect(try store.perform { try $0.count(of: Old.Item.all) } == 1)
        #expect(try Data(contentsOf: folder.file()) == before)
    }

    @Test func `a path that cannot be a folder is reported`() throws {
        let folder = try StoreFolder()
        try Data("x".utf8).write(to: folder.file("plain"))
        let error = storeError {
            _ = try PersistentContainer(for: Old.Item.self, at: .file(folder.file("plain/inside/store.sqlite")))
        }
        #expect(error?.code == .cannotOpen)
        #expect(error?.message.contains("plain/inside") ?? false)
    }

    @Test func `a web URL and a negative timeout are rejected`() throws {
        let web = try #require(URL(string: "https://example.org/store.sqlite"))
        #expect(storeError { _ = try PersistentContainer(for: Old.Item.self, at: .file(web)) }?.code == .cannotOpen)
        #expect(storeError { _ = try PersistentContainer(for: Old.Item.self, at: .readOnly(web)) }?.code == .cannotOpen)
        let error = storeError { _ = try PersistentContainer(for: Old.Item.self, at: .memory, timeout: -1) }
        #expect(error?.code == .cannotOpen)
    }

    @Test func `errors of a perform are logged too`() throws {
        final class Log: @unchecked Sendable {
            // Touched by the test's own thread only, which also runs every perform. Hence the unchecked conformance.
            var errors: [any Error] = []
        }
        let log = Log()
        let store = try PersistentContainer(for: Old.Item.self, at: .memory, logError: { log.errors.append($0) })
        #expect(storeError { _ = try store.perform { try $0.fetch(New.Item.all, \.count) } } != nil)
        #expect(log.errors.count == 1)
    }

    @Test func `a perform inside another one of the same container joins it`() throws {
        struct Stop: Error {}
        let store = try PersistentContainer(for: Old.Item.self, at: .memory)
        try store.perform { context in
            try context.insert(Old.Item(name: "outer"))
            #expect(try store.perform { try $0.count(of: Old.Item.all) } == 1)
            #expect(throws: Stop.self) {
                try store.perform { inner in
                    try inner.insert(Old.Item(name: "inner"))
                    throw Stop()
                }
            }
        }
        #expect(try store.perform { try $0.fetch(Old.Item.all, \.name) } == ["outer"])
    }

    @Test func `a perform without a result has a closure that returns nothing`() throws {
        let store = try PersistentContainer(for: Old.Item.self, at: .memory)
        func run(_ body: () throws -> Void) rethrows { try body() }
        try run { try store.perform { try $0.insert(Old.Item(name: "a")) } }
        try run { try store.perform { try $0.fetch(Old.Item.all, \.name) } }
        let id = try store.perform { try $0.insert(Old.Item(name: "b")) }
        let names = try store.perform { try [$0.object(with: id).decode().name] }
        #expect(names == ["b"])
        #expect(try store.perform { try $0.count(of: Old.Item.all) } == 2)
    }

    @Test func `a schedule saves too`() async throws {
        let store = try PersistentContainer(for: Old.Item.self, at: .memory)
        try await store.schedule { try $0.insert(Old.Item(name: "later")) }
        let names = try await store.schedule { try $0.fetch(Old.Item.all, \.name) }
        #expect(names == ["later"])
    }
}
