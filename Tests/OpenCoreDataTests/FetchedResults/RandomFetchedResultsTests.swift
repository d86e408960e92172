import Foundation
import SwormPredicates
import TestSupport
import Testing

@testable import OpenCoreData

/// Table views and lists that follow controllers by the delegates' calls, while the objects of a context change at
/// random: they show what a fetch finds.
///
/// A long run: SWORM_LIVE_FETCHED=100000 swift test --filter RandomFetchedResultsTests. The seed of a run that failed
/// replays it: SWORM_RANDOM_SEED=…
@Suite("Fetched results controllers, compared with fetches")
struct RandomFetchedResultsTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let count = environment["SWORM_LIVE_FETCHED"].flatMap { Int($0) } ?? 600
    private static let seed = environment["SWORM_RANDOM_SEED"].flatMap { UInt64($0) } ?? 1

    @Test func `tables and lists show what a fetch finds, by a table view's rules`() throws {
        print("Fetched results: \(Self.count), SWORM_RANDOM_SEED=\(Self.seed)")
        var (done, seed) = (0, Self.seed)
        var totals: [String: Int] = [:]
        while done < Self.count {
            var run = try FetchedResultsRun(seed: seed)
            for _ in 0..<min(200, Self.count - done) {
                done += try run.step()
                let faults = try run.faults()
                guard faults.isEmpty else {
                    let lines = (faults + ["after"] + run.log.suffix(12)).joined(separator: "\n")
                    Issue.record("SWORM_RANDOM_SEED=\(seed): \(lines)")
                    return
                }
            }
            totals.merge(run.counts) { $0 + $1 }
            seed += 1
        }
        print("Fetched results: \(done) changes, seeds \(Self.seed)..<\(seed), calls \(totals)")
        for kind in ["insert", "delete", "move", "update", "section insert", "section delete", "difference"] {
            #expect(totals[kind, default: 0] > 0, "no \(kind)")
        }
    }
}

private struct FetchedResultsRun {
    private typealias Controller = NSFetchedResultsController<NSManagedObject>

    private(set) var log: [String] = []
    private var random: SeededRandom
    private let context: NSManagedObjectContext
    private let other: NSManagedObjectContext
    private let tables: [(controller: Controller, mirror: TableMirror)]
    private let lists: [(controller: Controller, mirror: ListMirror)]

    init(seed: UInt64) throws {
        random = SeededRandom(seed: seed)
        let coordinator = try ShopModel.coordinator()
        let context = GraphLibrary.context(coordinator)
        self.context = context
        other = GraphLibrary.context(coordinator)
        for context in [context, other] {
            context.mergePolicy = NSMergePolicy(merge: .mergeByPropertyObjectTrumpMergePolicyType)
        }
        let plain = [
            ShopModel.controller(context, sorts: ["title"]),
            ShopModel.controller(context, "year > 2", sorts: ["genre", "title"], sections: "genre"),
            ShopModel.controller(context, sorts: ["-genre", "-year"], sections: "genre") { $0.fetchBatchSize = 5 },
            ShopModel.controller(context, sorts: ["author.name", "title"], sections: "author.name"),
            ShopModel.controller(context, "author.name < 'c'", sorts: ["year", "author.name"]),
            ShopModel.controller(context, sorts: ["year", "title"], sections: "year") {
                ($0.fetchOffset, $0.fetchLimit) = (2, 9)
            },
            ShopModel.controller(context, "author.books.@count > 1", sorts: ["title", "-year"]),
        ]
        tables = plain.map { ($0, TableMirror(render: ShopModel.render)) }
        lists = [
            ShopModel.controller(context, sorts: ["-year", "title"]),
            ShopModel.controller(context, "genre != 'b' AND author.name != nil", sorts: ["title"]),
        ].map { ($0, ListMirror()) }
        for (controller, mirror) in tables {
            controller.delegate = mirror
            try controller.performFetch()
            mirror.reload(controller)
        }
        for (controller, mirror) in lists {
            controller.delegate = mirror
            try controller.performFetch()
            mirror.reload(controller)
        }
    }

    var counts: [String: Int] {
        var counts = ["difference": lists.reduce(0) { $0 + $1.mirror.calls }]
        for (_, mirror) in tables { counts.merge(mirror.counts) { $0 + $1 } }
        return counts
    }

    /// Changes objects in one event, or a few, and returns the number of changes.
    mutating func step() throws -> Int {
        let number = 1 + random.pick(4)
        switch random.pick(100) {
        case 0..<62: try changes(in: context, number)
        case 62..<74: try save()
        case 74..<80:
            log.append("rollback")
            context.performAndWait { context.rollback() }
        case 80..<92: try merge(number)
        case 92..<95: refresh()
        case 95..<97:
            log.append("reset")
            context.performAndWait { context.reset() }
        default:
            log.append("process twice")
            for _ in 0..<2 {
                try change(in: context)
                context.processPendingChanges()
            }
        }
        return number
    }

