import Foundation
import SwormSQLite
import Testing

@testable import OpenCoreData
@testable import SwormStore
import SwormPredicates

/// What migrations ask for, compared with what they take: on disks of just that size.
@Suite("The room that a migration takes", .serialized)
struct MigrationPeakTests {
    enum Way: CaseIterable {
        /// Columns are added where the rows are.
        case inPlace, defaults, longDefaults, shortRows, renumbered, indexes
        /// Rows go into new tables.
        case rebuilt, smallTable, joins
        case twoSteps, mapping, editing, taking
        /// Much of the store is in its log.
        case inPlaceWithLog, rebuiltWithLog, mappingWithLog, editingWithLog

        var hasLog: Bool { "\(self)".hasSuffix("WithLog") }
    }

    private static func model(_ change: (NSEntityDescription, NSEntityDescription) -> Void = { _, _ in })
        -> NSManagedObjectModel
    {
        let thing = Build.entity(
            "Thing",
            [Build.attribute("name"), Build.attribute("number", .integer32AttributeType), Build.attribute("text")])
        let tiny = Build.entity("Tiny", [Build.attribute("name")])
        tiny.properties.append(Build.toOne("thing", thing))
        change(thing, tiny)
        return Build.model(thing, tiny)
    }

    /// The file of a store.
    private static let source: Result<Data, any Error> = Result {
        let store = try MigratedStore(model()) { context in
            for index in 0..<12_000 {
                let text = String(repeating: "text \(index)", count: 12)
                let thing = try context.make("Thing", ["name": "name \(index)", "number": index, "text": text])
                try context.make("Tiny", ["name": "\(index % 10)", "thing": thing])
            }
        }
        return try Data(contentsOf: store.url)
    }

    private static func target(_ way: Way) -> NSManagedObjectModel {
        switch way {
        case .defaults:
            model { thing, _ in
                thing.properties.append(Build.attribute("more", .integer32AttributeType) { $0.defaultValue = 1000 })
            }
        case .longDefaults:
            model { thing, _ in
                thing.properties.append(
                    Build.attribute("more") { $0.defaultValue = String(repeating: "d", count: 300) })
            }
        case .shortRows:
            model { _, tiny in
                tiny.properties.append(Build.attribute("more", .integer64AttributeType) { $0.defaultValue = 1 << 40 })
            }
        case .renumbered:
            {
                let model = model()
                model.entities += (0..<3).map { Build.entity("A\($0)") }
                return model
            }()
        case .indexes:
            model { thing, _ in
                thing.indexes = thing.attributesByName.sorted { $0.key < $1.key }.map { name, attribute in
                    NSFetchIndexDescription(
                        name: "by_\(name)",
                        elements: [NSFetchIndexElementDescription(property: attribute, collationType: .binary)])
                }
                thing.properties.append(Build.attribute("more"))
            }
        case .rebuilt, .rebuiltWithLog: model { thing, _ in thing.properties.removeFirst() }
        case .smallTable: model { _, tiny in tiny.properties.removeFirst() }
        case .joins:
            model { thing, tiny in
                tiny.properties.removeLast()
                let (things, tinies) = (Build.toMany("thing", thing), Build.toMany("tinies", tiny))
                Build.connect(things, tinies)
                tiny.properties.append(things)
                thing.properties.append(tinies)
            }
        default: model { thing, _ in thing.properties.append(Build.attribute("more")) }
        }
    }

    private func run(_ way: Way, _ url: URL, _ options: StoreOptions) throws {
        let (old, new) = (Self.model(), Self.target(way))
        let isMissingAllowed = way == .taking
        func replace(_ work: (StoreReplacement) throws -> Void) throws {
            try work(StoreReplacement(of: url, options: options, isMissingAllowed: isMissingAllowed))
        }
        switch way {
        case .twoSteps:
            try replace { replacement in
                let last = Self.target(.rebuilt)
                try replacement.infer(from: old, to: new)
                try replacement.infer(from: new, to: last)
                try replacement.finish(from: old.compiled(), to: last.compiled())
            }
        case .mapping, .mappingWithLog:
            try replace { replacement in
                try replacement.make(as: new.compiled()) { present, made in
                    try NSMigrationManager(sourceModel: old, destinationModel: new).migrateStore(
                        from: present, sourceType: NSSQLiteStoreType, with: nil, toDestinationURL: made,
                        destinationType: NSSQLiteStoreType)
                }
                try replacement.finish(from: old.compiled(), to: new.compiled())
            }
        case .editing, .editingWithLog:
            try replace { replacement in
                try replacement.edit(as: old.compiled(), original: old.compiled(), checkCancellation: {}) { place in
                    let copy = try GraphLibrary.coordinator(at: place, model: old)
                    defer { for open in copy.persistentStores { try? copy.remove(open) } }
                    let context = GraphLibrary.context(copy)
                    try context.performAndWait {
                        for thing in try context.all("Thing") {
                            thing.setValue("new \(thing.text("name") ?? "")", forKey: "name")
                        }
                        try context.save()
                    }
                }
                try replacement.finish(from: old.compiled(), to: old.compiled())
            }
        case .taking:
            let other = try StoreFolder()
            try Self.source.get().write(to: other.url())
            try replace { replacement in
                try replacement.take(other.url())
                try replacement.finish()
            }
        default: try StoreMigration(inferring: url, from: old, to: new, options: options).run()
        }
    }

