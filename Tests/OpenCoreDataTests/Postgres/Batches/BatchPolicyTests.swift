#if PostgreSQL
import Foundation
import SwormPredicates
import SwormRows
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("Batches on a server: policies for rows", .enabled(if: PostgresServer.isEnabled))
struct BatchPolicyTests {
    private let model = LibraryModel.model

    private struct Item: Sendable {
        var name = ""
        var age: Int16 = 1
    }

    /// The store of a user to whom policies apply, and that of the owner of its tables.
    private func stores(isProtected: Bool = true) throws -> (user: PostgresStore, owner: PostgresStore) {
        let owner = try PostgresStores.store(of: model)
        let user = try PostgresStores.store(of: model, at: PostgresStores.user(of: owner))
        if isProtected { try protect(owner) }
        return (user, owner)
    }

    private func protect(_ store: PostgresStore) throws {
        for name in ["Author", "Tag"] {
            let table = "\(store.schema.prefix)\"\(name)\""
            try PostgresStores.run("ALTER TABLE \(table) ENABLE ROW LEVEL SECURITY")
            try PostgresStores.run(
                "CREATE POLICY own ON \(table) USING (true) WITH CHECK (\"name\" IS DISTINCT FROM 'forbidden')")
        }
    }

    private func insert(
        _ names: [String], as entity: Int = LibraryModel.author, into store: PostgresStore, isContiguous: Bool
    ) throws -> Int {
        var fields = [BatchField<Item>("name", \Item.name) { .string($0) }]
        if entity == LibraryModel.author { fields.append(BatchField("age", \Item.age) { .int(Int64($0)) }) }
        let plan = try WritePlan(model[entity], fields)
        let items = names.map { Item(name: $0) }
        let transaction = try store.beginTransaction()
        defer { transaction.end() }
        let counts = try transaction.insert(
            isContiguous ? RowBatch(items, plan: plan) : RowBatch(AnySequence(items), plan: plan))
        try transaction.commit()
        return counts.inserted
    }

    private func save(_ names: [String], to store: PostgresStore) throws {
        var request = SaveRequest()
        for (index, name) in names.enumerated() {
            request.insert(model[LibraryModel.tag], key: -Int64(index + 1), ["name": .string(name)])
        }
        try store.save(request)
    }

    private func count(_ entity: Int, in store: PostgresStore) throws -> Int {
        try store.reading { try $0.count(FetchSpecification(entity: entity)) }
    }

    /// The number of COPY statements while a closure runs.
    private func copies(of store: PostgresStore, _ body: () throws -> Void) rethrows -> Int {
        let found = Locked(0)
        let watch = store.add(
            StatementWatch { statement in
                if statement.sql.hasPrefix("COPY") { found.withLock { $0 += 1 } }
            })
        defer { store.removeWatch(watch) }
        try body()
        return found.withLock { $0 }
    }

    @Test(arguments: [1, 100, 101, 1001, 9000], [true, false])
    func `a batch is inserted`(count: Int, isContiguous: Bool) throws {
        let (user, owner) = try stores()
        for entity in [LibraryModel.author, LibraryModel.tag] {
            let names = (0..<count).map { "name \($0)" }
            #expect(try insert(names, as: entity, into: user, isContiguous: isContiguous) == count)
            #expect(try self.count(entity, in: owner) == count)
            #expect(try Set(owner.values(entity, "name")) == Set(names.map { .string($0) }))
        }
    }

    @Test(arguments: [1000, 1001, 2500]) func `new objects are saved`(count: Int) throws {
        let (user, owner) = try stores()
        try save((0..<count).map { "name \($0)" }, to: user)
        #expect(try self.count(LibraryModel.tag, in: owner) == count)
        #expect(try owner.values(LibraryModel.tag, "name").last == .string("name \(count - 1)"))
    }

    @Test(arguments: [true, false]) func `a row that a policy rejects is an error, and nothing is written`(
        isContiguous: Bool
    ) throws {
        let (user, owner) = try stores()
        let names = (0..<1500).map { $0 == 1400 ? "forbidden" : "name \($0)" }
        let errors = [
            coreDataError { _ = try insert(names, into: user, isContiguous: isContiguous) },
            coreDataError { try save(names, to: user) },
        ]
        for error in errors { #expect(error?.message.contains("permission") == true, "\(error as Any)") }
        #expect(try count(LibraryModel.author, in: owner) == 0 && count(LibraryModel.tag, in: owner) == 0)
    }

    @Test(arguments: [true, false]) func `a unique value that another row has is named`(isContiguous: Bool) throws {
        let (user, owner) = try stores()
        _ = try insert(["name 700"], into: owner, isContiguous: true)
        let error = coreDataError {
            _ = try insert((0..<1500).map { "name \($0)" }, into: user, isContiguous: isContiguous)
        }
        #expect(error?.errorCode == NSManagedObjectConstraintMergeError && error?.message.contains("name 700") == true)
        #expect(try count(LibraryModel.author, in: owner) == 1)
    }

    @Test func `policies that change while a store is open are noticed, and COPY is used without them`() throws {
        let (user, owner) = try stores(isProtected: false)
        func write(_ round: Int) throws -> Int {
            let names = (0..<1001).map { "\(round) \($0)" }
            return try copies(of: user) {
                _ = try insert(names, into: user, isContiguous: true)
                try save(names, to: user)
            }
        }
        #expect(try write(1) == 2)
        try protect(owner)
        #expect(try write(2) == 0)
        for name in ["Author", "Tag"] {
            try PostgresStores.run("ALTER TABLE \(owner.schema.prefix)\"\(name)\" DISABLE ROW LEVEL SECURITY")
        }
        #expect(try write(3) == 2)
        #expect(try count(LibraryModel.author, in: owner) == 3003 && count(LibraryModel.tag, in: owner) == 3003)
    }
}
#endif
