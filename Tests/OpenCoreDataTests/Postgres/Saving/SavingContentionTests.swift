#if PostgreSQL
import Foundation
import SwormPostgres
import SwormPredicates
import SwormRows
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("Saving: several threads and contexts at once", .enabled(if: PostgresServer.isEnabled))
struct SavingContentionTests {
    private let model = LibraryModel.model

    /// Runs a closure on several threads, and throws the first error.
    private func concurrently(_ count: Int, _ body: @escaping @Sendable (Int) throws -> Void) throws {
        let failure = Locked<(any Error)?>(nil)
        let group = DispatchGroup()
        for index in 0..<count {
            group.enter()
            Thread.detachNewThread {
                do { try body(index) } catch { failure.withLock { $0 = $0 ?? error } }
                group.leave()
            }
        }
        #expect(group.wait(timeout: .now() + 120) == .success)
        if let error = failure.withLock({ $0 }) { throw error }
    }

    @Test func `transfers between accounts lose nothing`() throws {
        let stores = try SavingStore(.server, timeout: 30)
        let model = model
        var request = SaveRequest()
        for key in 1...6 as ClosedRange<Int64> {
            request.insert(model[LibraryModel.author], key: -key, ["age": .int(100)])
        }
        try stores.store.save(request)
        let stored = try [stores.store, stores.open(), stores.open(), stores.open()]
        let conflicts = Locked(0)
        try concurrently(4) { index in
            let store = stored[index]
            var random = SeededRandom(seed: UInt64(index) + 1)
            let shape = RowShape(model: model, entity: LibraryModel.author)
            for round in 0..<60 {
                let first = Int64(random.pick(6)) + 1
                let second = first % 6 + 1
                var isDone = false
                while !isDone {
                    do {
                        func transfer(_ session: any StoreSession) throws -> SaveRequest {
                            let rows = try session.rows(withKeys: [first, second], shape: shape)
                            var request = SaveRequest()
                            for row in 0..<rows.count {
                                let key = rows.int64(row: row, cell: RowShape.primaryKeyCell)
                                let age = rows.int64(
                                    row: row, cell: shape.cell(ofAttribute: 0, in: LibraryModel.author))
                                request.update(
                                    RowID(entity: LibraryModel.author, key: key),
                                    version: rows.int64(row: row, cell: RowShape.versionCell), in: model,
                                    ["age": .int(age + (key == first ? -1 : 1))])
                            }
                            return request
                        }
                        switch round % 3 {
                        case 0:
                            let session = try store.beginSession()
                            let request = try transfer(session)
                            session.end()
                            try store.save(request)
                        case 1:
                            let session = try store.beginSession()
                            let request = try transfer(session)
                            let transaction = try store.beginTransaction(from: session, nil)
                            defer { transaction.end() }
                            _ = try transaction.save(request)
                            try transaction.commit()
                        default:
                            let transaction = try store.beginTransaction()
                            defer { transaction.end() }
                            _ = try transaction.save(try transfer(transaction))
                            try transaction.commit()
                        }
                        isDone = true
                    } catch is SaveConflicts {
                        #expect(round % 3 == 0)
                        conflicts.withLock { $0 += 1 }
                    } catch let error as CoreDataError where error.condition == .conflict {
                        #expect(round % 3 == 1)
                        conflicts.withLock { $0 += 1 }
                    }
                }
            }
        }
        let sum = try stores.store.values(LibraryModel.author, "age").reduce(0 as Int64) {
            if case .int(let age) = $1 { $0 + age } else { $0 }
        }
        print("transfers: \(conflicts.withLock { $0 }) conflicts")
        #expect(sum == 600)
        #expect(try stores.store.versions(LibraryModel.author).reduce(0, +) == 6 + 4 * 60 * 2)
        for store in stored { store.close() }
    }

    @Test func `one of several saves gets a unique value, and the others learn who has it`() throws {
        let stores = try SavingStore(.server, timeout: 30)
        let model = model
        let store = stores.store
        let wins = Locked(0)
        try concurrently(6) { _ in
            for round in 0..<20 {
                var request = SaveRequest()
                request.insert(model[LibraryModel.author], key: -1, ["name": .string("n\(round)")])
                do {
                    try store.save(request)
                    wins.withLock { $0 += 1 }
                } catch let error as UniquenessConflicts {
                    #expect(error.conflicts.count == 1 && !error.conflicts[0].isInSave)
                    #expect(error.conflicts[0].existing.key > 0)
                }
            }
        }
        #expect(wins.withLock { $0 } == 20)
        #expect(try store.values(LibraryModel.author, "name").count == 20)
    }

