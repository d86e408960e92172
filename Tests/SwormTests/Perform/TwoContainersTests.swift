import Foundation
import Sworm
import SwormTools
import Testing

/// One perform reads, another container saves inside it, and then the first one changes its objects.
@Suite("Two containers on one file")
struct TwoContainersTests {
    typealias Volume = Shelf.Volume
    typealias Remark = Shelf.Remark

    private let test: TestStore
    private let other: PersistentContainer

    init() throws {
        test = try TestStore(for: Volume.self, in: .file) { context in
            let volume = try context.insert(Volume(id: 1, title: "War"))
            try volume.remarks.add(context.insert(Remark(text: "a")))
        }
        other = try PersistentContainer(for: Volume.self, at: .file(#require(test.url)))
    }

    /// The two changes, one within the other, and the check of what they leave.
    private func change(
        _ mine: (ManagedObject<Volume>, ManagedObjectContext) throws -> Void,
        _ others: (ManagedObject<Volume>, ManagedObjectContext) throws -> Void
    ) throws -> StoreError? {
        var failure: StoreError?
        do {
            try test.container.perform { context in
                let volume = try #require(try context.fetch(Volume.all).first)
                _ = try volume.remarks.decode()
                try other.perform { try others(#require(try $0.fetch(Volume.all).first), $0) }
                try mine(volume, context)
            }
        } catch let error as StoreError {
            failure = error
        }
        try test.verify()
        return failure
    }

    private var remarks: [String] {
        get throws {
            try other.perform { context in
                try #require(try context.fetch(Volume.all).first).remarks.decode().map(\.text)
            }
        }
    }

    @Test func `both add to one order, at its end`() throws {
        let error = try change(
            { volume, context in try volume.remarks.add(context.insert(Remark(text: "c"))) },
            { volume, context in try volume.remarks.add(context.insert(Remark(text: "b"))) })
        #expect(error == nil)
        #expect(try remarks == ["a", "b", "c"])
    }

    @Test func `both insert at the beginning of an order`() throws {
        let error = try change(
            { volume, context in try volume.remarks.insert(context.insert(Remark(text: "c")), at: 0) },
            { volume, context in try volume.remarks.insert(context.insert(Remark(text: "b")), at: 0) })
        #expect(error == nil)
        #expect(try remarks == ["b", "c", "a"])
    }

    #if !canImport(CoreData)
    @Test func `a deletion with a cascade includes members that were added concurrently`() throws {
        let error = try change(
            { volume, context in try context.delete(volume) },
            { volume, context in try volume.remarks.add(context.insert(Remark(text: "b"))) })
        #expect(error?.code == .conflict)
        #expect(error?.message.contains("'volume'") == true)
        #expect(try remarks == ["a", "b"])
    }

    @Test func `a deletion that nullifies includes links that were set concurrently`() throws {
        let error = try change(
            { volume, context in try context.delete(volume) },
            { volume, context in try context.insert(Volume(id: 2, title: "Prelude")).sequel = volume })
        #expect(error?.code == .conflict)
        #expect(try other.perform { try $0.count(of: Volume.all) } == 2)
    }
    #endif
}
