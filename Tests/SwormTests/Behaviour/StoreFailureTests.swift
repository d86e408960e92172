import Foundation
import Sworm
import Testing

@Suite("Reads that fail")
struct StoreFailureTests {
    private struct Photo: ManagedObjectConvertible, Equatable {
        var name = ""
        var bytes: Data?
        static let attributes: Set<Attribute<Photo>> = [.init(\.name, "name"), .init(\.bytes, "bytes", .external)]
        struct Relations: Sendable {
            let album = ToOneRelation<Album>("album", inverse: \.photos)
        }
        static let relations = Relations()
    }
    private struct Album: ManagedObjectConvertible {
        var name = ""
        static let attributes: Set<Attribute<Album>> = [.init(\.name, "name")]
        struct Relations: Sendable { let photos = ToManyRelation<Photo>("photos") }
        static let relations = Relations()
    }

    /// A store with one album of one photo, whose bytes lie in a file of their own that is lost.
    private func damagedStore(_ folder: StoreFolder, _ log: ErrorLog = ErrorLog()) throws -> PersistentContainer {
        let store = try PersistentContainer(for: Photo.self, at: .file(folder.file()), logError: log.add)
        try store.perform { context in
            let photo = try context.insert(Photo(name: "a", bytes: Data(repeating: 1, count: 500_000)))
            try context.insert(Album(name: "all")).photos.add(photo)
        }
        let files = FileManager.default.enumerator(at: folder.url, includingPropertiesForKeys: [.fileSizeKey])
        var removed = 0
        while let file = files?.nextObject() as? URL {
            guard try file.resourceValues(forKeys: [.fileSizeKey, .isRegularFileKey]).isRegularFile == true,
                UUID(uuidString: file.lastPathComponent) != nil
            else { continue }
            try FileManager.default.removeItem(at: file)
            removed += 1
        }
        try #require(removed == 1)
        return store
    }

    #if !canImport(CoreData)
    // Core Data's keyed values give nil then, and say nothing.
    @Test func `an attribute whose file is lost is an error by every way, and not nil`() throws {
        let folder = try StoreFolder()
        let store = try damagedStore(folder)
        for way: (ManagedObjectContext) throws -> Void in [
            { _ = try $0.decode(Photo.all) }, { _ = try $0.fetchOne(Photo.all)?.decode() },
            { _ = try $0.fetchOne(Photo.all)?.decode(\.bytes) }, { _ = try $0.fetch(Photo.all, \.bytes) },
            { try $0.forEach(Photo.all) { _ in } },
        ] {
            var failure: (any Error)?
            do {
                try store.perform { try way($0) }
            } catch {
                failure = error
            }
            #expect("\(String(describing: failure))".contains("bytes"), "\(String(describing: failure))")
        }
        #expect(try store.perform { try $0.fetch(Photo.all, \.name) } == ["a"])
    }
    #endif
}
