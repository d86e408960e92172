import Foundation
import Sworm
import SwormTools
import TestSupport
import Testing

enum Tone: String, SupportedAttributeType, Codable {
    case dark, light
    var label: String { "a \(rawValue) one" }
}

enum Genre: Int, SupportedAttributeType, Codable, CaseIterable { case crime = 1, love, war }

struct Traits: OptionSet, SupportedAttributeType, Codable { var rawValue: Int16 }

struct Binding: CodableAttribute, Equatable { var material = "paper" }

struct Place {
    var city = ""
    var rooms = 0
}

/// A row with every kind of value that predicates treat differently.
struct Novel {
    var number = 0
    var title = ""
    var subtitle: String?
    var motto: String?
    var year = 0
    var rating: Int?
    var price = 0.0
    var weight: Float = 0
    var isRead = false
    var isLent: Bool?
    var tone = Tone.dark
    var genre: Genre?
    var traits = Traits()
    var binding = Binding()
    var added = Date(timeIntervalSinceReferenceDate: 0)
    var code: UUID?
    var place = Place()
    var unstored = 0
}

extension Novel: ManagedObjectConvertible {
    static let attributes: Set<Attribute<Novel>> = [
        .init(\.number, "number"), .init(\.title, "title"), .init(\.subtitle, "subtitle"), .init(\.motto, "motto"),
        .init(\.year, "year"),
        .init(\.rating, "rating"), .init(\.price, "price"), .init(\.weight, "weight"), .init(\.isRead, "isRead"),
        .init(\.isLent, "isLent"), .init(\.tone, "tone"), .init(\.genre, "genre"), .init(\.traits, "traits"),
        .init(\.binding, "binding"), .init(\.added, "added"), .init(\.code, "code"), .init(\.place.city, "city"),
    ]
    struct Relations: Sendable {
        let writer = ToOneRelation<Writer>("writer", inverse: \.novels)
        let editor = ToOneRelation<Writer>("editor", inverse: \.edited)
        let reviews = ToManyOrderedRelation<NovelReview>("reviews", inverse: \.novel, deleteRule: .cascade)
    }
    static let relations = Relations()
}

extension Novel {
    static let code = UUID(uuidString: "6F9619FF-8B86-4011-B42D-00C04FC964FF")

    static let samples: [Novel] = [
        Novel(
            number: 1, title: "War and Peace", subtitle: "A novel", motto: "A novel", year: 1869, rating: 5,
            price: 12.5, weight: 0.5,
            isRead: true, isLent: true, tone: .dark, genre: .war, traits: Traits(rawValue: 3),
            binding: Binding(material: "cloth"), added: Date(timeIntervalSinceReferenceDate: 1000), code: code,
            place: Place(city: "Tula")),
        Novel(
            number: 2, title: "Emma", year: 1815, rating: 3, price: 8, weight: 0.25, isLent: false, tone: .light,
            genre: .love, added: Date(timeIntervalSinceReferenceDate: 2000.5), place: Place(city: "Bath")),
        Novel(number: 3, title: "Café 'Noir'", subtitle: "", year: 1999, price: 20, weight: 1.5, isRead: true),
        Novel(
            number: 4, title: "", subtitle: "War", motto: "Peace", year: -5, rating: 1, price: 0, isLent: true,
            tone: .light,
            genre: .crime),
        Novel(
            number: 5, title: "it's 100% [sic]\n(*?)", year: 2024, rating: 5, price: 99.99, weight: 3, isRead: true,
            isLent: false, tone: .light, traits: Traits(rawValue: 1), place: Place(city: "Tula")),
        Novel(number: 6, title: "WAR", subtitle: "WAR", motto: "WAR", year: 1869, rating: 0, price: -1.5, genre: .war),
    ]
}

struct Writer { var name = ""; var born: Int? }

extension Writer: ManagedObjectConvertible {
    static let attributes: Set<Attribute<Writer>> = [.init(\.name, "name"), .init(\.born, "born")]
    struct Relations: Sendable {
        let novels = ToManyRelation<Novel>("novels")
        let edited = ToManyRelation<Novel>("edited")
    }
    static let relations = Relations()
}

struct NovelReview { var text = ""; var mark = 0; var stars: Int? }

extension NovelReview: ManagedObjectConvertible {
    static let attributes: Set<Attribute<NovelReview>> = [
        .init(\.text, "text"), .init(\.mark, "mark"), .init(\.stars, "stars"),
    ]
    struct Relations: Sendable { let novel = ToOneRelation<Novel>("novel") }
    static let relations = Relations()
}

