import Foundation
import SwormSQLite
import Testing

@testable import OpenCoreData
@testable import SwormStore

/// Content in files, seen through contexts.
@Suite struct ExternalContentTests {
    private static func model() -> NSManagedObjectModel {
        let photo = Build.entity(
            "Photo",
            [
                Build.attribute("name"),
                Build.attribute("bytes", .binaryDataAttributeType) { $0.allowsExternalBinaryDataStorage = true },
            ])
        let album = Build.entity("Album", [Build.attribute("name")])
        let (owner, photos) = (Build.toOne("album", album), Build.toMany("photos", photo))
        Build.connect(owner, photos)
        photo.properties.append(owner)
        album.properties.append(photos)
        return Build.model(photo, album)
    }

    private let long = Data(repeating: 7, count: 150_000)

    private func coordinator(_ folder: StoreFolder) throws -> NSPersistentStoreCoordinator {
        try GraphLibrary.coordinator(at: folder.url(), model: Self.model())
    }

    private func files(_ folder: StoreFolder) -> [String] {
        let path = folder.path + "/.Test_SUPPORT/_EXTERNAL_DATA"
        return ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
    }

    @Test func `an object whose file another context has replaced reads the new one`() throws {
        let folder = try StoreFolder()
        let coordinator = try coordinator(folder)
        let writer = GraphLibrary.context(coordinator)
        let photo = try writer.make("Photo", ["bytes": long])
        try writer.save()
        let reader = GraphLibrary.context(coordinator)
        let (early, late) = (try #require(try reader.all("Photo").first), GraphLibrary.context(coordinator))
        let changed = try #require(try late.all("Photo").first)
        #expect(early.text("name") == nil && changed.text("name") == nil)
        photo.setValue(long + [1], forKey: "bytes")
        try writer.save()
        #expect(early.value(forKey: "bytes") as? Data == long + [1])
        // With changes of its own the object keeps to the row that it has read, and says what is wrong.
        changed.setValue("other", forKey: "name")
        #expect(throws: CoreDataError.self) { try changed.readAttribute(0) }
        #expect(throws: CocoaError.self) { try late.save() }
        late.rollback()
        late.refresh(changed, mergeChanges: false)
        #expect(changed.value(forKey: "bytes") as? Data == long + [1])
        #expect(files(folder).count == 1)
    }

    @Test func `an object that reads its row again reads its relationships again, too`() throws {
        let folder = try StoreFolder()
        let coordinator = try coordinator(folder)
        let writer = GraphLibrary.context(coordinator)
        let albums = try ["one", "two"].map { try writer.make("Album", ["name": $0]) }
        let photo = try writer.make("Photo", ["bytes": long, "album": albums[0]])
        try writer.save()
        let reader = GraphLibrary.context(coordinator)
        let seen = try #require(try reader.all("Photo").first)
        #expect(seen.object("album")?.text("name") == "one" && seen.text("name") == nil)
        for (key, value) in ["bytes": long + [1], "album": albums[1], "name": "new"] as [String: Any] {
            photo.setValue(value, forKey: key)
        }
        try writer.save()
        #expect(seen.value(forKey: "bytes") as? Data == long + [1] && seen.text("name") == "new")
        #expect(seen.object("album")?.text("name") == "two")
    }

    @Test func `nothing is written before a save, and a rollback leaves files as they are`() throws {
        let folder = try StoreFolder()
        let context = GraphLibrary.context(try coordinator(folder))
        let photo = try context.make("Photo", ["bytes": long])
        #expect(files(folder) == [])
        try context.save()
        let names = files(folder)
        photo.setValue(long + [1], forKey: "bytes")
        context.rollback()
        #expect(photo.value(forKey: "bytes") as? Data == long && files(folder) == names)
        photo.setValue(Data([1, 2]), forKey: "bytes")
        try context.save()
        #expect(files(folder) == [] && photo.value(forKey: "bytes") as? Data == Data([1, 2]))
        #expect(try folder.raw().lines("SELECT hex(ZBYTES) FROM ZPHOTO") == ["010102"])
        photo.setValue(nil, forKey: "bytes")
        try context.save()
        #expect(try folder.raw().lines("SELECT ZBYTES FROM ZPHOTO") == ["NULL"])
    }

    /// Between the commit and the removal there is a moment at which a process can end. What it leaves is one file too many.
    @Test func `a leftover file of a crash is found, and does no harm`() throws {
        let folder = try StoreFolder()
        let url = folder.url()
        do {
            let context = GraphLibrary.context(try coordinator(folder))
            try context.make("Photo", ["bytes": long])
            try context.save()
        }
        let orphan = folder.path + "/.Test_SUPPORT/_EXTERNAL_DATA/" + UUID().uuidString
        try long.write(to: URL(fileURLWithPath: orphan))
        let context = GraphLibrary.context(try coordinator(folder))
        #expect(try context.all("Photo").first?.value(forKey: "bytes") as? Data == long)
        try context.persistentStoreCoordinator.map { try $0.remove(try #require($0.persistentStores.first)) }
        let findings = try StoreVerification.findings(of: url, model: try Self.model().compiled())
        #expect(findings.map(\.kind) == [.externalOrphan])
    }

    @Test(arguments: ["a link", "a pipe", "small letters"])
    func `a name that is not a plain file in the folder is rejected`(_ trap: String) throws {
        let folder = try StoreFolder()
        let first = GraphLibrary.context(try coordinator(folder))
        try first.make("Photo", ["bytes": long])
        try first.save()
        let name = try #require(files(folder).first)
        let path = folder.path + "/.Test_SUPPORT/_EXTERNAL_DATA/" + name
        let url = URL(fileURLWithPath: path)
        let secret = folder.url("secret")
        try Data("secret".utf8).write(to: secret)
        switch trap {
        case "a link":
            try FileManager.default.removeItem(at: url)
            try FileManager.default.createSymbolicLink(at: url, withDestinationURL: secret)
        case "a pipe":
            try FileManager.default.removeItem(at: url)
            #expect(mkfifo(path, 0o600) == 0)
        default: try folder.raw().execute("UPDATE ZPHOTO SET ZBYTES = CAST(lower(CAST(ZBYTES AS TEXT)) AS BLOB)")
        }
        let context = GraphLibrary.context(try coordinator(folder))
        let photo = try #require(try context.all("Photo").first)
        #expect(throws: CoreDataError.self) { try photo.readAttribute(0) }
    }
}