    @Test func `members that several saves append to a list have different places`() throws {
        let stores = try SavingStore(.server, timeout: 30)
        let (store, model) = (stores.store, model)
        let author = try store.insert(LibraryModel.author)
        try concurrently(5) { _ in
            for _ in 0..<15 { try store.insert(LibraryModel.book, [:], ["author": author]) }
        }
        let members = try store.members(author, "books")
        #expect(members.map(\.orderKey) == (0..<75).map { 2048 + $0 * 1024 })
        _ = model
    }

    @Test func `no deletion leaves a link that was made meanwhile`() throws {
        let stores = try SavingStore(.server, timeout: 30)
        let (store, model) = (stores.store, model)
        let outcomes = Locked<[String: Int]>([:])
        for _ in 0..<20 {
            let author = try store.insert(LibraryModel.author)
            try concurrently(2) { index in
                var request = SaveRequest()
                if index == 0 {
                    request.deletions = [.init(row: author, version: 1)]
                } else {
                    request.insert(model[LibraryModel.book], key: -1, [:], ["author": author])
                }
                do {
                    try store.save(request)
                    outcomes.withLock { $0["saved", default: 0] += 1 }
                } catch is SaveConflicts {
                    #expect(index == 1)
                    outcomes.withLock { $0["missing", default: 0] += 1 }
                } catch is LinkConflicts {
                    #expect(index == 0)
                    outcomes.withLock { $0["linked", default: 0] += 1 }
                }
            }
        }
        print("deletions and links: \(outcomes.withLock { $0 })")
        #expect(outcomes.withLock { $0["saved"] } == 20)
        let dangling = try stores.run(
            "SELECT \"_key\"::text FROM @\"Book\" AS b WHERE \"author\" IS NOT NULL AND NOT EXISTS (SELECT 1 FROM @\"Author\" AS a WHERE a.\"_key\" = b.\"author\")"
        )
        #expect(dangling.isEmpty)
    }

    @Test func `derived values are right after saves of several threads`() throws {
        let model = DerivedLibrary.model()
        let compiled = try model.compiled()
        let stores = try SavingStore(.server, compiled, timeout: 30)
        let store = stores.store
        let (author, book) = (
            try #require(compiled.entity(named: "Author")), try #require(compiled.entity(named: "Book"))
        )
        let owners = try (0..<3).map { _ in try store.insert(author.number) }
        try concurrently(4) { index in
            var random = SeededRandom(seed: UInt64(index))
            var own: [RowID] = []
            for round in 0..<25 {
                var request = SaveRequest()
                let owner = owners[random.pick(3)]
                if round % 3 == 2, let old = own.popLast() {
                    request.deletions = [.init(row: old, version: nil)]
                } else {
                    request.insert(book, key: -1, [:], ["author": owner])
                }
                let usesView = round % 5 == 4
                do {
                    if usesView {
                        let session = try store.beginSession()
                        _ = try session.count(FetchSpecification(entity: author.number))
                        let transaction = try store.beginTransaction(from: session, nil)
                        defer { transaction.end() }
                        let keys = try transaction.save(request).keys
                        try transaction.commit()
                        if let key = keys[-1] { own.append(RowID(entity: book.number, key: key)) }
                    } else if let key = try store.save(request).keys[-1] {
                        own.append(RowID(entity: book.number, key: key))
                    }
                } catch let error as CoreDataError where error.condition == .conflict { #expect(usesView) }
            }
        }
        let counts = try stores.run("SELECT \"bookCount\"::text FROM @\"Author\" ORDER BY \"_key\"")
        let actual = try owners.map { "\(try store.members($0, "books").count)" }
        #expect(counts == actual)
    }

    // MARK: Contexts

    private func context(_ stores: ContextStores) throws -> NSManagedObjectContext {
        GraphLibrary.context(try stores.coordinator())
    }

    private func twin(_ object: NSManagedObject, in context: NSManagedObjectContext) throws -> NSManagedObject {
        let id = try #require(
            context.persistentStoreCoordinator?.managedObjectID(
                forURIRepresentation: object.objectID.uriRepresentation()))
        return try context.existingObject(with: id)
    }

