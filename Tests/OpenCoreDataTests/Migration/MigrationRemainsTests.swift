import Foundation
import Testing

@testable import OpenCoreData
@testable import SwormStore

/// Files of external data that are not needed any more, after a migration that was killed when the new store was just in its
/// place.
@Suite("Leftovers of a migration that is killed at its end")
struct MigrationRemainsTests {
    private typealias Models = StagedModels

    enum Way: CaseIterable {
        /// By SQL; the photos go.
        case change
        /// In steps; the photos go.
        case replacement
        /// In steps; there are other photos instead.
        case editing
    }

    enum Fate: CaseIterable {
        /// Nothing was changed since.
        case none
        /// A backup of the old store was written into the file.
        case oldContent
        /// A backup of the old store was put in the place of the file.
        case oldFile
        /// The new store went away and came back as another file.
        case newFile

        var isOld: Bool { self == .oldContent || self == .oldFile }
    }

    private static func plain() -> NSManagedObjectModel {
        Build.model(
            Build.entity("Person", [Build.attribute("name"), Build.attribute("first"), Build.attribute("last")]))
    }

    /// A store that was migrated, and what lay around it in the moment before the new one took the old one's place.
    private struct Killed {
        let store: MigratedStore
        let files: StoreFiles
        let aside: StoreFolder
        let old: Set<String>
        let new: Set<String>

        init(_ way: Way) throws {
            let store = try Models.store(2)
            let (files, aside) = (StoreFiles(url: store.url), try StoreFolder())
            let manager = FileManager.default
            old = try store.externalFiles()
            func keep() throws {
                let hidden = try manager.contentsOfDirectory(atPath: store.folder.path).filter {
                    $0.hasPrefix(".Test.sqlite.migrating")
                }
                let name = try #require(hidden.first)
                try manager.copyItem(atPath: store.folder.path + "/\(name)/files", toPath: aside.path + "/note")
                try manager.copyItem(atPath: files.externalData, toPath: aside.path + "/external")
                try manager.copyItem(atPath: files.main, toPath: aside.path + "/old")
            }
            switch way {
            case .change: try store.run(to: plain()) { if $0.phase == .replacing { try keep() } }
            case .replacement:
                let replacement = try StoreReplacement(of: store.url)
                try replacement.infer(from: store.model, to: plain())
                try replacement.finish(from: store.model.compiled(), to: plain().compiled(), last: keep)
                try store.adopt(plain(), afterMigration: true)
            case .editing:
                let replacement = try StoreReplacement(of: store.url)
                try replacement.edit(
                    as: store.model.compiled(), original: store.model.compiled(), checkCancellation: {}
                ) { place in
                    let copy = try GraphLibrary.coordinator(at: place, model: store.model)
                    let context = GraphLibrary.context(copy)
                    try context.performAndWait {
                        for person in try context.all("Person") { person.setValue(Models.photo(9), forKey: "photo") }
                        try context.save()
                    }
                    for open in copy.persistentStores { try copy.remove(open) }
                }
                try replacement.finish(from: store.model.compiled(), to: store.model.compiled(), last: keep)
            }
            (self.store, self.files, self.aside) = (store, files, aside)
            new = try store.externalFiles()
            #expect(old.count == 2 && new.count == (way == .editing ? 2 : 0) && old.isDisjoint(with: new))
            #expect(!MigrationFolder(of: files).exists)
        }

        /// Puts back what is removed after the new store is in its place.
        func restore(_ fate: Fate) throws {
            let manager = FileManager.default
            let folder = MigrationFolder(of: files)
            try manager.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
            try manager.copyItem(atPath: aside.path + "/note", toPath: folder.note)
            try? manager.removeItem(atPath: files.externalData)
            try manager.copyItem(atPath: aside.path + "/external", toPath: files.externalData)
            #expect(try store.externalFiles() == old.union(new))
            let node = FileStamp(path: files.main)?.node
            switch fate {
            case .none: break
            case .oldContent:
                try FileHandle(forWritingTo: store.url).truncate(atOffset: 0)
                let content = try #require(manager.contents(atPath: aside.path + "/old"))
                let file = try FileHandle(forWritingTo: store.url)
                try file.write(contentsOf: content)
                try file.close()
            case .oldFile, .newFile:
                let copy = store.folder.path + "/copy"
                try manager.copyItem(atPath: fate.isOld ? aside.path + "/old" : files.main, toPath: copy)
                try manager.removeItem(atPath: files.main)
                try manager.moveItem(atPath: copy, toPath: files.main)
            }
            #expect((FileStamp(path: files.main)?.node == node) == (fate == .none || fate == .oldContent))
        }
    }

    @Test(arguments: Way.allCases, Fate.allCases)
    func `files that the current store does not name are deleted, and all other files stay`(
        _ way: Way, _ fate: Fate
    ) throws {
        for migrates in [false, true] {
            let killed = try Killed(way)
            try killed.restore(fate)
            if migrates {
                _ = try StoreReplacement(of: killed.store.url)
            } else {
                StoreMigration.removeRemains(beside: killed.files)
            }
            #expect(try killed.store.externalFiles() == (fate.isOld ? killed.old : killed.new))
            #expect(!MigrationFolder(of: killed.files).exists)
            let model = fate.isOld ? Models.model(2) : killed.store.model
            let findings = try StoreVerification.findings(of: killed.store.url, model: model.compiled())
            #expect(findings.map(\.message) == [])
        }
    }

    @Test func `without a store, the files are kept`() throws {
        let killed = try Killed(.editing)
        try killed.restore(.none)
        let away = killed.store.folder.path + "/away"
        try FileManager.default.moveItem(atPath: killed.files.main, toPath: away)
        StoreMigration.removeRemains(beside: killed.files)
        #expect(try killed.store.externalFiles() == killed.old.union(killed.new))
        try FileManager.default.moveItem(atPath: away, toPath: killed.files.main)
        StoreMigration.removeRemains(beside: killed.files)
        #expect(try killed.store.externalFiles() == killed.new)
    }
}
