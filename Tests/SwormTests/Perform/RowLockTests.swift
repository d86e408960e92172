import Foundation
import Sworm
import SwormPredicates
import TestSupport
import Testing

@Suite("Writes that lock rows, and properties of transactions", .overEachStore)
struct RowLockTests {
    typealias Volume = Shelf.Volume

    private func store(_ location: StoreLocation = .tested) throws -> PersistentContainer {
        let store = try PersistentContainer(for: Volume.self, at: location, timeout: 10)
        try store.perform { context in
            for id in 1...3 { try context.insert(Volume(id: id, title: "v\(id)", pages: 0)) }
        }
        return store
    }

    private func add(_ number: Int, to id: Int, in context: ManagedObjectContext) throws {
        let volume = try #require(try context.fetchOne(Volume.all.where(\.id == id)))
        try volume.encode(\.pages, volume.decode(\.pages) + number)
    }

    @Test func `writes of the same row lose no update and meet no conflict`() async throws {
        let store = try store()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    try await store.write(locking: Volume.all.where(\.id == 1)) { context in
                        try add(1, to: 1, in: context)
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await store.read { try $0.fetchOne(Volume.all.where(\.id == 1), \.pages) } == 20)
    }

    @Test func `rows that no one finds are locked without an error, and a join locks more rows`() throws {
        let store = try store()
        let count = try store.write(locking: Volume.all.where(\.id == 9)) { context in
            try store.write(locking: Volume.all.where(\.id > 1)) { try add(5, to: 2, in: $0) }
            return try context.count(of: Volume.all.where(\.pages == 5))
        }
        #expect(count == 1)
        #expect(throws: StoreError.self) {
            try store.read { _ in try store.write(locking: Volume.all) { try add(5, to: 2, in: $0) } }
        }
        #expect(try store.read { try $0.count(of: Volume.all.where(\.pages == 5)) } == 1)
    }

    @Test func `a request that cannot be run is an error, and nothing is locked`() throws {
        let store = try store()
        #expect(throws: StoreError.self) {
            try store.write(locking: Volume.all.where(raw: "missing == 1")) { _ in }
        }
        try store.write(locking: Volume.all) { try add(1, to: 1, in: $0) }
        #expect(try store.read { try $0.count(of: Volume.all.where(\.pages == 1)) } == 1)
    }

    @Test(.over(.server)) func `writers of different rows do not wait for each other`() throws {
        let store = try store()
        try store.write(locking: Volume.all.where(\.id == 1)) { context in
            try add(1, to: 1, in: context)
            let other = onOtherThread { () -> Bool in
                do {
                    try store.write(locking: Volume.all.where(\.id == 2), deadline: .now + .seconds(5)) {
                        try add(7, to: 2, in: $0)
                    }
                    return true
                } catch {
                    return false
                }
            }
            #expect(other == true)
            let same = onOtherThread { () -> StoreError.Code? in
                storeError {
                    try store.write(locking: Volume.all.where(\.id == 1), deadline: .now + .milliseconds(300)) {
                        try add(1, to: 1, in: $0)
                    }
                }?.code
            }
            #expect(same == .timedOut)
        }
        #expect(try store.read { try $0.fetch(Volume.all.sort(\.id), \.pages) } == [1, 7, 0])
    }

    @Test func `two transactions that read each other's rows are not both committed if they are serializable`() throws {
        let store = try store().withTransactions(isolation: .serializable)
        let second = Locked<StoreError.Code?>(nil)
        var first: StoreError.Code?
        first =
            storeError {
                try store.perform(deadline: .now + .seconds(10)) { context in
                    // Each sets its own row if the other one is not set.
                    let isSet = try context.fetchOne(Volume.all.where(\.id == 2), \.pages) == 1
                    if StoreUnderTest.current?.kind == .server {
                        onOtherThread {
                            let code = storeError {
                                try store.perform { context in
                                    let isSet = try context.fetchOne(Volume.all.where(\.id == 1), \.pages) == 1
                                    if !isSet { try add(1, to: 2, in: context) }
                                }
                            }?.code
                            second.withLock { $0 = code }
                        }
                    }
                    if !isSet { try add(1, to: 1, in: context) }
                }
            }?.code
        let codes = [first, second.withLock { $0 }]
        let sum = try store.read { try $0.fetch(Volume.all, \.pages).reduce(0, +) }
        #expect(sum == 1)
        #expect(codes.compactMap(\.self) == (StoreUnderTest.current?.kind == .server ? [.conflict] : []))
    }

    @Test func `settings are those of one transaction, and stores without settings ignore them`() throws {
        let store = try store()
        let tenant = store.withTransactions(settings: ["app.tenant": "7"])
        try tenant.perform { try add(3, to: 3, in: $0) }
        #expect(try tenant.read { try $0.fetchOne(Volume.all.where(\.id == 3), \.pages) } == 3)
        try store.close()
        #expect(storeError { try tenant.read { try $0.count(of: Volume.all) } }?.code == .storeClosed)
    }
}
