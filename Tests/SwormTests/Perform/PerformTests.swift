import Foundation
import Sworm
import TestSupport
import Testing

@Suite("perform", .overEachStore)
struct PerformTests {
    typealias Volume = Shelf.Volume
    typealias Writer = Shelf.Writer

    /// A class that no other isolation may see, made inside.
    private final class Report { var titles: [String] = [] }
    private struct Pair { var count = 0; var report = Report() }

    @Test func `all kinds of results are returned: values, nothing, tuples, optionals, classes, ids`() throws {
        let store = try PersistentContainer(for: Volume.self, at: .tested)
        let id = try store.perform { try $0.insert(Volume(id: 1, title: "a")) }
        #expect(!id.isTemporary)
        let (count, titles) = try store.perform { (try $0.count(of: Volume.all), try $0.fetch(Volume.all, \.title)) }
        #expect(count == 1 && titles == ["a"])
        let report = try store.perform { context in
            let report = Report()
            report.titles = try context.decode(Volume.all).map(\.title)
            return report
        }
        #expect(report.titles == ["a"])
        let pair = try store.perform { Pair(count: try $0.count(of: Volume.all)) }
        #expect(pair.count == 1 && pair.report.titles.isEmpty)
        let none = try store.perform { try $0.decodeOne(Volume.all.where(\.id == 2)) }
        #expect(none == nil)
        var seen = 0
        try store.perform { seen = try $0.count(of: Volume.all) }
        #expect(seen == 1)
        func stored(_ context: ManagedObjectContext) throws -> [String] { try context.fetch(Volume.all, \.title) }
        #expect(try store.perform(action: stored) == ["a"])
        let closure: (ManagedObjectContext) throws -> Int = { try $0.count(of: Volume.all) }
        #expect(try store.perform(action: closure) == 1)
        let optional: Int? = try store.perform { _ in nil }
        #expect(optional == nil)
    }

