import Foundation
import Sworm
import SwormTools
import Testing

private struct Film: Equatable {
    var title = ""
    var year = 0
    var rating: Int?
}

extension Film: ManagedObjectConvertible {
    static let attributes: Set<Attribute<Film>> = [
        .init(\.title, "title"), .init(\.year, "year", .type(.integer16)), .init(\.rating, "rating"),
    ]
    struct Relations: Sendable {
        let director = ToOneRelation<Director>("director", inverse: \.films)
        let scenes = ToManyOrderedRelation<Scene>("scenes", inverse: \.film, deleteRule: .cascade)
    }
    static let relations = Relations()
}

private struct Director: Equatable { var name = "" }

extension Director: ManagedObjectConvertible {
    static let attributes: Set<Attribute<Director>> = [.init(\.name, "name")]
    struct Relations: Sendable { let films = ToManyRelation<Film>("films") }
    static let relations = Relations()
}

private struct Scene: Equatable { var place = "" }

extension Scene: ManagedObjectConvertible {
    static let attributes: Set<Attribute<Scene>> = [.init(\.place, "place")]
    struct Relations: Sendable { let film = ToOneRelation<Film>("film") }
    static let relations = Relations()
}

/// A type without relations.
private struct Line: Equatable { var text = "" }

extension Line: ManagedObjectConvertible {
    static let attributes: Set<Attribute<Line>> = [.init(\.text, "text")]
}

@Suite("Differences from Sworm 1.x")
struct SwormDifferencesTests {
    private struct Stop: Error {}

    private func store() throws -> TestStore {
        try TestStore(for: Film.self, Line.self) { context in
            let film = try context.insert(Film(title: "Stalker", year: 1979, rating: 5))
            film.director = try context.insert(Director(name: "Andrei"))
            for place in ["Bar", "Zone", "Room"] { try film.scenes.add(context.insert(Scene(place: place))) }
            try context.insert(Film(title: "Unknown"))
        }
    }

    private func film(_ context: ManagedObjectContext) throws -> ManagedObject<Film> {
        try #require(try context.fetchOne(Film.all.where { $0.title == "Stalker" }))
    }

    @Test func `encoding, changing relations and deleting throw`() throws {
        let container = try store().container
        try container.perform { context in
            let film = try film(context)
            let scene = try context.insert(Scene(place: "Train"))
            try context.delete(film)
            #expect(storeError { try film.encode(\.year, 1980) }?.code == .objectDeleted)
            #expect(storeError { try film.scenes.add(scene) }?.code == .objectDeleted)
            #expect(storeError { try context.delete(film) }?.code == .objectDeleted)
        }
    }

    @Test func `a handle that outlives its perform throws, and its relations are empty and reported`() throws {
        let reported = Locked<[StoreError.Code]>([])
        let store = try store()
        let context = try store.container.perform { $0.instance.persistentStoreCoordinator }
        let container = PersistentContainer(
            managedObjectContext: { [context = UncheckedBox(context)] in
                let new = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
                new.persistentStoreCoordinator = context.value
                return new
            },
            logError: { error in reported.withLock { $0 += (error as? StoreError).map { [$0.code] } ?? [] } })
        var escaped: ManagedObject<Film>?
        try container.perform { escaped = try film($0) }
        let handle = try #require(escaped)
        #expect(storeError { try handle.decode() }?.code == .scopeEnded)
        #expect(handle.director == nil)
        #expect(handle.scenes.isEmpty)
        #expect(reported.withLock { $0 }.contains(.scopeEnded))
    }

    @Test func `an assignment that cannot be made is thrown at the end of the perform`() throws {
        let container = try store().container
        var escaped: ManagedObject<Director>?
        try container.perform { escaped = try $0.fetchOne(Director.all) }
        let error = storeError {
            try container.perform { context in
                let film = try film(context)
                try film.encode(\.year, 2000)
                film.director = escaped
            }
        }
        #expect(error?.code == .scopeEnded)
        #expect(try container.perform { try film($0).decode(\.year) } == 1979)
    }

    @Test func `set links a new object and leaves the old one as it was`() throws {
        let container = try store().container
        try container.perform { context in
            try film(context).set(\.director, value: Director(name: "Sergei"), context: context)
        }
        #expect(try container.perform { try $0.fetch(Director.all.sort(\.name), \.name) } == ["Andrei", "Sergei"])
        #expect(try container.perform { try film($0).director?.decode().name } == "Sergei")
    }

