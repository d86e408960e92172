import Foundation
import Sworm
import SwormTools
import Testing

private struct Note: Equatable {
    var text = ""
    var mark = 0
}

extension Note: ManagedObjectConvertible {
    static let attributes: Set<Attribute<Note>> = [.init(\.text, "text", .unique), .init(\.mark, "mark")]
    struct Relations: Sendable { let tags = ToManyRelation<Tag>("tags", inverse: \.notes) }
    static let relations = Relations()
}

private struct Tag: Equatable { var word = "" }

extension Tag: ManagedObjectConvertible {
    static let attributes: Set<Attribute<Tag>> = [.init(\.word, "word")]
    struct Relations: Sendable { let notes = ToManyRelation<Note>("notes") }
    static let relations = Relations()
}

@Suite("Test stores")
struct TestStoreTests {
    private func seed(_ context: ManagedObjectContext) throws {
        let note = try context.insert(Note(text: "one", mark: 1))
        try note.tags.add(context.insert(Tag(word: "red")))
        try context.insert(Note(text: "two", mark: 2))
    }

    @Test(arguments: [TestStore.Place.memory, .file])
    func `a store begins with its seed, and shares nothing`(place: TestStore.Place) throws {
        let one = try TestStore(for: Note.self, in: place, seed: seed)
        let other = try TestStore(for: Note.self, in: place)
        #expect(try one.container.perform { try $0.fetch(Note.all.sort(\.mark), \.text) } == ["one", "two"])
        #expect(try other.container.perform { try $0.count(of: Note.all) } == 0)
        #expect((one.url == nil) == (place == .memory))
    }

    @Test func `the folder of a file is deleted with the value`() throws {
        var store: TestStore? = try TestStore(for: Note.self, in: .file, seed: seed)
        let url = try #require(store?.url)
        #expect(FileManager.default.fileExists(atPath: url.path))
        #expect(try store?.reopened().perform { try $0.count(of: Note.all) } == 2)
        store = nil
        #expect(!FileManager.default.fileExists(atPath: url.deletingLastPathComponent().path))
    }

    @Test func `a seed that throws leaves no files`() throws {
        struct Stop: Error {}
        var url: URL?
        #expect(throws: Stop.self) {
            _ = try TestStore(for: Note.self, in: .file) { context in
                try context.insert(Note())
                url = context.instance.persistentStoreCoordinator?.persistentStores.first?.url
                throw Stop()
            }
        }
        let folder = try #require(url).deletingLastPathComponent()
        #expect(folder.lastPathComponent.hasPrefix("sworm-test-"))
        #expect(!FileManager.default.fileExists(atPath: folder.path))
    }

    @Test func `a sound file passes, before and after changes`() throws {
        let store = try TestStore(for: Note.self, in: .file, seed: seed)
        try store.verify()
        try store.container.perform { context in
            try context.delete(Note.all.where { $0.mark == 1 })
            try context.insert(Note(text: "three"))
        }
        try store.verify()
    }

    @Test func `a damaged file is rejected`() throws {
        let store = try TestStore(for: Note.self, in: .file, seed: seed)
        let url = try #require(store.url)
        let handle = try FileHandle(forWritingTo: url)
        try handle.write(contentsOf: Data(repeating: 0x5A, count: 4096))
        try handle.close()
        #expect(throws: (any Error).self) { try store.verify() }
    }

    @Test func `a store in memory says that it has no file`() throws {
        let store = try TestStore(for: Note.self)
        #expect(throws: StoreError.self) { try store.verify() }
        do {
            _ = try store.reopened()
            Issue.record("a store without a file was opened")
        } catch StoreError.Code.cannotOpen {
            #expect(store.url == nil)
        }
    }
}
