import Foundation
import Sworm
import SwormTools
import Testing

#if !canImport(CoreData)
private struct Coin: Equatable {
    var value = 0
}

extension Coin: ManagedObjectConvertible {
    static let attributes: Set<Attribute<Coin>> = [.init(\.value, "value")]
}

@Suite("Expected statements")
struct ExpectStatementsTests {
    private func purse(in place: TestStore.Place = .memory) throws -> TestStore {
        try TestStore(for: Coin.self, in: place) { for value in 1...5 { try $0.insert(Coin(value: value)) } }
    }

    private func failure(_ body: () throws -> Void) -> StoreError? {
        do {
            try body()
            return nil
        } catch {
            return error as? StoreError
        }
    }

    @Test(arguments: [TestStore.Place.memory, .file])
    func `the right number passes, and the closure's value comes back`(place: TestStore.Place) throws {
        let store = try purse(in: place)
        let count = try expectStatements(1, in: store.container) {
            try store.container.perform { try $0.count(of: Coin.all) }
        }
        #expect(count == 5)
        try expectStatements(2...3, in: store.container) {
            for _ in 0..<3 { _ = try store.container.perform { try $0.decode(Coin.all) } }
        }
        try expectStatements(0, in: store.container) {}
    }

    @Test func `a wrong number is an error that lists the statements`() throws {
        let store = try purse()
        let error = failure {
            try expectStatements(1, in: store.container) {
                for _ in 0..<3 { _ = try store.container.perform { try $0.decode(Coin.all) } }
                _ = try store.container.perform { try $0.count(of: Coin.all) }
            }
        }
        #expect(error?.code == .statementCount)
        #expect(error?.message.hasPrefix("4 statements were run, but 1 were expected:\n- 3 times: SELECT ") == true)
        #expect(error?.message.contains("\n- SELECT COUNT(*) FROM ZCOIN") == true)
        let missing = failure { try expectStatements(1...2, in: store.container) {} }
        #expect(missing?.message == "0 statements were run, but 1 to 2 were expected.")
    }

    @Test func `it works inside a perform, whose view is open already`() throws {
        let store = try purse(in: .file)
        try store.container.perform { context in
            _ = try context.count(of: Coin.all)
            try expectStatements(2, in: store.container) {
                _ = try context.count(of: Coin.all)
                _ = try context.decode(Coin.all)
            }
            _ = try context.count(of: Coin.all)
        }
    }

    @Test func `an error of the closure is thrown, and nothing is counted afterwards`() throws {
        struct Stop: Error {}
        let store = try purse()
        #expect(throws: Stop.self) { try expectStatements(7, in: store.container) { throw Stop() } }
        try expectStatements(0, in: store.container) {}
    }

    @Test func `statements of other containers are not counted`() async throws {
        let (store, other) = (try purse(in: .file), try purse(in: .file))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for _ in 0..<50 { _ = try await other.container.schedule { try $0.count(of: Coin.all) } }
            }
            for _ in 0..<20 {
                try await expectStatements(1, in: store.container) {
                    _ = try await store.container.schedule { try $0.count(of: Coin.all) }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test func `those of several threads are counted together`() async throws {
        let store = try purse(in: .file)
        try await expectStatements(40, in: store.container) {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        for _ in 0..<10 {
                            _ = try await store.container.schedule { try $0.count(of: Coin.all) }
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
    }
}
#endif
