import Foundation
@testable import OpenCoreData
import Sworm

/// The kinds of runs.
enum CrashKind: CaseIterable, Sendable {
    case writing, checkpoints, migration, stagedMigration, replacement

    /// Records a run.
    ///
    /// - Parameter wrap: May change the disk.
    func run(_ store: CrashStore, seed: UInt64) throws -> CrashRun {
        let name = "\(self) \(store.journal.rawValue) \(store.synchronous.rawValue) seed \(seed)"
        switch self {
        case .writing:
            let workload = try CrashWorkload(store, seed: seed)
            for _ in 0..<16 { try workload.step() }
            try workload.close()
            return workload.run(name)
        case .checkpoints:
            let workload = try CrashWorkload(store, seed: seed)
            for _ in 0..<4 {
                try workload.saveObjects()
                for _ in 0..<3 { try workload.changePayload() }
                try workload.checkpoint(.truncate)
            }
            return workload.run(name)
        case .migration, .stagedMigration, .replacement:
            let workload = try CrashWorkload(store, seed: seed) { try Self.prepare($0, store, seed: seed) }
            try lead(workload)
            return workload.run(name)
        }
    }

    /// Makes a store with files beside it, and one that may replace it.
    private static func prepare(_ folder: ScratchFolder, _ store: CrashStore, seed: UInt64) throws -> CrashContent {
        var content = CrashContent()
        for name in ["Other.sqlite", "Store.sqlite"] {
            let source = try CrashWorkload(store, seed: seed &+ UInt64(name.count))
            for _ in 0..<3 { try source.saveObjects() }
            for _ in 0..<3 { try source.changePayload() }
            try source.close()
            content = source.content
            let support = ".\(name.dropLast(7))_SUPPORT"
            for (from, to) in [("Store.sqlite", name), (".Store_SUPPORT", support)]
            where FileManager.default.fileExists(atPath: source.folder.url(from).path) {
                try FileManager.default.copyItem(at: source.folder.url(from), to: folder.url(to))
            }
        }
        return content
    }

    private func lead(_ workload: CrashWorkload) throws {
        var next = workload.content
        switch self {
        case .writing, .checkpoints: break
        case .migration:
            for key in next.items.keys { next.items[key]?.payload = nil }
            try workload.transaction(to: next, .withoutFiles, lasts: true) {
                let opened = try workload.store.coordinator(
                    at: workload.url, .withoutFiles, disk: workload.recorder.disk)
                try CrashStore.close(opened)
            }
        case .stagedMigration:
            let keys = next.items.keys.sorted()
            for key in keys where key % 2 == 0 {
                next.items[key]?.payload = key % 4 == 0 ? nil : CrashContent.payload(250 + key)
            }
            let stages = CrashStore.stages { item in
                guard let key = item.value(forKey: "key") as? Int, key % 2 == 0 else { return }
                item.setValue(key % 4 == 0 ? nil : CrashContent.payload(250 + key), forKey: "payload")
            }
            try workload.transaction(to: next, .withOtherFiles, lasts: true) {
                let opened = try workload.store.coordinator(
                    at: workload.url, .withOtherFiles, disk: workload.recorder.disk, stages: stages)
                try CrashStore.close(opened)
            }
        case .replacement:
            let other = workload.folder.url("Other.sqlite")
            let coordinator = try workload.store.coordinator(at: other, .first)
            next = try CrashContent(coordinator)
            try CrashStore.close(coordinator)
            try workload.transaction(to: next, lasts: true) {
                try NSPersistentStoreCoordinator(managedObjectModel: CrashModel.first.model).replacePersistentStore(
                    at: workload.url, destinationOptions: [SwormDiskOption: workload.recorder.disk],
                    withPersistentStoreFrom: other, ofType: NSSQLiteStoreType)
            }
        }
    }
}
