import Foundation
import Sworm
import SwormTools
import TestSupport
import Testing

@Suite("Values that are inserted or update existing objects", .overEachStore)
struct UpsertTests {
    typealias Volume = Shelf.Volume

    struct Entry: ManagedObjectConvertible, Equatable, Hashable {
        var id: Int? = 0
        var code = ""
        var part = 0
        var text = ""
        var number = 0
        static let attributes: Set<Attribute<Entry>> = [
            .init(\.id, "id", .unique), .init(\.code, "code"), .init(\.part, "part"), .init(\.text, "text"),
            .init(\.number, "number", .range(...1000)),
        ]
        static let uniquenessConstraints: [UniquenessConstraint<Entry>] = [.init(\.code, \.part)]
    }

    private func volumes(_ store: TestStore) throws -> [Volume] {
        try store.reopenedIfPossible().perform { try $0.decode(Volume.all.sort(\.id)) }
    }

    @Test func `new values are inserted, and existing objects are updated`() throws {
        let store = try TestStore.tested(for: Volume.self) { context in
            for id in 0..<10 { try context.insert(Volume(id: id, title: "old", pages: id)) }
        }
        let values = (5..<15).map { Volume(id: $0, title: "new", pages: 100) }
        let result = try store.container.perform { context in
            let result = try context.upsert(values)
            #expect(try context.count(of: Volume.all) == 15)
            return result
        }
        #expect(result == Upsert.Result(inserted: 5, updated: 5))
        #expect(try volumes(store) == (0..<5).map { Volume(id: $0, title: "old", pages: $0) } + values)
        try store.verifyIfFile()
    }

    @Test func `a policy decides the values of an existing object`() throws {
        let store = try TestStore.tested(for: Volume.self) { try $0.insert(Volume(id: 1, title: "old", pages: 1)) }
        let values = [Volume(id: 1, title: "new", pages: 2), Volume(id: 2, title: "new", pages: 2)]
        try store.container.perform { (context: ManagedObjectContext) throws in
            #expect(try context.upsert(values[..<1], onConflict: .ignore) == Upsert.Result(ignored: 1))
            #expect(try context.upsert(values[..<1], onConflict: .update(\.pages)) == Upsert.Result(updated: 1))
            #expect(try context.decode(Volume.all) == [Volume(id: 1, title: "old", pages: 2)])
            #expect(storeError { try context.upsert(values, onConflict: .throw) }?.code == .uniquenessViolation)
            #expect(try context.count(of: Volume.all) == 1)
            #expect(try context.upsert(values[1...], onConflict: .throw) == Upsert.Result(inserted: 1))
            #expect(try context.upsert(values, onConflict: .ignore) == Upsert.Result(ignored: 2))
        }
        #expect(try volumes(store) == [Volume(id: 1, title: "old", pages: 2), values[1]])
        try store.verifyIfFile()
    }

    @Test func `the later of two equal values updates, and nil is never equal`() throws {
        let store = try TestStore.tested(for: Entry.self)
        let values = [
            Entry(id: 1, code: "a", text: "first"), Entry(id: nil, code: "b"), Entry(id: 1, code: "a", text: "second"),
            Entry(id: nil, code: "c"),
        ]
        let result = try store.container.perform { try $0.upsert(values, on: \.id) }
        #expect(result == Upsert.Result(inserted: 3, updated: 1))
        let found = try store.container.perform { try $0.decode(Entry.all.sort(\.code)) }
        #expect(found == [values[2], values[1], values[3]])
        try store.verifyIfFile()
    }

    @Test func `one of several constraints is named`() throws {
        let store = try TestStore.tested(for: Entry.self, Everything.self) { context in
            try context.insert(Entry(id: 1, code: "a", part: 1, text: "old"))
        }
        try store.container.perform { (context: ManagedObjectContext) throws in
            let value = Entry(id: 2, code: "a", part: 1, text: "new")
            #expect(storeError { try context.upsert([value]) }?.code == .invalidRequest)
            #expect(storeError { try context.upsert([value], on: \.text) }?.code == .invalidRequest)
            #expect(storeError { try context.upsert([Everything()]) }?.code == .invalidRequest)
            // The values of another constraint are taken.
            let taken = storeError { try context.upsert([value], on: \.id) }
            #expect(taken?.code == .uniquenessViolation && taken?.attribute == "code, part")
            #expect(try context.upsert([value], on: \.part, \.code) == Upsert.Result(updated: 1))
            #expect(try context.decode(Entry.all) == [value])
        }
        try store.verifyIfFile()
    }

    @Test func `a value is checked also when it is ignored, and nothing stays of a call that fails`() throws {
        let store = try TestStore.tested(for: Entry.self) { try $0.insert(Entry(id: 1, text: "old")) }
        for isPending in [false, true] {
            try store.container.perform { context in
                if isPending { try context.fetchOne(Entry.all.where(\.id == 1))?.encode(\.text, "pending") }
                let values = [Entry(id: 1, text: "new"), Entry(id: 2, code: "b"), Entry(id: 1, number: 2000)]
                for policy in [Upsert.Policy<Entry>.updateAll, .ignore, .update(\.text)] {
                    let error = storeError { try context.upsert(values, on: \.id, onConflict: policy) }
                    #expect(error?.code == .validation && error?.attribute == "number")
                }
                #expect(try context.fetch(Entry.all, \.text) == [isPending ? "pending" : "old"])
            }
        }
        try store.verifyIfFile()
    }

