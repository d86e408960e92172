import Foundation
import Sworm
import SwormTools
import Testing

@Suite("Cancelling a plan")
struct MigrationCancellingTests {
    private struct Stop: Error {}

    // Core Data reports the progress of a manager by key-value observing, which its stand-in does not have.
    #if canImport(CoreData)
    private let leastSteps = 1
    #else
    private let leastSteps = 8
    #endif

    /// The bytes of all files of a folder.
    private func contents(_ folder: StoreFolder) throws -> [String: Data] {
        var result: [String: Data] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: folder.url.path) {
            result[name] = FileManager.default.contents(atPath: folder.url.appendingPathComponent(name).path) ?? Data()
        }
        return result
    }

    /// The library's plan, with a mapping model in the middle.
    private var plan: MigrationPlan {
        MigrationPlan([
            .init("1", LibraryV1.Book.self),
            .init(
                "2", LibraryV2.Book.self,
                stage: .mapping { try .inferredMappingModel(forSourceModel: $0, destinationModel: $1) }),
            MigrationPlan.library.versions[2],
        ])
    }

    @Test func `an error of the closure cancels every stage, wherever it is thrown`() throws {
        for plan in [plan, .library] {
            var reported: [MigrationPlan.Progress] = []
            let whole = try StoreFolder()
            try whole.makeLibrary()
            try plan.migrate(storeAt: whole.store) { reported.append($0) }
            for stage in 0...1 { #expect(reported.filter { $0.done == stage }.count > leastSteps) }
            #expect(reported.map(\.total).last == 1)
            #expect(reported.allSatisfy { (0...1).contains($0.total) })
            for moment in reported.indices {
                let folder = try StoreFolder()
                try folder.makeLibrary()
                let before = try contents(folder)
                var count = 0
                #expect(throws: Stop.self) {
                    try plan.migrate(storeAt: folder.store) { _ in
                        if count == moment { throw Stop() }
                        count += 1
                    }
                }
                #expect(try contents(folder) == before)
            }
        }
    }

    @Test func `a progress of Foundation sees a plan and cancels it`() throws {
        let folder = try StoreFolder()
        try folder.makeLibrary()
        let before = try contents(folder)
        for fraction in [0, 0.3, 0.5, 0.8, 0.95] {
            let progress = Progress(totalUnitCount: 1)
            progress.becomeCurrent(withPendingUnitCount: 1)
            #expect(throws: CancellationError.self) {
                try plan.migrate(storeAt: folder.store) { if $0.total >= fraction { progress.cancel() } }
            }
            progress.resignCurrent()
            #expect(progress.fractionCompleted < 1)
            #expect(try contents(folder) == before)
        }
        let progress = Progress(totalUnitCount: 1)
        progress.becomeCurrent(withPendingUnitCount: 1)
        var seen: [Double] = []
        try plan.migrate(storeAt: folder.store) { _ in seen.append(progress.fractionCompleted) }
        progress.resignCurrent()
        #expect(progress.fractionCompleted == 1)
        #expect(seen == seen.sorted() && Set(seen).count > leastSteps && seen.allSatisfy { $0 < 1 })
    }

    @Test func `a cancelled task cancels its migration`() async throws {
        let folder = try StoreFolder()
        try folder.makeLibrary()
        let before = try contents(folder)
        let (plan, store) = (plan, folder.store)
        for fraction in [0, 0.6, 1] {
            let task = Task {
                _ = try PersistentContainer(
                    migrating: plan, at: .file(store),
                    progress: { state in
                        if state.total >= fraction { withUnsafeCurrentTask { $0?.cancel() } }
                    })
            }
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(try contents(folder) == before)
        }
        try await Task { _ = try PersistentContainer(migrating: plan, at: .file(store)) }.value
        #expect(try plan.versionName(ofStoreAt: store) == "3")
    }

    @Test func `a task that is cancelled already migrates nothing`() async throws {
        let folder = try StoreFolder()
        try folder.makeLibrary()
        let before = try contents(folder)
        let (plan, store) = (plan, folder.store)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try plan.migrate(storeAt: store)
        }
        await #expect(throws: CancellationError.self) { _ = try await task.value }
        #expect(try contents(folder) == before)
    }
}