    @Test func `fetchOne of an optional attribute distinguishes a missing object from a missing value`() throws {
        let container = try store().container
        let (absent, empty, full) = try container.perform { context in
            (
                try context.fetchOne(Film.all.where { $0.year == 1 }, \.rating) as Int??,
                try context.fetchOne(Film.all.where { $0.title == "Unknown" }, \.rating) as Int??,
                try context.fetchOne(Film.all.where { $0.year == 1979 }, \.rating) as Int??
            )
        }
        #expect(absent == .none)
        #expect(empty == .some(nil))
        #expect(full == .some(5))
    }

    @Test func `encoding unchanged values is not a change`() throws {
        let container = try store().container
        try container.perform { context in
            let film = try film(context)
            try film.encode(try film.decode())
            #expect(!context.instance.hasChanges)
            try film.encode(\.rating, 4)
            #expect(context.instance.hasChanges)
        }
    }

    @Test func `one attribute is fetched with the unsaved changes`() throws {
        let container = try store().container
        let titles = try container.perform { context in
            try film(context).encode(\.title, "Solaris")
            try context.insert(Film(title: "Mirror"))
            return try context.fetch(Film.all.sort(\.title), \.title)
        }
        #expect(titles == ["Mirror", "Solaris", "Unknown"])
    }

    @Test func `a batch deletion goes down with its perform`() throws {
        let container = try store().container
        try container.perform { context in for text in ["a", "b"] { try context.insert(Line(text: text)) } }
        #expect(throws: Stop.self) {
            try container.perform { context in
                #expect(try context.batchDelete(Line.all) == 2)
                throw Stop()
            }
        }
        #expect(try container.perform { try $0.count(of: Line.all) } == 2)
        #expect(try container.perform { try $0.batchDelete(Line.all.where { $0.text == "a" }) } == 1)
        #expect(try container.perform { try $0.fetch(Line.all, \.text) } == ["b"])
    }

    @Test func `a shared context is rolled back by a perform that throws`() throws {
        let store = try store()
        let coordinator = try store.container.perform { $0.instance.persistentStoreCoordinator }
        let shared = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        shared.persistentStoreCoordinator = coordinator
        let box = UncheckedBox(shared)
        let container = PersistentContainer(managedObjectContext: { box.value }, cleanUpAfterExecution: false)
        #expect(throws: Stop.self) {
            try container.perform { context in
                try context.insert(Film(title: "Half done"))
                throw Stop()
            }
        }
        try container.perform { try $0.insert(Film(title: "Whole")) }
        #expect(
            try store.container.perform { try $0.fetch(Film.all.sort(\.title), \.title) }
                == ["Stalker", "Unknown", "Whole"])
    }

    @Test func `a number that the model has no room for is refused`() throws {
        let container = try store().container
        let error = storeError { try container.perform { try film($0).encode(\.year, 40_000) } }
        #expect(error?.code == .validation)
        #expect(try container.perform { try film($0).decode(\.year) } == 1979)
    }

    @Test func `an iteration goes over the members that there were`() throws {
        let container = try store().container
        try container.perform { context in
            let film = try film(context)
            for scene in film.scenes {
                try film.scenes.remove(scene)
                try context.delete(scene)
            }
            #expect(film.scenes.isEmpty)
        }
        #expect(try container.perform { try $0.count(of: Scene.all) } == 0)
    }

    @Test func `nil in a list finds the objects without a value`() throws {
        let container = try store().container
        let both = try container.perform { try $0.count(of: Film.all.where(\.rating === [nil, 5])) }
        let one = try container.perform { try $0.count(of: Film.all.where(\.rating === [nil])) }
        #expect(both == 2)
        #expect(one == 1)
    }

    @Test func `a perform that ends in a handle returns its id`() throws {
        let container = try store().container
        let id: ManagedObjectID<Film> = try container.perform { try film($0) }
        #expect(try container.perform { try $0.object(with: id).decode().title } == "Stalker")
    }
}

/// A value that a test hands to closures which run one after the other.
private struct UncheckedBox<Value>: @unchecked Sendable {
    // Only ever used by the thread of one test, or by a queue that it waits for. Hence the unchecked conformance.
    let value: Value
    init(_ value: Value) { self.value = value }
}
