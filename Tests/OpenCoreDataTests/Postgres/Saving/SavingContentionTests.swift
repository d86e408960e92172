#if PostgreSQL
import Foundation
import SwormPostgres
import SwormPredicates
import SwormRows
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("Saving: several threads at once", .enabled(if: PostgresServer.isEnabled))
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
        defer { stores.close() }
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
        defer { stores.close() }
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
        defer { stores.close() }
        let (store, model) = (stores.store, model)
        let author = try store.insert(LibraryModel.author)
        try concurrently(5) { _ in
            for _ in 0..<15 { try store.insert(LibraryModel.book, [:], ["author": author]) }
        }
        let members = try store.members(author, "books")
        #expect(members.map(\.orderKey) == (0..<75).map { 2048 + $0 * 1024 })
        _ = model
    }

    @Test func `two transactions with states of their own that append to one list conflict`() throws {
        let stores = try SavingStore(.server, timeout: 30)
        defer { stores.close() }
        let (store, model) = (stores.store, model)
        let author = try store.insert(LibraryModel.author)
        let transactions = try (0..<2).map { _ in
            let session = try store.beginSession()
            _ = try session.count(FetchSpecification(entity: LibraryModel.book))
            return try store.beginTransaction(from: session, nil)
        }
        defer { for transaction in transactions { transaction.end() } }
        func append(in transaction: any StoreTransaction) throws {
            var request = SaveRequest()
            request.insert(model[LibraryModel.book], key: -1, [:], ["author": author])
            _ = try transaction.save(request)
            try transaction.commit()
        }
        try append(in: transactions[0])
        // It does not see the member of the other one, and would give its own the same position.
        #expect(coreDataError { try append(in: transactions[1]) }?.condition == .conflict)
        #expect(try store.members(author, "books").count == 1)
    }

    @Test func `two transactions that add members to one object conflict only if they touch it`() throws {
        let stores = try SavingStore(.server, timeout: 30)
        defer { stores.close() }
        let (store, model) = (stores.store, stores.model)
        for touches in [false, true] {
            let tag = try store.insert(LibraryModel.tag)
            let books = try (0..<2).map { _ in try store.insert(LibraryModel.book) }
            let transactions = try (0..<2).map { _ in
                let session = try store.beginSession()
                _ = try session.count(FetchSpecification(entity: LibraryModel.tag))
                return try store.beginTransaction(from: session, nil)
            }
            defer { for transaction in transactions { transaction.end() } }
            func link(_ index: Int) throws {
                var request = SaveRequest()
                request.addedLinks = [SaveRequest.link(books[index], "tags", tag, in: model)]
                if touches { request.touched = [tag] }
                _ = try transactions[index].save(request)
                try transactions[index].commit()
            }
            try link(0)
            let error = coreDataError { try link(1) }
            #expect(error?.condition == (touches ? .conflict : nil))
        }
    }

    @Test func `no deletion leaves a link that was made meanwhile`() throws {
        let stores = try SavingStore(.server, timeout: 30)
        defer { stores.close() }
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
        defer { stores.close() }
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
}
#endif
