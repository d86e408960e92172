import Foundation
@testable import OpenCoreData
import SwormPredicates
import SwormSQLite
import Testing

@testable import SwormCommand

@Suite("copy")
struct CopyTests {
    @Test func `a copy is complete, including the contents of the log and of external files`() throws {
        let workshop = try Workshop()
        let store = try workshop.openStore()
        try store.save(LibraryXML.content(store.model))
        let before = try workshop.contents()
        let copy = workshop.file("Copy.sqlite")
        let run = Run(["copy", workshop.storePath, copy])
        #expect(run.code == .ok, "\(run.err)")
        // The store is still open, and nothing of it has changed but what its readers share.
        #expect(try workshop.contents()["Library.sqlite-wal"] == before["Library.sqlite-wal"])
        #expect(try workshop.contents()["Library.sqlite"] == before["Library.sqlite"])
        #expect(workshop.run("diff", copy).out == "no differences\n")
        #expect(workshop.run("verify", store: copy).out == "no faults\n")
        let names = try workshop.contents().keys
        #expect(!names.contains("Copy.sqlite-wal") && !names.contains { $0.contains(".sworm-") })
        #expect(names.filter { $0.hasPrefix(".Copy_SUPPORT/_EXTERNAL_DATA/") }.count == 1)
        store.close()
    }

    @Test func `files that no row names are not copied`() throws {
        let workshop = try Workshop()
        try workshop.makeStore()
        try Data([1]).write(to: workshop.url(".Library_SUPPORT/_EXTERNAL_DATA/\(UUID().uuidString)"))
        #expect(Run(["copy", workshop.storePath, workshop.file("Copy.sqlite")]).code == .ok)
        #expect(workshop.run("verify", store: workshop.file("Copy.sqlite")).out == "no faults\n")
    }

    @Test func `a file is replaced only when that was asked for`() throws {
        let workshop = try Workshop()
        try workshop.makeStore()
        let copy = workshop.file("Copy.sqlite")
        #expect(Run(["copy", workshop.storePath, copy]).code == .ok)
        try Data("log".utf8).write(to: workshop.url("Copy.sqlite-wal"))
        let before = try workshop.contents()
        let refused = Run(["copy", workshop.storePath, copy])
        #expect(refused.code == .failure)
        #expect(refused.err.contains("--force"))
        #expect(try workshop.contents() == before)
        #expect(Run(["copy", workshop.storePath, copy, "--force"]).code == .ok)
        #expect(workshop.run("diff", copy).code == .ok)
        #expect(try workshop.contents()["Copy.sqlite-wal"] == nil)
        #expect(Run(["copy", workshop.storePath, workshop.storePath, "--force"]).code == .failure)
        #expect(Run(["copy", workshop.file("nothing"), copy, "--force"]).code == .failure)
        #expect(workshop.run("count", "Book", store: copy).out == "4\n")
        #expect(Run(["copy", workshop.storePath, workshop.file("no/folder")]).err.contains("folder"))
    }

    @Test func `copies that are made during writes are consistent snapshots`() async throws {
        let workshop = try Workshop()
        try workshop.makeStore()
        let path = workshop.storePath
        let writer = Task.detached {
            let inner = try Workshop()
            var options = StoreOptions()
            options.busyTimeout = 10
            let store = try SQLiteStore.open(
                url: URL(fileURLWithPath: path), model: try inner.model(), options: options)
            defer { store.close() }
            guard let tag = store.model.entity(named: "Tag"), let shelf = store.model.entity(named: "Shelf") else {
                return
            }
            // Each save adds one of both, so a state in which they differ is none.
            for _ in 0..<200 where !Task.isCancelled {
                var request = SaveRequest()
                for (entity, key) in [(tag, Int64(-1)), (shelf, Int64(-2))] {
                    request.insertions.append(
                        .init(
                            row: .init(entity: entity.number, key: key),
                            attributes: entity.attributes.map { _ in .string("x") },
                            toOnes: entity.relationships.map { _ in nil }))
                }
                try store.save(request)
            }
        }
        for number in 0..<8 {
            let copy = workshop.file("Copy\(number).sqlite")
            let run = Run(["copy", path, copy])
            #expect(run.code == .ok, "\(run.err)")
            let tags = try #require(Int(workshop.run("count", "Tag", store: copy).out.dropLast()))
            let shelves = try #require(Int(workshop.run("count", "Shelf", store: copy).out.dropLast()))
            #expect(tags == shelves + 1)
            #expect(workshop.run("verify", store: copy).out == "no faults\n")
        }
        try await writer.value
    }