/// Compares what a predicate finds with what it says of the same values.
enum NovelStore {
    private struct Undo: Error {}

    private struct Stores: Sendable {
        let saved: TestStore
        let empty: TestStore
    }

    /// The stores of each kind, which all tests share. The files are removed at the end of the process.
    private static let known: Locked<[StoreKindUnderTest: Stores]> = {
        atexit { NovelStore.known.withLock { $0[.file] = nil } }
        return Locked([:])
    }()

    /// The stores of the kind that the test runs over.
    private static func stores() throws -> Stores {
        let tested = StoreUnderTest.current
        tested?.markUse()
        let kind = tested?.kind ?? .memory
        return try known.withLock { known in
            if let stores = known[kind] { return stores }
            let stores = Stores(saved: try store(kind, seed: seed), empty: try store(kind) { _ in })
            known[kind] = stores
            return stores
        }
    }

    private static func store(
        _ kind: StoreKindUnderTest, seed: (ManagedObjectContext) throws -> Void
    ) throws -> TestStore {
        switch kind {
        case .memory: try TestStore(for: Novel.self, seed: seed)
        // The file of a test is removed with the test.
        case .file: try TestStore(for: Novel.self, in: .file, seed: seed)
        case .server: try TestStore.tested(for: Novel.self, seed: seed)
        }
    }

    /// The samples, and around them: Leo wrote 1 and 6, and Jane 2, which Leo edited; 1 and 2 have reviews.
    static func seed(_ context: ManagedObjectContext) throws {
        let novels = try Novel.samples.map { try context.insert($0) }
        let leo = try context.insert(Writer(name: "Leo", born: 1828))
        let jane = try context.insert(Writer(name: "Jane"))
        try context.insert(Writer(name: "Nobody", born: 1900))
        novels[0].writer = leo
        novels[0].editor = leo
        novels[5].writer = leo
        novels[1].writer = jane
        novels[1].editor = leo
        for mark in [5, 2, 4] { try novels[0].reviews.add(context.insert(NovelReview(text: "Long", mark: mark))) }
        try novels[1].reviews.add(context.insert(NovelReview(text: "Fun", mark: 4, stars: 4)))
    }

    /// The numbers of the novels that a condition finds among saved rows, and among objects that were never saved.
    static func numbers(_ condition: Condition<Novel>) throws -> (saved: [Int], pending: [Int]) {
        func find(_ context: ManagedObjectContext) throws -> [Int] {
            try context.decode(Novel.all.where(condition)).map(\.number).sorted()
        }
        return (try stores().saved.container.perform(action: find), try pending(find))
    }

    /// What is found where nothing was saved.
    static func pending<Value: Sendable>(_ find: (ManagedObjectContext) throws -> Value) throws -> Value {
        var found: Value?
        do {
            try stores().empty.container.perform { context in
                try seed(context)
                found = try find(context)
                throw Undo()
            }
        } catch is Undo {}
        return try #require(found)
    }

    static func perform<Value: Sendable>(_ find: (ManagedObjectContext) throws -> Value) throws -> Value {
        try stores().saved.container.perform(action: find)
    }
}

/// Expects that a predicate finds the rows of which it is true, some but not all.
func agree(_ predicate: Foundation.Predicate<Novel>, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let expected = try Novel.samples.filter { try predicate.evaluate($0) }.map(\.number)
    let condition = Condition<Novel>(predicate)
    let found = try NovelStore.numbers(condition)
    #expect(found.saved == expected, "saved: \(condition)", sourceLocation: sourceLocation)
    #expect(found.pending == expected, "pending: \(condition)", sourceLocation: sourceLocation)
    #expect(
        !expected.isEmpty && expected.count < Novel.samples.count, "tells nothing: \(condition)",
        sourceLocation: sourceLocation)
}

/// Expects that a predicate over rows finds these novels.
func finds(
    _ expected: [Int], _ predicate: Foundation.Predicate<Row<Novel>>, sourceLocation: SourceLocation = #_sourceLocation
) throws {
    let condition = Condition<Novel>(predicate)
    let found = try NovelStore.numbers(condition)
    #expect(found.saved == expected, "saved: \(condition)", sourceLocation: sourceLocation)
    #expect(found.pending == expected, "pending: \(condition)", sourceLocation: sourceLocation)
}