    @Test func `unsaved objects count as existing, and deleted ones do not`() throws {
        let store = try TestStore.tested(for: Volume.self) { context in
            for id in 0..<3 { try context.insert(Volume(id: id, title: "old")) }
        }
        try store.container.perform { context in
            let fresh = try context.insert(Volume(id: 3, title: "unsaved"))
            try context.delete(Volume.all.where(\.id == 0))
            let changed = try #require(try context.fetchOne(Volume.all.where(\.id == 1)))
            try changed.encode(\.pages, 9)
            let values = (0..<5).map { Volume(id: $0, title: "new", pages: 1) }
            #expect(try context.upsert(values, onConflict: .update(\.title)) == Upsert.Result(inserted: 2, updated: 3))
            #expect(try fresh.decode() == Volume(id: 3, title: "new"))
            #expect(try changed.decode() == Volume(id: 1, title: "new", pages: 9))
        }
        #expect(try volumes(store).map(\.pages) == [1, 9, 0, 0, 1])
        #expect(try volumes(store).allSatisfy { $0.title == "new" })
        try store.verifyIfFile()
    }

    @Test func `objects that the perform knows already show the new values`() throws {
        let store = try TestStore.tested(for: Volume.self) { context in
            try context.insert(Volume(id: 1, title: "old")).remarks.add(context.insert(Shelf.Remark(text: "kept")))
        }
        try store.container.perform { context in
            let lazy = try context.fetch(Volume.all)
            let known = try #require(try context.fetchOne(Volume.all))
            #expect(try known.decode(\.title) == "old" && known.remarks.count == 1)
            try context.upsert([Volume(id: 1, title: "new")])
            #expect(try known.decode(\.title) == "new")
            #expect(try lazy.first?.decode(\.title) == "new")
            #expect(try known.remarks.decode().map(\.text) == ["kept"])
            try known.encode(\.pages, 4)
        }
        #expect(try volumes(store) == [Volume(id: 1, title: "new", pages: 4)])
        try store.verifyIfFile()
    }

    @Test(.over(.file, .server)) func `another context that concurrently changes an object causes a conflict`() throws {
        let store = try TestStore.tested(for: Volume.self) { try $0.insert(Volume(id: 1, title: "old")) }
        let other = try store.reopened()
        let error = storeError {
            try store.container.perform { context in
                let volume = try #require(try context.fetchOne(Volume.all))
                try volume.encode(\.pages, 5)
                try other.perform { try $0.upsert([Volume(id: 1, title: "new")]) }
            }
        }
        #expect(error?.code == .conflict)
        // The same values again are no change.
        try store.container.perform { context in
            let volume = try #require(try context.fetchOne(Volume.all))
            try volume.encode(\.pages, 5)
            try other.perform { try $0.upsert([Volume(id: 1, title: "new")]) }
        }
        #expect(try volumes(store) == [Volume(id: 1, title: "new", pages: 5)])
        try store.verifyIfFile()
    }

    @Test func `a value in an external file is replaced with its file`() throws {
        struct Picture: ManagedObjectConvertible, Equatable {
            var id = 0
            var data = Data()
            static let attributes: Set<Attribute<Picture>> = [
                .init(\.id, "id", .unique), .init(\.data, "data", .external),
            ]
        }
        let store = try TestStore.tested(for: Picture.self) { context in
            try context.insert(contentsOf: [Picture(id: 1, data: Data(repeating: 1, count: 300_000))])
        }
        let values = (1...2).map { Picture(id: $0, data: Data(repeating: 2, count: 200_000)) }
        let result = try store.container.perform { try $0.upsert(values) }
        #expect(result == Upsert.Result(inserted: 1, updated: 1))
        #expect(try store.reopenedIfPossible().perform { try $0.decode(Picture.all.sort(\.id)) } == values)
        try store.verifyIfFile()
    }

    @Test func `it is undone with its perform`() throws {
        let store = try TestStore.tested(for: Volume.self) { try $0.insert(Volume(id: 1, title: "old")) }
        try store.container.perform { context in
            let known = try #require(try context.fetchOne(Volume.all))
            #expect(throws: StoreError.Missing.self) {
                try store.container.perform { inner in
                    try inner.upsert([Volume(id: 1, title: "new"), Volume(id: 2)])
                    #expect(try known.decode(\.title) == "new")
                    throw StoreError.Missing()
                }
            }
            #expect(try known.decode(\.title) == "old")
            #expect(try context.count(of: Volume.all) == 1)
        }
        #expect(try volumes(store) == [Volume(id: 1, title: "old")])
        try store.verifyIfFile()
    }
}