    @Test func `only a store is replaced, and nothing is written next to the log of another store`() throws {
        let workshop = try Workshop()
        try workshop.makeStore()
        let folder = workshop.file("folder")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Data("precious".utf8).write(to: URL(fileURLWithPath: folder + "/file"))
        let text = workshop.file("notes.txt")
        try Data("precious".utf8).write(to: URL(fileURLWithPath: text))
        try Data("old".utf8).write(to: URL(fileURLWithPath: workshop.file("New.sqlite-wal")))
        let before = try workshop.contents()
        for target in [folder, folder + "/", text, workshop.file("New.sqlite"), "/dev/null"] {
            let run = Run(["copy", workshop.storePath, target, "--force"])
            #expect(run.code == .failure && run.err.contains("hint:"), "\(target): \(run.err)")
        }
        #expect(try workshop.contents() == before)
    }

    @Test(arguments: ["Target.old", "Target.sqlite2", "Target"])
    func `external data that another store may own is left alone`(_ other: String) throws {
        let workshop = try Workshop()
        try workshop.makeStore()
        let target = workshop.file("Target.sqlite")
        #expect(Run(["copy", workshop.storePath, target]).code == .ok)
        let support = workshop.file(".Target_SUPPORT/_EXTERNAL_DATA")
        try FileManager.default.createDirectory(atPath: support, withIntermediateDirectories: true)
        try Data("kept".utf8).write(to: URL(fileURLWithPath: support + "/" + UUID().uuidString))
        try FileManager.default.copyItem(atPath: target, toPath: workshop.file(other))
        let before = try FileManager.default.contentsOfDirectory(atPath: support)
        _ = Run(["copy", workshop.storePath, target, "--force"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: support) == before)
        #expect(Run(["diff", workshop.storePath, target, "--model", workshop.modelPath]).code == .ok)
    }

    @Test func `external data whose store does not exist is not touched`() throws {
        let workshop = try Workshop()
        try workshop.makeStore()
        let support = workshop.file(".Target_SUPPORT/_EXTERNAL_DATA")
        try FileManager.default.createDirectory(atPath: support, withIntermediateDirectories: true)
        let name = UUID().uuidString
        try Data("kept".utf8).write(to: URL(fileURLWithPath: support + "/" + name))
        _ = Run(["copy", workshop.storePath, workshop.file("Target.sqlite"), "--force"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: support).contains(name))
    }

    @Test(arguments: [true, false])
    func `a store that is open elsewhere is not replaced`(isWriting: Bool) throws {
        let workshop = try Workshop()
        try workshop.makeStore()
        let target = workshop.file("Target.sqlite")
        #expect(Run(["copy", workshop.storePath, target]).code == .ok)
        // A second connection of this process takes the part of another process.
        var other: Connection? = try Connection(.file(path: target))
        try other?.execute("PRAGMA journal_mode = WAL")
        try other?.begin(isWriting ? .immediate : .deferred)
        try other?.execute(isWriting ? "CREATE TABLE THEIRS (A)" : "SELECT 1 FROM Z_METADATA")
        let run = Run(["copy", workshop.storePath, target, "--force"])
        #expect(run.code == .failure)
        #expect(run.err.contains("is open in another process"))
        if isWriting {
            try other?.commit()
            try other?.execute("SELECT * FROM THEIRS")
        }
        other = nil
        #expect(Run(["copy", workshop.storePath, target, "--force"]).code == .ok)
        #expect(Run(["diff", workshop.storePath, target, "--model", workshop.modelPath]).code == .ok)
    }
}