    private mutating func changes(in context: NSManagedObjectContext, _ number: Int) throws {
        try context.performAndWait { for _ in 0..<number { try change(in: context) } }
    }

    private mutating func save() throws {
        log.append("save")
        if random.chance(30) { try change(in: context) }
        try context.performAndWait { try context.save() }
    }

    /// Saves changes of another context, and merges them.
    private mutating func merge(_ number: Int) throws {
        log.append("merge")
        try changes(in: other, number)
        let context = context
        let observer = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextDidSave, object: other, queue: nil
        ) { notification in
            context.performAndWait { context.mergeChanges(fromContextDidSave: notification) }
        }
        defer { NotificationCenter.default.removeObserver(observer) }
        try other.save()
        other.reset()
    }

    private mutating func refresh() {
        log.append("refresh")
        let flag = random.chance(50)
        guard let object = random.pick(Array(context.registeredObjects).sorted { $0.objectID.key < $1.objectID.key })
        else { return }
        context.performAndWait { context.refresh(object, mergeChanges: flag) }
    }

    /// The objects to change. A fetch begins another event, so that most changes choose among the registered objects.
    private mutating func objects(
        of context: NSManagedObjectContext
    ) throws -> (books: [NSManagedObject], authors: [NSManagedObject]) {
        if context === other || random.chance(15) { return (try context.all("Book"), try context.all("Author")) }
        let present = context.registeredObjects.filter { !$0.isDeleted && $0.managedObjectContext != nil }
            .sorted { $0.objectID.key < $1.objectID.key }
        return (
            present.filter { $0.entity.name != "Author" }, present.filter { $0.entity.name == "Author" }
        )
    }

    private mutating func change(in context: NSManagedObjectContext) throws {
        let (books, authors) = try objects(of: context)
        func text(_ random: inout SeededRandom) -> String? { ["a", "b", "c", "d", "e", nil][random.pick(6)] }
        let kind = random.pick(100)
        guard kind >= 22, let book = random.pick(books), books.count < 30 || kind < 60 else {
            if books.count >= 30, let book = random.pick(books) {
                log.append("delete \(book.objectID)")
                return context.delete(book)
            }
            if random.chance(15) {
                log.append("author")
                try context.make("Author").setValue(text(&random), forKey: "name")
                return
            }
            let book = try context.make(random.chance(25) ? "Novel" : "Book")
            log.append("insert \(book.objectID)")
            for key in ["title", "genre"] { book.setValue(text(&random), forKey: key) }
            book.setValue(random.pick(6), forKey: "year")
            if random.chance(70) { book.setValue(random.pick(authors), forKey: "author") }
            return
        }
        switch kind {
        case 22..<42:
            let key = ["title", "genre", "note"][random.pick(3)]
            log.append("\(key) of \(book.objectID)")
            book.setValue(text(&random), forKey: key)
        case 42..<56:
            log.append("year of \(book.objectID)")
            book.setValue(random.chance(10) ? nil : random.pick(6), forKey: "year")
        case 56..<70:
            log.append("author of \(book.objectID)")
            book.setValue(random.chance(20) ? nil : random.pick(authors), forKey: "author")
        case 70..<84:
            log.append("name")
            random.pick(authors)?.setValue(text(&random), forKey: "name")
        case 84..<96:
            log.append("delete \(book.objectID)")
            context.delete(book)
        default:
            log.append("delete an author")
            random.pick(authors).map { context.delete($0) }
        }
    }

    /// What mirrors and controllers show that a fetch does not find.
    func faults() throws -> [String] {
        var faults: [String] = []
        for (index, (controller, mirror)) in tables.enumerated() {
            faults += mirror.differences(from: controller).map { "table \(index): \($0)" }
            faults += try differences(controller).map { "controller \(index): \($0)" }
        }
        for (index, (controller, mirror)) in lists.enumerated() {
            faults += mirror.faults.map { "list \(index): \($0)" }
            if mirror.ids != controller.fetchedObjects?.map(\.objectID) {
                faults.append("list \(index) has other ids than its controller")
            }
            faults += try differences(controller).map { "list controller \(index): \($0)" }
        }
        return faults
    }

    private func differences(_ controller: Controller) throws -> [String] {
        let found = controller.fetchedObjects ?? []
        let right = try context.fetch(controller.fetchRequest)
        if found.elementsEqual(right, by: ===) { return [] }
        func text(_ objects: [NSManagedObject]) -> String {
            objects.map { "\($0.objectID.key): \(ShopModel.render($0))" }.joined(separator: ", ")
        }
        return ["\(text(found)) instead of \(text(right))"]
    }
}
