import Foundation
import Sworm
import TestSupport
import Testing

@Suite("Changes of all objects of a request", .overEachStore)
struct BatchTests {
    typealias Volume = Shelf.Volume
    typealias Writer = Shelf.Writer
    typealias Remark = Shelf.Remark

    private func library(_ log: @escaping @Sendable (any Error) -> Void = { _ in }) throws -> PersistentContainer {
        let store = try PersistentContainer(for: Volume.self, at: .tested, logError: log)
        try store.perform { context in
            let writer = try context.insert(Writer(id: 1, name: "Leo"))
            for id in 0..<6 {
                let volume = try context.insert(Volume(id: id, title: "t\(id)", pages: id * 10, price: 1))
                try volume.writers.add(writer)
                try volume.remarks.add(context.insert(Remark(text: "r\(id)")))
            }
        }
        return store
    }

    @Test func `an update sets several properties, including nil, and returns the number of objects`() throws {
        let store = try library()
        let printed = Date(timeIntervalSinceReferenceDate: 5)
        let count = try store.perform { context in
            try context.update(
                Volume.all.where { $0.pages < 30 }, set: (\.title, "x"), (\.price, nil), (\.printed, printed))
        }
        #expect(count == 3)
        #expect(
            try store.perform { try $0.fetch(Volume.all.sort(\.id), \.title) } == ["x", "x", "x", "t3", "t4", "t5"])
        let changed = try store.perform { try $0.decode(Volume.all.where { $0.price == nil }) }
        #expect(changed.map(\.printed) == [printed, printed, printed])
        #expect(try store.perform { try $0.update(Volume.all.sort(\.pages).limit(2), set: (\.pages, 7)) } == 2)
        #expect(try store.perform { try $0.fetch(Volume.all.where { $0.pages == 7 }.sort(\.id), \.id) } == [0, 1])
        #expect(try store.perform { try $0.update(Volume.all, set: (\.pages, 1), (\.pages, 2)) } == 6)
        #expect(try store.perform { try $0.count(of: Volume.all.where { $0.pages == 2 }) } == 6)
    }

    @Test func `handles of the same perform show the written values, and report deleted objects`() throws {
        let store = try library()
        try store.perform { context in
            let volumes = try context.fetch(Volume.all.sort(\.id))
            let writer = try #require(try context.fetchOne(Writer.all))
            #expect(try volumes[0].decode(\.title) == "t0")
            try context.update(Volume.all.where { $0.id < 3 }, set: (\.title, "x"))
            #expect(try volumes.map { try $0.decode(\.title) } == ["x", "x", "x", "t3", "t4", "t5"])
            #expect(try context.batchDelete(Volume.all.where { $0.id > 1 }) == 4)
            #expect(try context.count(of: Remark.all) == 2)
            #expect(writer.volumes.count == 2)
            #expect(storeError { try volumes[5].decode(\.title) }?.code == .objectDeleted)
            #expect(storeError { try volumes[4].encode(\.title, "y") }?.code == .objectDeleted)
            try volumes[0].encode(\.pages, 99)
        }
        #expect(try store.perform { try $0.fetch(Volume.all.sort(\.id), \.pages) } == [99, 10])
    }

    @Test func `a perform that throws undoes them, a nested one its own part only`() throws {
        let store = try library()
        #expect(throws: StoreError.Missing.self) {
            try store.perform { context in
                try context.update(Volume.all, set: (\.title, "x"))
                try context.batchDelete(Volume.all.where { $0.id == 1 })
                throw StoreError.Missing()
            }
        }
        #expect(try store.perform { try $0.fetch(Volume.all.sort(\.id), \.title) } == (0..<6).map { "t\($0)" })
        try store.perform { context in
            // Not in the macro's argument: the compiler then takes this closure for another one of the test.
            let found = try context.fetchOne(Volume.all.where { $0.id == 5 })
            let volume = try #require(found)
            try context.update(Volume.all.where { $0.id < 2 }, set: (\.title, "outer"))
            #expect(throws: StoreError.Missing.self) {
                try store.perform { inner in
                    try inner.update(Volume.all, set: (\.title, "inner"))
                    try inner.batchDelete(Volume.all.where { $0.id == 5 })
                    #expect(try inner.count(of: Volume.all) == 5)
                    throw StoreError.Missing()
                }
            }
            let title = try volume.decode(\.title)
            #expect(title == "t5")
            try store.perform { _ = try $0.update(Volume.all.where { $0.id == 2 }, set: (\.title, "joined")) }
        }
        let titles = try store.perform { try $0.fetch(Volume.all.sort(\.id), \.title) }
        #expect(titles == ["outer", "outer", "joined", "t3", "t4", "t5"])
    }

    // Core Data only reports this when the changes are saved, and the perform cannot continue then.
    #if !canImport(CoreData)
    @Test func `a value that a save rejects is rejected by name, and the perform can continue`() throws {
        let store = try library()
        try store.perform { context in
            let error = storeError { try context.update(Volume.all, set: (\.id, 3), (\.title, "x")) }
            #expect(error?.code == .uniquenessViolation && error?.attribute == "id" && error?.entity == "Volume")
            let length: WritableKeyPath<Volume, Int> = \.pages.hidden
            #expect(storeError { try context.update(Volume.all, set: (length, 3)) }?.code == .unknownKeyPath)
            try context.update(Volume.all.where { $0.id == 5 }, set: (\.title, "last"))
        }
        #expect(try store.perform { try $0.fetch(Volume.all.sort(\.id), \.title) }.last == "last")
        #expect(try store.perform { try $0.count(of: Volume.all.where { $0.title == "x" }) } == 0)
        let reviews = try PersistentContainer(for: Library.Review.self, at: .tested)
        let error = storeError { try reviews.perform { try $0.update(Library.Review.all, set: (\.mark, 11)) } }
        #expect(error?.code == .validation && error?.attribute == "mark")
    }
    #endif

    @Test func `values of every kind of property are written as they are when they are encoded`() throws {
        let store = try PersistentContainer(for: Library.Book.self, at: .tested)
        try store.perform { try $0.insert(Library.Book()) }
        try store.perform { context in
            try context.update(
                Library.Book.all, set: (\.status, .printed), (\.price, 2.5), (\.rating, 4),
                (\.address, Library.Address(city: "Tula")), (\.cover, Data(repeating: 1, count: 200_000)))
        }
        let book = try #require(try store.perform { try $0.decodeOne(Library.Book.all) })
        #expect(book.status == .printed && book.price == 2.5 && book.rating == 4)
        #expect(book.address == Library.Address(city: "Tula") && book.cover.count == 200_000)
        try store.perform { _ = try $0.update(Library.Book.all, set: (\.address, nil), (\.rating, nil)) }
        let emptied = try #require(try store.perform { try $0.decodeOne(Library.Book.all) })
        #expect(emptied.address == nil && emptied.rating == nil)
    }

    @Test func `unsaved changes count, and are saved with the rest`() throws {
        let store = try library()
        try store.perform { context in
            try context.insert(Volume(id: 10, title: "new"))
            try context.fetchOne(Volume.all.where { $0.id == 0 })?.encode(\.pages, 500)
            #expect(try context.update(Volume.all.where { $0.pages > 40 || $0.id == 10 }, set: (\.title, "x")) == 3)
            #expect(try context.batchDelete(Volume.all.where { $0.id == 10 || $0.id == 5 }) == 2)
        }
        #expect(try store.perform { try $0.fetch(Volume.all.where { $0.title == "x" }, \.id) } == [0])
        #expect(try store.perform { try $0.count(of: Remark.all) } == 5)
    }
}

extension Int {
    /// A property that no table has.
    fileprivate var hidden: Int {
        get { self }
        set { self = newValue }
    }
}
