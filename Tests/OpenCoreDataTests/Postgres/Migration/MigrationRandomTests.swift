#if PostgreSQL
import Foundation
import SwormPredicates
import SwormRows
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("PostgreSQL: random migrations", .enabled(if: PostgresServer.isEnabled))
struct MigrationRandomTests {
    private static let environment = ProcessInfo.processInfo.environment
    /// The duration of the work of two versions side by side, in seconds.
    private static let duration = environment["SWORM_MIGRATION_SECONDS"].flatMap { Double($0) } ?? 2
    private static let chains = environment["SWORM_MIGRATION_CHAINS"].flatMap { Int($0) } ?? 8
    private static let parts = 4

    // MARK: Random models

    @Test(arguments: 0..<parts)
    func `a store on a server becomes what a file becomes, from version to version`(_ part: Int) throws {
        var counts = (migrations: 0, additive: 0)
        for chain in 0..<Self.chains where chain % Self.parts == part {
            let (migrations, additive) = try go(UInt64(chain) &+ 5000)
            counts.migrations += migrations
            counts.additive += additive
        }
        #expect(counts.migrations > 0)
        print("\(counts.migrations) migrations of servers, \(counts.additive) of them additive")
    }

    private func go(_ seed: UInt64) throws -> (migrations: Int, additive: Int) {
        var version = ModelEvolution(seed: seed)
        var start = seed
        while !issues(of: version.model()).isEmpty {
            start += 77_777
            version = ModelEvolution(seed: start)
        }
        var objects = RandomObjects(seed: seed)
        let first = version.model()
        let file = try MigratedStore(first) { try objects.insert(4, into: $0, PlainModel(first)) }
        // One store goes through all versions, and others through one migration each.
        let lasting = try PostgresStores.migrationServer()
        try copy(file, to: lasting)
        var random = SeededRandom(seed: seed &+ 1000)
        var counts = (migrations: 0, additive: 0)
        for step in 0..<8 {
            var changed = version
            for _ in 0..<(1 + random.pick(3)) { changed.change() }
            let model = changed.model()
            guard issues(of: model).isEmpty,
                model.entityVersionHashesByName != file.model.entityVersionHashesByName,
                (try? ModelMapping.inferred(from: file.model, to: model)) != nil
            else { continue }
            let comment: Comment = "chain \(seed), step \(step)"
            let fresh = try PostgresStores.migrationServer()
            try copy(file, to: fresh)
            let former = file.model
            do {
                try file.migrate(to: model)
            } catch {
                // Values that a file rejects, such as equal ones of a unique attribute.
                return counts
            }
            let expected = try file.graph()
            for server in [fresh, lasting] {
                do {
                    let isAdditive = try migrate(server, to: model)
                    if isAdditive { try check(former, at: server, comment) }
                    counts.migrations += 1
                    counts.additive += isAdditive ? 1 : 0
                    try expect(server, model, expected, comment)
                } catch let error as CoreDataError where error.message.contains("would have to move") {
                    // The store that goes through all versions cannot go on.
                    return counts
                } catch {
                    Issue.record(error, comment)
                    return counts
                }
            }
            changed.settle()
            version = changed
            try file.adopt(version.model())
        }
        return counts
    }

    private func copy(_ file: MigratedStore, to server: PostgresOptions) throws {
        let model = try file.model.compiled()
        let store = try SQLiteStore.open(url: file.url, model: model, options: StoreOptions())
        defer { store.close() }
        var server = server
        server.dates = .doubles
        _ = try StoreCopying.copy(store, to: server, options: PostgresStores.migrationOptions(file.model))
    }

    /// Migrates a store, if possible so that older versions are still served.
    private func migrate(_ server: PostgresOptions, to model: NSManagedObjectModel) throws -> Bool {
        var server = server
        server.dates = .doubles
        do {
            try PostgresStores.store(model, at: server).close()
            return true
        } catch let error as CoreDataError where error.errorCode == NSMigrationError {
            server.changes = .all
            try PostgresStores.store(model, at: server).close()
            return false
        }
    }

    /// Checks that the former version still has its tables.
    private func check(_ former: NSManagedObjectModel, at server: PostgresOptions, _ comment: Comment) throws {
        let store = try PostgresStores.store(former, at: server)
        defer { store.close() }
        _ = try store.content()
    }

    private func expect(
        _ server: PostgresOptions, _ model: NSManagedObjectModel, _ expected: ObjectGraphText, _ comment: Comment
    ) throws {
        let store = try PostgresStores.store(model, at: server)
        defer { store.close() }
        do { try store.migrate() } catch let error as CoreDataError {
            // Equal values of a unique attribute are found after the migration.
            guard error.errorCode == NSManagedObjectConstraintMergeError else { throw error }
        }
        let folder = try StoreFolder()
        var options = StoreOptions()
        options.modelCache = try model.storeCache()
        _ = try StoreCopying.copy(store, to: folder.url(), options: options)
        let found = try ObjectGraphText(PlainStore(copyOf: folder.url()), PlainModel(model))
        #expect(found == expected, comment)
    }

    // MARK: Two versions side by side

    private static var old: NSManagedObjectModel { VersionedShop.version() }
    private static var new: NSManagedObjectModel {
        VersionedShop.version { shop in
            shop.rename(shop.attribute("title"), to: "name")
            shop.rename(shop.attribute("note"), to: "remark")
            shop.rename(shop.relationship("author"), to: "writer")
            shop.book.properties.append(
                Build.attribute("stock", .integer32AttributeType, optional: false) { $0.defaultValue = 7 })
            shop.index("year")
            shop.remove("price")
        }
    }

