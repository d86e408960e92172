import Foundation
import Sworm
import SwormTools
import Testing

private struct Photo: ManagedObjectConvertible {
    var name = ""
    var content: Data?
    static let attributes: Set<Attribute<Self>> = [
        .init(\.name, "name"), .init(\.content, "content", .external),
    ]
}

@Suite("Stores that replace another store")
struct StoreReplacingTests {
    private let content = Data(repeating: 1, count: 200_000)

    private func make(_ name: String, at url: URL) throws {
        let container = try PersistentContainer(for: Photo.self, at: .file(url))
        try container.perform { try $0.insert(Photo(name: name, content: content)) }
    }

    private func names(at url: URL) throws -> [String] {
        let container = try PersistentContainer(for: Photo.self, at: .readOnly(url))
        let photos = try container.perform { try $0.decode(Photo.all) }
        #expect(photos.allSatisfy { $0.content == content })
        return photos.map(\.name)
    }

    private func externalFiles(_ folder: StoreFolder, _ name: String) -> [String] {
        let path = folder.url.appendingPathComponent(".\(name)_SUPPORT/_EXTERNAL_DATA").path
        return (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    }

    private func coordinator() throws -> NSPersistentStoreCoordinator {
        NSPersistentStoreCoordinator(managedObjectModel: try NSManagedObjectModel(tables: Photo.self))
    }

    @Test(arguments: [true, false])
    func `a store is replaced with its large values`(existedBefore: Bool) throws {
        let folder = try StoreFolder()
        let other = folder.url.appendingPathComponent("Other.sqlite")
        if existedBefore { try make("old", at: folder.store) }
        try make("new", at: other)
        try coordinator().replacePersistentStore(
            at: folder.store, withPersistentStoreFrom: other, ofType: NSSQLiteStoreType)
        #expect(try names(at: folder.store) == ["new"])
        #expect(try names(at: other) == ["new"])
        #expect(externalFiles(folder, "Store").sorted() == externalFiles(folder, "Other").sorted())
        #expect(externalFiles(folder, "Store").count == 1)
        #expect(!folder.others.contains { $0.contains("migrating") })
    }

    @Test func `a store that cannot be read replaces none`() throws {
        let folder = try StoreFolder()
        try make("old", at: folder.store)
        let other = folder.url.appendingPathComponent("Other.sqlite")
        try Data("no store".utf8).write(to: other)
        #expect(throws: (any Error).self) {
            try coordinator().replacePersistentStore(
                at: folder.store, withPersistentStoreFrom: other, ofType: NSSQLiteStoreType)
        }
        #expect(try names(at: folder.store) == ["old"])
        #expect(externalFiles(folder, "Store").count == 1)
    }

    @Test func `an open store is not replaced`() throws {
        let folder = try StoreFolder()
        try make("old", at: folder.store)
        let coordinator = try coordinator()
        try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: folder.store)
        #expect(throws: (any Error).self) {
            try coordinator.replacePersistentStore(
                at: folder.store, withPersistentStoreFrom: folder.url.appendingPathComponent("Other.sqlite"),
                ofType: NSSQLiteStoreType)
        }
    }

    @Test func `leftovers of an interrupted replacement are removed by the next one`() throws {
        let folder = try StoreFolder()
        try make("old", at: folder.store)
        let other = folder.url.appendingPathComponent("Other.sqlite")
        try make("new", at: other)
        // As it is between the moving of files and that of the store.
        let hidden = folder.url.appendingPathComponent(".Store.sqlite.migrating")
        try FileManager.default.createDirectory(at: hidden, withIntermediateDirectories: true)
        let made = hidden.appendingPathComponent("step1")
        try Data().write(to: made)
        let node = try FileManager.default.attributesOfItem(atPath: made.path)[.systemFileNumber] as? NSNumber
        let stray = UUID().uuidString
        try Data("\(node?.uint64Value ?? 0)\n+\(stray)".utf8).write(to: hidden.appendingPathComponent("files"))
        let external = folder.url.appendingPathComponent(".Store_SUPPORT/_EXTERNAL_DATA")
        try Data("stray".utf8).write(to: external.appendingPathComponent(stray))
        #expect(throws: (any Error).self) {
            try coordinator().replacePersistentStore(
                at: folder.store, withPersistentStoreFrom: folder.url.appendingPathComponent("None.sqlite"),
                ofType: NSSQLiteStoreType)
        }
        #expect(!externalFiles(folder, "Store").contains(stray))
        #expect(!FileManager.default.fileExists(atPath: hidden.path))
        #expect(try names(at: folder.store) == ["old"])
    }

    @Test func `a store that comes back from a copy shares its large values, also when it cannot be put back`() throws {
        let folder = try StoreFolder()
        try make("old", at: folder.store)
        let copy = folder.url.appendingPathComponent("Copy.sqlite")
        try coordinator().replacePersistentStore(
            at: copy, withPersistentStoreFrom: folder.store, ofType: NSSQLiteStoreType)
        let files = externalFiles(folder, "Store")
        #expect(files.count == 1)
        #expect(externalFiles(folder, "Copy") == files)
        try coordinator().replacePersistentStore(
            at: folder.store, withPersistentStoreFrom: copy, ofType: NSSQLiteStoreType)
        #expect(try names(at: folder.store) == ["old"])
        #expect(externalFiles(folder, "Store") == files)
        // A folder in the store's place, which no file can take.
        try FileManager.default.removeItem(at: folder.store)
        try FileManager.default.createDirectory(at: folder.store, withIntermediateDirectories: true)
        #expect(throws: (any Error).self) {
            try coordinator().replacePersistentStore(
                at: folder.store, withPersistentStoreFrom: copy, ofType: NSSQLiteStoreType)
        }
        #expect(externalFiles(folder, "Store") == files)
    }
}
