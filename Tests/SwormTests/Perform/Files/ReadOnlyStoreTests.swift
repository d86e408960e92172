import Foundation
import Sworm
import SwormTools
import Testing

@Suite("Stores that were opened read-only")
struct ReadOnlyStoreTests {
    typealias Volume = Shelf.Volume

    private let test: TestStore
    private let copy: PersistentContainer

    init() throws {
        test = try TestStore(for: Volume.self, in: .file) { try $0.insert(Volume(id: 1)) }
        copy = try PersistentContainer(for: Volume.self, at: .readOnly(#require(test.url)))
    }

    private static let changes: [(name: String, change: @Sendable (ManagedObjectContext) throws -> Void)] = [
        ("insert", { try $0.insert(Volume(id: 9)) }),
        ("encode", { try $0.fetchOne(Volume.all)?.encode(\.pages, 9) }),
        ("delete", { try $0.delete(Volume.all) }),
        ("insert many", { try $0.insert(contentsOf: [Volume(id: 9)]) }),
        ("upsert", { try $0.upsert([Volume(id: 1, pages: 9)]) }),
        ("update", { try $0.update(Volume.all, set: (\.pages, 9)) }),
        ("batchDelete", { try $0.batchDelete(Volume.all) }),
    ]

    @Test func `every change throws that they are read-only`() throws {
        for (name, change) in Self.changes {
            #expect(storeError { try copy.perform(action: change) }?.code == .readOnly, "\(name)")
            #expect(storeError { try copy.write(change) }?.code == .readOnly, "\(name)")
            #expect(
                storeError {
                    try copy.perform {
                        try $0.insert(Volume(id: 8)); try change($0)
                    }
                }?.code == .readOnly,
                "\(name) with unsaved changes")
        }
        #expect(try copy.read { try $0.decode(Volume.all) } == [Volume(id: 1)])
    }

    #if !canImport(CoreData)
    @Test func `so does a checkpoint`() {
        for mode in PersistentContainer.CheckpointMode.allCases {
            #expect(storeError { try copy.checkpoint(mode) }?.code == .readOnly, "\(mode)")
        }
    }
    #endif

    @Test func `a write does not wait for its turn before it says so`() async throws {
        let (copy, goOn) = (self.copy, await holdWriteLock(of: test.container))
        let error = storeErrorNow { try copy.write(deadline: .now + .seconds(60)) { _ in } }
        #expect(error?.code == .readOnly)
        let later = await storeError { try await copy.write(deadline: .now + .seconds(60)) { _ in } }
        #expect(later?.code == .readOnly)
        goOn.signal()
    }

    /// Not asynchronous, so that the synchronous forms are called.
    private func storeErrorNow(_ body: () throws -> Void) -> StoreError? { storeError(body) }
}
