import Foundation
import Testing

@testable import OpenCoreData
@testable import SwormStore

/// Names of stores that leave little room for what is put around them.
@Suite("Migrations of stores with long names")
struct MigrationNameTests {
    private typealias Models = StagedModels

    /// A store in a file whose name has so many bytes.
    private func store(_ bytes: Int, ending: String = "") throws -> (folder: StoreFolder, url: URL) {
        let made = try MigratedStore(Models.model(3)) { try $0.make("Person", ["first": "Jane"]) }
        let folder = try StoreFolder()
        // Two bytes each.
        let base = String(repeating: "ä", count: (bytes - ending.utf8.count) / 2)
        let name = base + String(repeating: "x", count: bytes - ending.utf8.count - base.utf8.count) + ending
        let url = folder.url(name)
        #expect(name.utf8.count == bytes)
        try FileManager.default.moveItem(at: made.url, to: url)
        return (folder, url)
    }

    private func names(_ folder: StoreFolder) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path)
    }

    @Test(arguments: [234, 235, 236, 244, 245, 247])
    func `a store is migrated as any other`(_ bytes: Int) throws {
        let (folder, url) = try store(bytes)
        let files = StoreFiles(url: url)
        let hidden = MigrationFolder(of: files)
        #expect((hidden.path as NSString).lastPathComponent.utf8.count <= 246)
        // What was cut off before and after its folder got a name of its own.
        for isLast in [false, true] {
            var left = MigrationFolder(of: files)
            try left.make(for: files)
            if isLast { try left.withdraw() }
        }
        try StoreMigration(inferring: url, from: Models.model(3), to: Models.model(4)).run()
        #expect(try names(folder) == [url.lastPathComponent])
        let replacement = try StoreReplacement(of: url)
        try replacement.infer(from: Models.model(4), to: Models.model(3))
        try replacement.finish(from: Models.model(4).compiled(), to: Models.model(3).compiled())
        #expect(try names(folder) == [url.lastPathComponent])
        let findings = try StoreVerification.findings(of: url, model: Models.model(3).compiled())
        #expect(findings.map(\.message) == [])
    }

    @Test func `stores whose long names begin alike have folders of their own`() throws {
        let paths = ["a", "b"].map { end in
            MigrationFolder(of: StoreFiles(url: URL(fileURLWithPath: "/x/" + String(repeating: "n", count: 240) + end)))
                .path
        }
        #expect(Set(paths).count == 2)
    }

    @Test(arguments: [248, 251, 252, 255])
    func `a name that leaves SQLite no room for its suffix is rejected before the migration`(_ bytes: Int) throws {
        let (folder, url) = try store(bytes)
        let before = try folder.contents()
        for works in [
            { _ = try StoreMigration(inferring: url, from: Models.model(3), to: Models.model(4)).run() },
            { _ = try StoreReplacement(of: url) },
        ] {
            let error = coreDataError(works)
            #expect(error?.errorCode == CocoaError.Code.fileWriteInvalidFileName.rawValue)
            #expect(
                error?.message.contains(
                    "its name has \(bytes) bytes, and SQLite can name the journal of a store only if its name has at most 247"
                ) ?? false)
            #expect(try folder.contents() == before)
        }
    }
}
