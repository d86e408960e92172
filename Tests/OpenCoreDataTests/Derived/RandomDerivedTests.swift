import Foundation
import SwormSQLite
import Testing

@testable import OpenCoreData
@testable import SwormStore

/// Many small changes at random: derived values are always those that a look at the objects gives.
@Suite struct RandomDerivedTests {
    @Test(arguments: [1, 2, 3] as [UInt64], [false, true])
    func `derived values agree with the objects after every save`(_ seed: UInt64, _ dropsTriggers: Bool) throws {
        let folder = try StoreFolder()
        if dropsTriggers {
            let coordinator = try GraphLibrary.coordinator(at: folder.url(), model: DerivedLibrary.model())
            try coordinator.remove(try #require(coordinator.persistentStores.first))
            let raw = try folder.raw()
            for name in try raw.lines("SELECT name FROM sqlite_master WHERE type = 'trigger'") {
                try raw.execute("DROP TRIGGER \(name)")
            }
        }
        var run = DerivedRun(try DerivedLibrary.context(at: folder.url()), seed: seed)
        for _ in 0..<40 { try run.step() }
        #expect(try StoreVerification.findings(of: folder.url(), model: DerivedLibrary.model().compiled()) == [])
        let fresh = try DerivedLibrary.context(at: folder.url())
        for entity in ["Author", "Book", "Page", "Person"] { try fresh.all(entity).forEach(DerivedRun.check) }
    }
}

/// Changes of objects with derived attributes at random, each followed by a save and a comparison.
struct DerivedRun {
    private struct Dice: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ (state >> 29)
        }
    }

    private let context: NSManagedObjectContext
    private var dice: Dice
    private var all: [String: [NSManagedObject]] = [:]

    init(_ context: NSManagedObjectContext, seed: UInt64) {
        self.context = context
        dice = Dice(state: seed)
    }

    mutating func step() throws {
        for _ in 0..<Int.random(in: 1...6, using: &dice) { try change() }
        try context.save()
        for object in all.values.flatMap({ $0 }) { Self.check(object) }
    }

    private mutating func pick(_ kind: String) -> NSManagedObject? { all[kind]?.randomElement(using: &dice) }

    private mutating func change() throws {
        let kinds = ["Author": "Author", "Book": "Book", "Novel": "Book", "Page": "Page", "Tag": "Tag"]
        let names = kinds.keys.sorted()
        switch Int.random(in: 0..<10, using: &dice) {
        case 0...3:
            let entity = names[Int.random(in: 0..<names.count, using: &dice)]
            all[kinds[entity] ?? "", default: []].append(try context.make(entity))
        case 4: pick("Page")?.setValue(pick("Book"), forKey: "book")
        case 5: pick("Book")?.setValue(pick("Author"), forKey: "author")
        case 6: pick("Page")?.setValue(Int.random(in: 0..<100, using: &dice), forKey: "words")
        case 7: pick("Author")?.setValue("N\(Int.random(in: 0..<9, using: &dice))", forKey: "name")
        case 8:
            let tags = (0..<2).compactMap { _ in pick("Tag") }
            pick("Book")?.setValue(Set(tags), forKey: "tags")
        default:
            let kind = ["Author", "Book", "Page", "Tag"][Int.random(in: 0..<4, using: &dice)]
            guard let object = pick(kind) else { return }
            context.delete(object)
            // What a deletion takes along goes with it.
            for kind in all.keys { all[kind]?.removeAll { $0.isDeleted || $0.managedObjectContext == nil } }
        }
    }

    static func check(_ object: NSManagedObject) {
        switch object.entity.name {
        case "Author":
            #expect(object.number("bookCount") == object.set("books").count)
            #expect(object.text("plainName") == object.text("name")?.lowercased())
        case "Page":
            #expect(object.text("writer") == object.object("book")?.object("author")?.text("name"))
        case "Book", "Novel":
            let pages = object.set("pages")
            #expect(object.number("pageCount") == pages.count)
            #expect(object.number("words") == pages.reduce(0) { $0 + ($1.number("words") ?? 0) })
            #expect(object.number("longest") == pages.compactMap { $0.number("words") }.max())
            #expect(object.number("tagCount") == object.set("tags").count)
            #expect(object.text("authorName") == object.object("author")?.text("name"))
        default: break
        }
    }
}