    /// Puts a copy of the store into a folder.
    private func copy(to folder: String, hasLog: Bool) throws -> URL {
        let source = try Self.source.get()
        let url = URL(fileURLWithPath: folder + "/Test.sqlite")
        guard hasLog else {
            try source.write(to: url)
            return url
        }
        let other = try StoreFolder()
        try source.write(to: other.url())
        let writer = try other.raw()
        try writer.execute("PRAGMA wal_autocheckpoint = 0")
        try writer.execute(
            "INSERT INTO ZTHING (Z_ENT, Z_OPT, ZNAME, ZTEXT) SELECT Z_ENT, Z_OPT, ZNAME, ZTEXT FROM ZTHING")
        for name in ["Test.sqlite", "Test.sqlite-wal"] {
            try FileManager.default.copyItem(atPath: other.path + "/" + name, toPath: folder + "/" + name)
        }
        return url
    }

    /// The bytes of all files in a folder, which take whole pages of a disk.
    private static func used(_ folder: String) -> Int64 {
        let paths = (try? FileManager.default.subpathsOfDirectory(atPath: folder)) ?? []
        return paths.reduce(0) { sum, path in
            guard FileKind(path: folder + "/" + path) == .file else { return sum }
            return sum + ((FileStamp(path: folder + "/" + path)?.size ?? 0) + 4095) / 4096 * 4096
        }
    }

    /// What a migration says that it takes at most, beside the store.
    private func claim(_ way: Way) throws -> Int64 {
        var claim: Int64 = 0
        for last in 1...10 {
            let folder = try StoreFolder()
            let url = try copy(to: folder.path, hasLog: way.hasLog)
            let (path, start) = (folder.path, Self.used(folder.path))
            let state = Locked((asked: 0, used: Int64(0)))
            var options = StoreOptions()
            options.freeRoom = { _ in
                state.withLock { state in
                    state.asked += 1
                    guard state.asked == last else { return .max }
                    state.used = Self.used(path)
                    return 0
                }
            }
            guard let error = coreDataError({ try run(way, url, options) }) else { return claim }
            #expect(error.errorCode == CocoaError.Code.fileWriteOutOfSpace.rawValue)
            let words = error.message.split(separator: " ")
            let place = try #require(words.firstIndex(of: "about"))
            claim = max(claim, try #require(Int64(words[place + 1])) + state.withLock(\.used) - start)
        }
        return claim
    }

    @Test(
        .enabled(if: SmallDisk.isAvailable, "mounting a small disk is not permitted here"),
        arguments: Way.allCases)
    func `is asked for, and not much more`(_ way: Way) throws {
        let claim = try claim(way)
        var options = StoreOptions()
        options.freeRoom = { _ in nil }
        // A handler may save again and again, and the log has its pages as often.
        let less = way == .editing || way == .editingWithLog ? 0.35 : 0.7
        for (part, isEnough) in [(1.0, true), (less, false)] {
            let folder = try StoreFolder()
            let url = try copy(to: folder.path, hasLog: way.hasLog)
            let room = Self.used(folder.path) + Int64(Double(claim) * part)
            let disk = try #require(try SmallDisk(folder: folder, kilobytes: Int(room / 1024)))
            for name in [url.lastPathComponent, url.lastPathComponent + "-wal"] {
                guard FileManager.default.fileExists(atPath: folder.path + "/" + name) else { continue }
                try FileManager.default.copyItem(atPath: folder.path + "/" + name, toPath: disk.path + "/" + name)
            }
            let error = coreDataError { try run(way, disk.url("Test.sqlite"), options) }
            #expect((error == nil) == isEnough, "\(claim) bytes, \(part): \(error?.message ?? "none")")
        }
    }

    @Test func `files that come with another store are counted`() throws {
        let (store, other) = (try StagedModels.store(2), try StagedModels.store(2))
        let size = StoreFiles(url: other.url).size
        for (free, isEnough) in [(size + 400_000, false), (size + 500_000, true)] {
            let before = try store.folder.contents()
            var options = StoreOptions()
            options.freeRoom = { _ in free }
            let error = coreDataError {
                let replacement = try StoreReplacement(of: store.url, options: options, isMissingAllowed: true)
                try replacement.take(other.url)
                try replacement.finish()
            }
            #expect((error == nil) == isEnough)
            guard !isEnough else { continue }
            #expect(error?.errorCode == CocoaError.Code.fileWriteOutOfSpace.rawValue)
            #expect(error?.message.contains("and \(free) are free") ?? false)
            #expect(try store.folder.contents() == before)
        }
    }
}