    @Test(arguments: SavingStore.Kind.allCases, ContentionModel.policies)
    func `every merge policy settles a changed row as it does in a file`(
        kind: SavingStore.Kind, policy: NSMergePolicyType
    ) throws {
        let stores = try ContextStores(kind, ContentionModel.model())
        let (first, second) = (try context(stores), try context(stores))
        let tag = try first.make("Tag", ["name": "old"])
        try first.save()
        let mine = try twin(tag, in: second)
        tag.setValue("theirs", forKey: "name")
        try first.save()
        mine.setValue("mine", forKey: "name")
        second.mergePolicy = NSMergePolicy(merge: policy)
        let error = coreDataError { try second.save() }
        #expect((error == nil) == (policy != .errorMergePolicyType))
        if let error { #expect(error.errorCode == NSManagedObjectMergeError) }
        let wins = policy == .overwriteMergePolicyType || policy == .mergeByPropertyObjectTrumpMergePolicyType
        let reader = try context(stores)
        #expect(try reader.all("Tag").map { $0.text("name") } == [wins ? "mine" : "theirs"])
    }

    @Test(arguments: SavingStore.Kind.allCases, ContentionModel.policies)
    func `every merge policy settles a taken unique value as it does in a file`(
        kind: SavingStore.Kind, policy: NSMergePolicyType
    ) throws {
        let stores = try ContextStores(kind, GraphLibrary.model())
        let (first, second) = (try context(stores), try context(stores))
        try first.make("Book", ["title": "theirs", "isbn": "1", "year": 1])
        try first.save()
        try second.make("Book", ["title": "mine", "isbn": "1"])
        second.mergePolicy = NSMergePolicy(merge: policy)
        let error = coreDataError { try second.save() }
        let reader = try context(stores)
        let titles = try reader.all("Book").map { "\($0.text("title") ?? "") \($0.number("year") ?? -1)" }
        let expected: [NSMergePolicyType: [String]] = [
            .errorMergePolicyType: ["theirs 1"], .mergeByPropertyStoreTrumpMergePolicyType: ["theirs 1"],
            .rollbackMergePolicyType: ["theirs 1"],
        ]
        if let wanted = expected[policy] { #expect(titles == wanted) }
        #expect((error == nil) == (policy != .errorMergePolicyType), "\(String(describing: error))")
        #expect(titles.count == 1)
    }

    @Test(arguments: SavingStore.Kind.allCases)
    func `two contexts that change one ordered list both keep their changes`(kind: SavingStore.Kind) throws {
        let stores = try ContextStores(kind, ContentionModel.model())
        let (first, second) = (try context(stores), try context(stores))
        let book = try first.make("Book", ["name": "b"])
        for name in ["r1", "r2", "r3"] { try first.make("Review", ["name": name, "book": book]) }
        try first.save()
        let mine = try twin(book, in: second)
        _ = mine.list("reviews").map { $0.text("name") }
        try first.make("Review", ["name": "theirs", "book": book])
        let own = try second.make("Review", ["name": "mine", "book": mine])
        try first.save()
        second.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        try second.save()
        _ = own
        let reader = try context(stores)
        let names = try reader.all("Book")[0].list("reviews").map { $0.text("name") }
        #expect(names == ["r1", "r2", "r3", "theirs", "mine"])
    }

    @Test(arguments: SavingStore.Kind.allCases, [1, 2, 3] as [UInt64])
    func `derived values agree with the objects after every save`(kind: SavingStore.Kind, seed: UInt64) throws {
        let stores = try ContextStores(kind, DerivedLibrary.model())
        var run = DerivedRun(try context(stores), seed: seed)
        for _ in 0..<40 { try run.step() }
        let fresh = try context(stores)
        for entity in ["Author", "Book", "Page", "Person"] { try fresh.all(entity).forEach(DerivedRun.check) }
    }

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func `what contexts save at random leaves a sound store`(seed: UInt64) throws {
        let options = try PostgresStores.options()
        let model = ContentionModel.model()
        let coordinators = try (0..<2).map { _ in try PostgresStores.coordinator(of: model, at: options) }
        let soundness = try ServerSoundness(options, model)
        var run = ContentionRun(seed: seed, coordinators: coordinators) { try soundness.issues() }
        for step in 0..<300 where !run.hasFailed { try run.step(step) }
        print("random contention on a server, seed \(seed): \(run.saves) saves, \(run.failures) failures")
        #expect(run.saves > 5)
    }
}

/// Coordinators with one store in a file or on a server.
final class ContextStores {
    private let folder: StoreFolder?
    private let options: PostgresOptions?
    private let model: NSManagedObjectModel

    init(_ kind: SavingStore.Kind, _ model: NSManagedObjectModel) throws {
        self.model = model
        folder = kind == .file ? try StoreFolder() : nil
        options = kind == .server ? try PostgresStores.options() : nil
    }

    func coordinator() throws -> NSPersistentStoreCoordinator {
        if let folder { return try GraphLibrary.coordinator(at: folder.url(), model: model) }
        return try PostgresStores.coordinator(of: model, at: options)
    }
}

/// A look at the rows on a server for what no save may leave there.
struct ServerSoundness {
    private let schema: ServerSchema
    private let model: CompiledModel
    private let connection: PostgresConnection

    init(_ options: PostgresOptions, _ model: NSManagedObjectModel) throws {
        self.model = try model.compiled()
        connection = try PostgresConnection.open(options.address)
        let layout = StoreLayout(postgres: self.model, schema: options.schema)
        schema = ServerSchema(model: self.model, layout: layout, names: PostgresNames(), identifier: "")
    }

    func issues() throws -> [String] {
        var queries: [(String, String)] = []
        for entity in model.entities {
            let columns = schema.columns[entity.number - 1]
            for (slot, relationship) in entity.relationships.enumerated() {
                let destination = schema.columns[relationship.destination - 1]
                let name = "\(entity.name).\(relationship.name)"
                if let toOne = columns.toOne(slot) {
                    queries.append(
                        (
                            "dangling \(name)",
                            "SELECT t.\"_key\"::text FROM \(columns.table) AS t WHERE t.\(toOne.column) IS NOT NULL AND NOT EXISTS (SELECT 1 FROM \(destination.table) AS d WHERE d.\"_key\" = t.\(toOne.column))"
                        ))
                    if let partners = toOne.partners {
                        queries.append(
                            (
                                "one-sided \(name)",
                                "SELECT t.\"_key\"::text FROM \(columns.table) AS t WHERE t.\(toOne.column) IS NOT NULL AND NOT EXISTS (SELECT 1 FROM \(partners.table) AS d WHERE d.\"_key\" = t.\(toOne.column) AND d.\(partners.column) = t.\"_key\")"
                            ))
                    }
                    if !relationship.isOptional {
                        let test = columns.entityTest("t.")
                        queries.append(
                            (
                                "missing \(name)",
                                "SELECT t.\"_key\"::text FROM \(columns.table) AS t WHERE t.\(toOne.column) IS NULL\(test)"
                            ))
                    }
                }
                switch schema.layout.toMany(slot, in: entity.number) {
                case .inverse(let column, let order?)?, .oneWay(let column, let order?)?:
                    queries.append(
                        (
                            "unplaced \(name)",
                            "SELECT \"_key\"::text FROM \(destination.table) WHERE (\"\(column)\" IS NULL) <> (\"\(order)\" IS NULL)"
                        ))
                case .join(let join)?:
                    let pairs = ServerDerivations.Join(join, schema.layout)
                    queries.append(
                        (
                            "dangling \(name)",
                            "SELECT j.\(pairs.own)::text FROM \(pairs.table) AS j WHERE NOT EXISTS (SELECT 1 FROM \(destination.table) AS d WHERE d.\"_key\" = j.\(pairs.other)) OR NOT EXISTS (SELECT 1 FROM \(columns.table) AS o WHERE o.\"_key\" = j.\(pairs.own))"
                        ))
                    if let order = join.orderColumn {
                        queries.append(
                            (
                                "unplaced \(name)",
                                "SELECT j.\(pairs.own)::text FROM \(pairs.table) AS j WHERE j.\"\(order)\" IS NULL"
                            ))
                    }
                default: break
                }
            }
        }
        let results = try connection.run(queries.map { SQLStatement($0.1) })
        return try zip(queries, results).compactMap { query, result in
            let found = try (0..<result.rowCount).map { try result.string($0, column: 0) ?? "" }
            return found.isEmpty ? nil : "\(query.0): \(found)"
        }
    }
}
#endif