    @Test func `two versions work side by side, and no value is lost`() async throws {
        let server = try PostgresStores.migrationServer()
        let seed = UInt64.random(in: 0...UInt64.max)
        let old = try PostgresStores.coordinator(of: Self.old, at: server)
        try Worker.fill(old)
        let workers = try await withThrowingTaskGroup(of: [String: Worker.Book].self) { group in
            for number in 0..<4 {
                group.addTask {
                    try await withCheckedThrowingContinuation { continuation in
                        Thread.detachNewThread {
                            continuation.resume(
                                with: Result {
                                    // Two programs start with the newer version while the others are at work.
                                    if number >= 2 { Thread.sleep(forTimeInterval: Self.duration / 4) }
                                    let model = number < 2 ? Self.old : Self.new
                                    let coordinator = try PostgresStores.coordinator(of: model, at: server)
                                    var worker = try Worker(
                                        number, coordinator, isNew: number >= 2, seed: seed &+ UInt64(number))
                                    return try worker.work(until: .now + .seconds(Self.duration))
                                })
                        }
                    }
                }
            }
            return try await group.reduce(into: [String: Worker.Book]()) { $0.merge($1) { $1 } }
        }
        let new = try PostgresStores.coordinator(of: Self.new, at: server)
        for (coordinator, isNew) in [(old, false), (new, true)] {
            let found = try Worker(9, coordinator, isNew: isNew, seed: 0).books()
            #expect(found == workers, "seed \(seed)")
        }
        #expect(workers.count > 10, "seed \(seed)")
        let differences = try PostgresStores.runMigrated(
            "SELECT count(*)::text FROM \(server.schema).\"Book\" WHERE title IS DISTINCT FROM name OR note IS DISTINCT FROM remark OR author IS DISTINCT FROM writer OR \"_order_author_books\" IS DISTINCT FROM \"_order_writer_books\""
        )
        #expect(differences == ["0"], "seed \(seed)")
    }

    /// A program that changes books of its own at random.
    private struct Worker {
        /// The values of a book, under the names of the first version.
        struct Book: Hashable {
            var title: String
            var note: String?
            var year: Int
            var author: String?
        }

        let number: Int
        let context: NSManagedObjectContext
        let names: (title: String, note: String, author: String)
        var random: SeededRandom
        private var own: [(object: NSManagedObject, id: String)] = []
        private var expected: [String: Book] = [:]

        init(_ number: Int, _ coordinator: NSPersistentStoreCoordinator, isNew: Bool, seed: UInt64) throws {
            self.number = number
            context = GraphLibrary.context(coordinator)
            names = isNew ? ("name", "remark", "writer") : ("title", "note", "author")
            random = SeededRandom(seed: seed)
        }

        static func fill(_ coordinator: NSPersistentStoreCoordinator) throws {
            let context = GraphLibrary.context(coordinator)
            try context.performAndWait {
                for name in ["Ann", "Bob", "Cy"] { _ = try context.make("Author", ["name": name]) }
                try context.save()
            }
        }

        mutating func work(until end: ContinuousClock.Instant) throws -> [String: Book] {
            while .now < end { try step() }
            return expected
        }

        private mutating func step() throws {
            let context = context
            var copy = self
            try context.performAndWait {
                let authors = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Author"))
                if copy.own.isEmpty || copy.random.chance(40) {
                    let id = "\(copy.number)-\(copy.expected.count)-\(copy.random.pick(1_000_000))"
                    let object = try context.make("Book")
                    copy.own.append((object, id))
                    copy.set(object, id, authors)
                } else {
                    let index = copy.random.pick(copy.own.count)
                    let (object, id) = copy.own[index]
                    if copy.random.chance(20) {
                        context.delete(object)
                        copy.own.remove(at: index)
                        copy.expected[id] = nil
                    } else {
                        copy.set(object, id, authors)
                    }
                }
                try copy.save()
            }
            self = copy
        }

        private mutating func set(_ object: NSManagedObject, _ id: String, _ authors: [NSManagedObject]) {
            let author = random.chance(60) ? random.pick(authors) : nil
            let book = Book(
                title: "\(id) \(random.pick(1000))", note: random.chance(50) ? "n\(random.pick(1000))" : nil,
                year: random.pick(3000), author: author?.value(forKey: "name") as? String)
            object.setValue(book.title, forKey: names.title)
            object.setValue(book.note, forKey: names.note)
            object.setValue(book.year, forKey: "year")
            object.setValue(author, forKey: names.author)
            expected[id] = book
        }

        /// Saves, and repeats a save whose lists of books others have changed.
        private func save() throws {
            for attempt in 0..<20 {
                do {
                    return try context.save()
                } catch let error as NSError where error.code == NSManagedObjectMergeError && attempt < 19 {
                    for author in try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Author")) {
                        context.refresh(author, mergeChanges: true)
                    }
                }
            }
        }

        func books() throws -> [String: Book] {
            let context = context
            return try context.performAndWait {
                let books = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book"))
                return Dictionary(
                    books.map { object in
                        let title = object.value(forKey: names.title) as? String ?? ""
                        let author = object.value(forKey: names.author) as? NSManagedObject
                        return (
                            String(title.split(separator: " ").first ?? ""),
                            Book(
                                title: title, note: object.value(forKey: names.note) as? String,
                                year: object.value(forKey: "year") as? Int ?? 0,
                                author: author?.value(forKey: "name") as? String)
                        )
                    }, uniquingKeysWith: { $1 })
            }
        }
    }
}
#endif
