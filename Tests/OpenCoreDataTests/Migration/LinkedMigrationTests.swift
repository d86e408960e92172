import Foundation
import Testing

@testable import OpenCoreData
@testable import SwormStore

/// A store that is opened by a symbolic link in another folder.
@Suite("Migrations of a store by a link")
struct LinkedMigrationTests {
    private typealias Models = StagedModels

    enum Place: CaseIterable {
        /// The files of external data are those of the real file.
        case file
        /// They lie beside the link, under its name.
        case link
    }

    private struct Linked {
        let store: MigratedStore
        let folder: StoreFolder
        let url: URL
        let place: Place

        init(_ place: Place, hasPhotos: Bool = true) throws {
            self.place = place
            store =
                try hasPhotos
                ? Models.store(2)
                : MigratedStore(Models.model(2)) { context in
                    for name in ["Jane", "Leo"] { try context.make("Person", ["name": name]) }
                }
            folder = try StoreFolder()
            url = folder.url("Link.sqlite")
            try FileManager.default.createSymbolicLink(at: url, withDestinationURL: store.url)
            guard place == .link else { return }
            try FileManager.default.moveItem(
                atPath: store.folder.path + "/.Test_SUPPORT", toPath: folder.path + "/.Link_SUPPORT")
        }

        /// Checks that the link is still a link, and that the photos can be read.
        func check(_ model: NSManagedObjectModel, isExternal: Bool = true) throws {
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: url.path) == store.url.path)
            for url in place == .file ? [url, store.url] : [url] {
                let coordinator = try GraphLibrary.coordinator(at: url, model: model)
                let context = GraphLibrary.context(coordinator)
                let photos = try context.all("Person").compactMap { $0.value(forKey: "photo") as? Data }
                #expect(Set(photos) == [Models.photo(0), Models.photo(1)])
                for open in coordinator.persistentStores { try coordinator.remove(open) }
            }
            let base = place == .file ? store.folder.path + "/.Test" : folder.path + "/.Link"
            let names = try? FileManager.default.contentsOfDirectory(atPath: base + "_SUPPORT/_EXTERNAL_DATA")
            #expect(names?.count ?? 0 == (isExternal ? 2 : 0))
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: store.folder.path).allSatisfy {
                    !$0.contains("migrating")
                })
            if place == .file {
                #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["Link.sqlite"])
            }
        }
    }

    /// The second version with the photos in the table, and a third one after it.
    private static func inline(_ more: String...) -> NSManagedObjectModel {
        let names = ["name", "first", "last"] + more
        return Build.model(
            Build.entity(
                "Person", names.map { Build.attribute($0) } + [Build.attribute("photo", .binaryDataAttributeType)]))
    }

    @Test(arguments: Place.allCases)
    func `values are read by the link`(_ place: Place) throws {
        try Linked(place).check(Models.model(2))
    }

    @Test func `new files are in the folder where other programs look for them`() throws {
        let linked = try Linked(.file, hasPhotos: false)
        let coordinator = try GraphLibrary.coordinator(at: linked.url, model: Models.model(2))
        let context = GraphLibrary.context(coordinator)
        for (index, person) in try context.all("Person").enumerated() {
            person.setValue(Models.photo(index), forKey: "photo")
        }
        try context.save()
        for open in coordinator.persistentStores { try coordinator.remove(open) }
        try linked.check(Models.model(2))
    }

    @Test(arguments: Place.allCases)
    func `a rehearsal finds the files, in every step`(_ place: Place) throws {
        let linked = try Linked(place)
        let before = (try linked.store.folder.contents(), try linked.folder.contents())
        let report = try MigrationRehearsal(
            of: linked.url, from: .init("2", model: Models.model(2)),
            through: [.init("inline", model: Self.inline()), .init("more", model: Self.inline("more"))]
        ).run()
        #expect(report.steps.map(\.refusals) == [[], []])
        #expect(report.steps.map(\.notes) == [[], []])
        #expect(report.steps.map(\.removedFiles) == [2, 0])
        #expect(try linked.store.folder.contents() == before.0)
        #expect(try linked.folder.contents() == before.1)
        let kept = try MigrationRehearsal(
            of: linked.url, from: .init("2", model: Models.model(2)),
            through: [.init("3", model: Models.model(3)), .init("4", model: Models.model(4))]
        ).run()
        #expect(kept.steps.map(\.refusals) == [[], []])
        #expect(kept.steps.map(\.notes) == [[], []])
    }

    @Test(arguments: Place.allCases)
    func `an inferred migration finds the files, and removes those that are not needed`(_ place: Place) throws {
        for (model, isExternal) in [(Models.model(3), true), (Self.inline(), false)] {
            let linked = try Linked(place)
            try StoreMigration(inferring: linked.url, from: Models.model(2), to: model).run()
            try linked.check(model, isExternal: isExternal)
        }
    }

    @Test(arguments: Place.allCases)
    func `stages find the files`(_ place: Place) throws {
        let linked = try Linked(place)
        let manager = NSStagedMigrationManager([Models.splitting(), Models.abbreviating()])
        let coordinator = try GraphLibrary.coordinator(
            at: linked.url, model: Models.model(4), options: [NSPersistentStoreStagedMigrationManagerOptionKey: manager]
        )
        for open in coordinator.persistentStores { try coordinator.remove(open) }
        try linked.check(Models.model(4))
    }

    @Test(arguments: Place.allCases)
    func `a manager finds the files`(_ place: Place) throws {
        let linked = try Linked(place)
        let (old, new) = (Models.model(2), Models.model(3))
        let replacement = try StoreReplacement(of: linked.url)
        try replacement.make(as: new.compiled()) { present, made in
            try NSMigrationManager(sourceModel: old, destinationModel: new).migrateStore(
                from: present, sourceType: NSSQLiteStoreType, with: nil, toDestinationURL: made,
                destinationType: NSSQLiteStoreType)
        }
        try replacement.finish(from: old.compiled(), to: new.compiled())
        try linked.check(new)
    }
}
