import Foundation
import SwormSQLite
import Testing

@testable import OpenCoreData
@testable import SwormStore
import SwormRows
import SwormPredicates

/// Foundation's progress, which sees a migration and cancels it.
@Suite("The progress of a migration")
struct MigrationProgressTests {
    private typealias Models = StagedModels

    private let automatic: [AnyHashable: Any] = [
        NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true,
    ]

    private var staged: [AnyHashable: Any] {
        [
            NSPersistentStoreStagedMigrationManagerOptionKey: NSStagedMigrationManager(
                [Models.lightweight(1), Models.splitting(), Models.abbreviating()])
        ]
    }

    /// Runs a piece of work as the only part of a progress.
    private func watching(_ progress: Progress, _ work: () throws -> Void) rethrows {
        progress.becomeCurrent(withPendingUnitCount: 1)
        defer { progress.resignCurrent() }
        try work()
    }

    private func open(_ store: MigratedStore, _ version: Int, _ options: [AnyHashable: Any]) throws {
        let coordinator = try GraphLibrary.coordinator(
            at: store.url, model: Models.model(version), options: options)
        for open in coordinator.persistentStores { try coordinator.remove(open) }
    }

    @Test func `a migration is a part of the progress that is current`() throws {
        for options in [automatic, staged] {
            let store = try Models.store(1)
            let progress = Progress(totalUnitCount: 1)
            let seen = Seen()
            let watch = StatementWatch { _ in seen.add(progress.fractionCompleted) }
            try watching(progress) {
                try open(store, 4, options.merging([SwormStatementWatchOption: watch]) { $1 })
            }
            #expect(progress.fractionCompleted == 1)
            #expect(seen.all == seen.all.sorted())
            #expect(Set(seen.all).count > 5)
            // With nothing to migrate, it is done as well.
            let second = Progress(totalUnitCount: 1)
            try watching(second) { try open(store, 4, options) }
            #expect(second.fractionCompleted == 1)
        }
    }

    /// What a watch has seen, on whichever thread.
    private final class Seen: Sendable {
        private let values = Locked<[Double]>([])
        var all: [Double] { values.withLock { $0 } }
        func add(_ value: Double) { values.withLock { $0.append(value) } }
    }

    @Test(arguments: [false, true])
    func `a cancelled progress leaves every byte, at whichever statement`(isStaged: Bool) throws {
        let options = isStaged ? staged : automatic
        var total = 0
        do {
            let store = try Models.store(1)
            let seen = Seen()
            let watch = StatementWatch { _ in seen.add(0) }
            try open(store, 4, options.merging([SwormStatementWatchOption: watch]) { $1 })
            total = seen.all.count
        }
        #expect(total > 20)
        var cancelled = 0
        for moment in stride(from: 0, to: total, by: max(total / 40, 1)) {
            let store = try Models.store(1)
            let before = try store.folder.contents()
            let progress = Progress(totalUnitCount: 1)
            let seen = Seen()
            let watch = StatementWatch { _ in
                if seen.all.count == moment { progress.cancel() }
                seen.add(0)
            }
            let error = coreDataError {
                try watching(progress) {
                    try open(store, 4, options.merging([SwormStatementWatchOption: watch]) { $1 })
                }
            }
            if let error {
                cancelled += 1
                #expect(error.errorCode == CocoaError.Code.userCancelled.rawValue)
                #expect(try store.folder.contents() == before)
            } else {
                // It was too late.
                let metadata = try SQLiteStore.metadata(of: store.url)
                #expect(Models.model(4).isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata))
            }
        }
        #expect(cancelled > 10)
    }

    @Test func `a handler can cancel`() throws {
        for place in 0..<4 {
            let store = try Models.store(1)
            let before = try store.folder.contents()
            let progress = Progress(totalUnitCount: 1)
            let (split, abbreviate) = (Models.splitting(), Models.abbreviating())
            let cancel: (NSStagedMigrationManager, NSCustomMigrationStage) throws -> Void = { _, _ in progress.cancel()
            }
            switch place {
            case 0: split.willMigrateHandler = cancel
            case 1: split.didMigrateHandler = cancel
            case 2: abbreviate.willMigrateHandler = cancel
            default: abbreviate.didMigrateHandler = cancel
            }
            let error = coreDataError {
                try watching(progress) { try store.open(4, [Models.lightweight(1), split, abbreviate]) }
            }
            #expect(error?.errorCode == CocoaError.Code.userCancelled.rawValue)
            #expect(try store.folder.contents() == before)
        }
    }