    @Test func `an error saves nothing and passes as it is`() throws {
        struct Stop: Error, Equatable { let reason: String }
        let log = ErrorLog()
        let store = try PersistentContainer(for: Volume.self, at: .tested, logError: log.add)
        try store.perform { try $0.insert(Volume(id: 1, title: "old")) }
        #expect(throws: Stop(reason: "enough")) {
            try store.perform { context in
                try context.insert(Volume(id: 2))
                try context.fetchOne(Volume.all.where(\.id == 1))?.encode(\.title, "new")
                try context.insert(Writer(id: 1))
                throw Stop(reason: "enough")
            }
        }
        #expect(log.errors.compactMap { $0 as? Stop } == [Stop(reason: "enough")])
        #expect(try store.perform { try $0.decode(Volume.all) } == [Volume(id: 1, title: "old")])
        #expect(try store.perform { try $0.count(of: Writer.all) } == 0)
    }

    @Test func `the system's own errors that a closure throws are not renamed`() throws {
        let store = try PersistentContainer(for: Volume.self, at: .tested)
        let missing = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        #expect(throws: CocoaError.self) { try store.perform { _ in try Data(contentsOf: missing) } }
        #expect(throws: CocoaError.self) {
            try store.perform { _ in _ = try store.perform { _ in try Data(contentsOf: missing) } }
        }
        #expect(throws: CocoaError.self) {
            try store.perform { context in
                try context.insert(Volume())
                try context.forEach(Volume.all) { _ in _ = try Data(contentsOf: missing) }
            }
        }
    }

    @Test func `a save that fails undoes everything, in the file and in memory`() throws {
        let store = try PersistentContainer(for: Library.Book.self, at: .tested)
        let error = storeError {
            try store.perform { context in
                let book = try context.insert(Library.Book(title: "x"))
                try book.reviews.add(context.insert(Library.Review(mark: 3)))
                try book.reviews.add(context.insert(Library.Review(mark: 30)))
            }
        }
        #expect(error?.code == .validation && error?.entity == "Review" && error?.attribute == "mark")
        #expect(try store.perform { try $0.count(of: Library.Book.all) + $0.count(of: Library.Review.all) } == 0)
        let both = storeError {
            try store.perform { context in for _ in 0..<2 { try context.insert(Library.Review(mark: 30)) } }
        }
        #expect(both?.code == .validation)
        #expect(both?.message.contains("mark") == true)
    }

    @Test func `encoding unchanged values is not a change`() throws {
        let folder = try StoreFolder()
        let one = try PersistentContainer(for: Volume.self, at: .file(folder.file()))
        let other = try PersistentContainer(for: Volume.self, at: .file(folder.file()))
        let value = Volume(id: 1, title: "e\u{301}", pages: 3, printed: .distantPast, price: 1.10)
        try one.perform { try $0.insert(value) }
        // The row's version would rise with a write, and the second save would meet a conflict.
        try one.perform { context in
            let mine = try #require(try context.fetchOne(Volume.all))
            try other.perform { try $0.fetchOne(Volume.all)?.encode(value).encode(\.pages, 3).encode(\.price, 1.1) }
            try mine.encode(\.pages, 4)
        }
        #expect(try other.perform { try $0.decodeOne(Volume.all)?.pages } == 4)
        // The same letters in other bytes are another value.
        try one.perform { try $0.fetchOne(Volume.all)?.encode(\.title, "\u{e9}") }
        #expect(try other.perform { try $0.fetch(Volume.all, \.title).first.map { Array($0.utf8) } } == [0xc3, 0xa9])
        let conflict = storeError {
            try one.perform { context in
                let mine = try #require(try context.fetchOne(Volume.all))
                try other.perform { try $0.fetchOne(Volume.all)?.encode(\.pages, 5) }
                try mine.encode(\.title, "late")
            }
        }
        #expect(conflict?.code == .conflict)
        #expect(conflict?.message.contains("Volume") == true)
    }

    @Test func `encode writes all attributes or none`() throws {
        let store = try PersistentContainer(for: Reading.self, at: .tested)
        try store.perform { context in
            let reading = try context.insert(Reading(a: 1, shape: .circle(radius: 1), z: 1))
            #expect(throws: AttributeError.self) {
                try reading.encode(Reading(a: 2, shape: .circle(radius: .nan), z: 2))
            }
            #expect(storeError { try reading.encode(Reading(a: 2, shape: .point, z: 70_000)) }?.code == .validation)
            #expect(throws: AttributeError.self) { try context.insert(Reading(a: 3, shape: .circle(radius: .nan))) }
            #expect(storeError { try context.insert(Reading(a: 3, z: 70_000)) }?.attribute == "z")
        }
        #expect(try store.perform { try $0.decode(Reading.all) } == [Reading(a: 1, shape: .circle(radius: 1), z: 1)])
    }

    private struct Reading: ManagedObjectConvertible, Equatable {
        var a = 0
        var shape = Shape.point
        var z = 0
        static let attributes: Set<Attribute<Reading>> = [
            .init(\.a, "a"), .init(\.shape, "shape"), .init(\.z, "z", .type(.integer16)),
        ]
    }

    @Test func `an id identifies its object in every later perform`() throws {
        let folder = try StoreFolder()
        let store = try PersistentContainer(for: Volume.self, at: .file(folder.file()))
        let id = try store.perform { try $0.insert(Volume(id: 1, title: "a")) }
        let other = try PersistentContainer(for: Volume.self, at: .file(folder.file()))
        #expect(try other.perform { try $0.object(with: id).decode().title } == "a")
        let again = try ManagedObjectID<Volume>(id.uriRepresentation)
        #expect(again == id)
        try store.perform { try $0.object(with: again).encode(\.title, "b") }
        #expect(try other.perform { try $0.object(with: id).decode().title } == "b")
        let same = try store.perform { context in
            let object = try context.object(with: id)
            return (try context.fetchOne(Volume.all) == object, object.id == id)
        }
        #expect(same == (true, true))
        try store.perform { try $0.delete($0.object(with: id)) }
        #expect(storeError { try store.perform { try $0.object(with: id) } }?.code == .objectNotFound)
        try store.perform { context in
            let id = try context.insert(Volume(id: 2)).id
            #expect(id.isTemporary)
            #expect(try context.object(with: id).decode().id == 2)
            try context.delete(context.object(with: id))
            #expect(storeError { try context.object(with: id) }?.code == .objectNotFound)
        }
        let foreign = try PersistentContainer(for: Volume.self, at: .tested)
        #expect(storeError { try foreign.perform { try $0.object(with: id) } }?.code == .objectNotFound)
    }

    @Test func `conditions are chained, and deleting by request is part of the perform`() throws {
        let store = try PersistentContainer(for: Volume.self, at: .tested)
        try store.perform { context in
            for id in 0..<10 { try context.insert(Volume(id: id, title: id % 2 == 0 ? "even" : "odd")) }
        }
        let request = Volume.all.where(\.id > 2).where { $0.title == "even" }.where("id < 8")
        #expect(try store.perform { try $0.fetch(request.sort(\.id), \.id) } == [4, 6])
        #expect(try store.perform { try $0.count(of: request.replacingWhere(\.id == 1)) } == 1)
        #expect(throws: StoreError.Missing.self) {
            try store.perform { context in
                try context.delete(request)
                #expect(try context.count(of: Volume.all) == 8)
                throw StoreError.Missing()
            }
        }
        #expect(try store.perform { try $0.count(of: Volume.all) } == 10)
        try store.perform { try $0.delete(request) }
        #expect(try store.perform { try $0.fetch(Volume.all.sort(\.id), \.id) } == [0, 1, 2, 3, 5, 7, 8, 9])
    }

    @Test func `a batch deletion is saved or undone with everything else`() throws {
        let store = try PersistentContainer(for: Note.self, at: .tested)
        try store.perform { context in
            for stars in 0..<6 {
                let note = Note()
                note.stars = stars
                try context.insert(note)
            }
        }
        #expect(throws: StoreError.Missing.self) {
            try store.perform { context in
                #expect(try context.batchDelete(Note.all.where(\.stars > 2)) == 3)
                #expect(try context.count(of: Note.all) == 3)
                throw StoreError.Missing()
            }
        }
        #expect(try store.perform { try $0.count(of: Note.all) } == 6)
        #expect(try store.perform { try $0.batchDelete(Note.all.sort(\.stars).limit(2)) } == 2)
        #expect(try store.perform { try $0.fetch(Note.all.sort(\.stars), \.stars) } == [2, 3, 4, 5])
    }

    @Test func `an invalid request throws before it runs, and names its error`() throws {
        let store = try PersistentContainer(for: Volume.self, at: .tested)
        let hidden: KeyPath<Volume, Int> = \.title.count
        for error in [
            storeError { try store.perform { try $0.fetch(Volume.all.where(hidden == 3)).count } },
            storeError { try store.perform { try $0.decode(Volume.all.sort(hidden)) } },
            storeError { try store.perform { try $0.fetch(Volume.all, hidden) } },
            storeError { try store.perform { try $0.insert(Volume()).decode(hidden) } },
            storeError { try store.perform { try $0.insert(Volume()).encode(hidden, 3) } },
        ] {
            #expect(error?.code == .unknownKeyPath)
            #expect(error?.entity == "Volume")
            #expect(error?.message.contains("Add it to `attributes`") == true, "\(error?.message ?? "")")
        }
        #expect(storeError { try store.perform { try $0.decode(Volume.all.limit(-1)) } }?.code == .invalidRequest)
        #expect(
            storeError { try store.perform { try $0.decode(Volume.all.where(raw: "nothing == 3")) } }?.code
                == .invalidCondition)
        #expect(try store.perform { try $0.count(of: Volume.all) } == 0)
    }

    @Test func `an optional column distinguishes a missing object from a missing value`() throws {
        let store = try PersistentContainer(for: Volume.self, at: .tested)
        try store.perform { try $0.insert(Volume(id: 1)) }
        try store.perform { context in
            let there: Date?? = try context.fetchOne(Volume.all, \.printed)
            let missing: Date?? = try context.fetchOne(Volume.all.where(\.id == 2), \.printed)
            #expect(there == .some(nil))
            #expect(missing == nil)
        }
    }
}
