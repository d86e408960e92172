import Foundation
import Sworm
import Testing

@Suite("The lifetime of a released container")
struct LifetimeTests {
    typealias Volume = Shelf.Volume

    /// Whether a container that was used in a way is gone afterwards, and has left its files alone.
    private func expectGone(_ use: (PersistentContainer) async throws -> Void) async throws {
        let folder = try StoreFolder()
        weak var kept: PersistentContainer?
        do {
            let store = try PersistentContainer(for: Volume.self, at: .file(folder.file()))
            kept = store
            try store.perform { context in
                let volume = try context.insert(Volume(id: 1))
                try volume.remarks.add(context.insert(Shelf.Remark(text: "a")))
                try volume.writers.add(context.insert(Shelf.Writer(id: 1)))
            }
            try await use(store)
        }
        #expect(kept == nil)
        // The last connection that is closed takes the log away with it.
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["store.sqlite"])
    }

    @Test func `inserting and fetching leak nothing`() async throws {
        try await expectGone { _ in }
        try await expectGone { store in
            try store.perform { context in
                for volume in try context.fetch(Volume.all) {
                    _ = volume.remarks.map(\.id)
                    _ = try volume.writers.decode()
                    _ = try volume.decode()
                    volume.sequel = volume
                }
                _ = try context.decode(Volume.all.where { $0.remarks.any.text == "a" })
                try context.forEach(Volume.all) { _ in }
            }
        }
    }

    @Test func `nested, scheduled and failing closures leak nothing`() async throws {
        try await expectGone { store in
            try store.perform { context in
                try context.insert(Volume(id: 2))
                try store.perform { try $0.insert(Volume(id: 3)) }
                try? store.perform { inner in
                    try inner.insert(Volume(id: 4))
                    throw CancellationError()
                }
            }
            try await store.schedule { try $0.insert(Volume(id: 5)) }
            try? store.perform { context in
                try context.insert(Volume(id: 6))
                throw CancellationError()
            }
            let id = try store.perform { try $0.fetchOne(Volume.all) }
            #expect(id != nil)
        }
    }

    @Test func `a handle that escaped keeps its container only as long as it lives`() async throws {
        try await expectGone { store in
            // Unsafe: a handle is taken out on purpose. The closure runs on this thread, before the next line.
            nonisolated(unsafe) var escaped: ManagedObject<Volume>?
            try store.perform { escaped = try $0.fetchOne(Volume.all) }
            #expect(storeError { try escaped?.remarks.decode() }?.code == .scopeEnded)
            #expect(storeError { try escaped?.decode() }?.code == .scopeEnded)
            escaped = nil
        }
    }
}