    @Test func `an error at the very end leaves the store, with the external data of both`() throws {
        struct Stop: Error {}
        for hadData in [true, false] {
            let store =
                try hadData
                ? Models.store(2) : MigratedStore(Models.model(2)) { try $0.make("Person", ["name": "Jane Austen"]) }
            let before = try store.folder.contents()
            do {
                let replacement = try StoreReplacement(of: store.url)
                try replacement.edit(
                    as: Models.model(2).compiled(), original: Models.model(2).compiled(), checkCancellation: {}
                ) {
                    place in
                    let copy = try GraphLibrary.coordinator(at: place, model: Models.model(2))
                    let context = GraphLibrary.context(copy)
                    try context.performAndWait {
                        for person in try context.all("Person") { person.setValue(Models.photo(9), forKey: "photo") }
                        try context.save()
                    }
                    for open in copy.persistentStores { try copy.remove(open) }
                }
                let folder = MigrationFolder(of: StoreFiles(url: store.url))
                #expect(throws: Stop.self) {
                    try replacement.finish(from: Models.model(2).compiled(), to: Models.model(2).compiled()) {
                        // The new files lie beside the old ones now.
                        #expect(FileManager.default.fileExists(atPath: folder.note))
                        #expect(try store.externalFiles().count == (hadData ? 4 : 1))
                        throw Stop()
                    }
                }
            }
            #expect(try store.externalFiles().count == (hadData ? 2 : 0))
            #expect(try store.folder.contents() == before)
        }
    }

    /// A backup has the names of the very files that the store has.
    @Test func `a store that is replaced by a copy of itself keeps its external data, whatever happens`() throws {
        struct Stop: Error {}
        let store = try Models.store(2)
        let files = try store.externalFiles()
        let backup = try MigratedStore(copyOf: store.url, model: store.model)
        for stops in [true, false] {
            let replacement = try StoreReplacement(of: store.url, options: StoreOptions(), isMissingAllowed: true)
            try replacement.take(backup.url)
            do {
                try replacement.finish { if stops { throw Stop() } }
                #expect(!stops)
            } catch {
                #expect(stops && error is Stop)
            }
            #expect(try store.externalFiles() == files)
        }
        try store.checkFile()
    }

    @Test func `a manager reports to the progress that is current, and is cancelled by it`() throws {
        let fill: (NSManagedObjectContext) throws -> Void = { context in
            for index in 0..<30 { try context.make("Tag", ["name": "tag \(index)"]) }
        }
        let library = try MigratedLibrary(fill: fill)
        let progress = Progress(totalUnitCount: 1)
        let manager = NSMigrationManager(sourceModel: library.old, destinationModel: library.new)
        var calls = 0
        manager.watch = { fraction in
            calls += 1
            #expect((0...1).contains(fraction))
        }
        try watching(progress) { try library.migrate(with: manager) }
        #expect(progress.fractionCompleted == 1)
        #expect(calls > 60)
        for moment in [0, 1, 30, 45, calls - 1] {
            let library = try MigratedLibrary(fill: fill)
            let before = try library.folder.contents()
            let progress = Progress(totalUnitCount: 1)
            var seen = 0
            let manager = NSMigrationManager(sourceModel: library.old, destinationModel: library.new)
            manager.watch = { _ in
                if seen == moment { throw CancellationError() }
                seen += 1
            }
            #expect(throws: CancellationError.self) { try library.migrate(with: manager) }
            seen = 0
            manager.watch = { _ in
                if seen == moment { progress.cancel() }
                seen += 1
            }
            let error = coreDataError { try watching(progress) { try library.migrate(with: manager) } }
            // After the last object, the progress is not checked again.
            #expect(moment == calls - 1 || error?.errorCode == CocoaError.Code.userCancelled.rawValue)
            if error != nil { #expect(try library.folder.contents() == before) }
        }
    }

    @Test func `a store that is added in the background reports to the progress of the caller`() async throws {
        for cancels in [false, true] {
            let store = try Models.store(1)
            let before = try store.folder.contents()
            let description = NSPersistentStoreDescription(url: store.url)
            description.shouldAddStoreAsynchronously = true
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Models.model(2))
            let progress = Progress(totalUnitCount: 1)
            let code = await withCheckedContinuation { (done: CheckedContinuation<Int?, Never>) in
                progress.becomeCurrent(withPendingUnitCount: 1)
                if cancels { progress.cancel() }
                coordinator.addPersistentStore(with: description) {
                    done.resume(returning: ($1 as? CocoaError)?.code.rawValue)
                }
                progress.resignCurrent()
            }
            #expect(code == (cancels ? CocoaError.Code.userCancelled.rawValue : nil))
            for open in coordinator.persistentStores { try coordinator.remove(open) }
            guard cancels else {
                // The completion handler is called before the end is reported.
                for _ in 0..<500 where progress.fractionCompleted < 1 { try await Task.sleep(for: .milliseconds(10)) }
                #expect(progress.fractionCompleted == 1)
                continue
            }
            #expect(try store.folder.contents() == before)
        }
    }
}
