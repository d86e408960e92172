import Foundation
import SwormPredicates
import SwormSQLite
@testable import SwormStore
import TestSupport
import Testing

@Suite("The numbers behind commits of other processes")
struct ForeignCommitsCountTests {
    private final class Store {}

    @Test func `transactions of this process are found by their numbers`() {
        let (one, other) = (Store(), Store())
        var own = OwnTransactions()
        for number in [Int64(3), 4, 5, 9] { own.add(number, of: ObjectIdentifier(one)) }
        own.add(10, of: ObjectIdentifier(other))
        for number in Int64(0)...12 {
            let expected: Store? = [3, 4, 5, 9].contains(number) ? one : number == 10 ? other : nil
            #expect(own.store(of: number) == expected.map(ObjectIdentifier.init))
        }
    }

    @Test func `numbers whose commit has failed belong to nobody, until they are used again`() {
        let (one, other) = (Store(), Store())
        var own = OwnTransactions()
        for number in Int64(1)...6 { own.add(number, of: ObjectIdentifier(one)) }
        own.remove(from: 4)
        #expect(own.store(of: 3) != nil && own.store(of: 4) == nil && own.store(of: 6) == nil)
        own.add(5, of: ObjectIdentifier(other))
        #expect(own.store(of: 4) == nil && own.store(of: 5) == ObjectIdentifier(other))
        // The number was used although nobody has said that its first commit failed.
        own.add(2, of: ObjectIdentifier(other))
        #expect(own.store(of: 1) == ObjectIdentifier(one) && own.store(of: 2) == ObjectIdentifier(other))
        #expect(own.store(of: 3) == nil && own.store(of: 5) == nil)
    }

    @Test func `random numbers of two stores match a table`() {
        let seed = UInt64.random(in: 0...9_999)
        var random = SeededRandom(seed: seed)
        let stores = [Store(), Store()]
        var own = OwnTransactions()
        var table: [Int64: ObjectIdentifier] = [:]
        var last: Int64 = 0
        for _ in 0..<5_000 {
            last += Int64.random(in: 1...2, using: &random)
            if Int.random(in: 0..<10, using: &random) == 0 {
                last = max(1, last - Int64.random(in: 1...4, using: &random))
                own.remove(from: last)
                table = table.filter { $0.key < last }
            } else {
                let store = ObjectIdentifier(stores[Int.random(in: 0...1, using: &random)])
                own.add(last, of: store)
                table[last] = store
            }
        }
        for number in 0...last where own.store(of: number) != table[number] {
            Issue.record("seed \(seed): \(number)")
            break
        }
    }

    @Test func `the state of a file that was opened again is another one`() throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "sworm-state-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: url) }
        try Connection(.file(path: url.path)).execute("CREATE TABLE item (name TEXT)")
        func state() throws -> ForeignState? {
            let pool = ConnectionPool(kind: .readersOnly, writer: nil, timeout: 1, idleReaders: 1) {
                StoreConnection(
                    try Connection(.file(path: url.path), options: Connection.Options(access: .readOnly)))
            }
            return try pool.foreignState()
        }
        let first = try #require(try state())
        #expect(try state() != first)
    }

    @Test func `states of one log are counted, also beyond the largest number`() {
        func log(_ commits: UInt32, index: Int = 1) -> ForeignState { .log(index: index, commits: commits) }
        #expect(log(7).commits(since: log(5)) == 2)
        #expect(log(1).commits(since: log(.max)) == 2)
        // An index that was built anew, or another one, says nothing about the number.
        #expect(log(2).commits(since: log(5)) == nil)
        #expect(log(7, index: 2).commits(since: log(5)) == nil)
        #expect(
            ForeignState.version(connection: 1, number: 3).commits(since: .version(connection: 1, number: 2)) == nil)
    }

    @Test func `commits are announced once, and a transaction that was read early is not announced again`() throws {
        let folder = try StoreFolder()
        var watch = ForeignCommitsWatch()
        #expect(watch.found(.log(index: 1, commits: 1)) == nil)
        watch.watch = FileWatch(StoreFiles(url: folder.url()), ownCommits: { 0 }) { true }
        watch.watch?.start()
        defer { watch.watch?.stop() }
        watch.state = .log(index: 1, commits: 10)
        watch.lastTransaction = 5
        #expect(watch.found(.log(index: 1, commits: 10)) == nil)
        #expect(watch.found(.log(index: 1, commits: 12))?.count == 2)
        watch.surplus = 3
        #expect(watch.found(.log(index: 1, commits: 14)) == nil)
        #expect(watch.surplus == 1)
        // Two commits, of which one was read before.
        #expect(watch.found(.log(index: 1, commits: 16))?.count == 1)
        #expect(watch.surplus == 0)
        watch.surplus = 2
        let unknown = watch.found(.log(index: 2, commits: 0))
        #expect(unknown?.lastTransaction == 5)
        #expect(unknown?.count == nil && watch.surplus == 0)
    }

    @Test func `a file is looked at in growing intervals after a write`() {
        var schedule = WatchSchedule()
        #expect(schedule.isDone && schedule.pause() == nil)
        schedule.restart()
        var pauses: [Duration] = []
        while let pause = schedule.pause() { pauses.append(pause) }
        #expect(pauses == WatchSchedule.pauses && schedule.isDone)
        // Writes that come all the time do not shorten the interval to the first pause.
        schedule.restart()
        _ = schedule.pause()
        for _ in 0..<10 {
            schedule.restart()
            #expect(schedule.pause() == .milliseconds(2))
        }
        schedule.restart()
        pauses = []
        while let pause = schedule.pause() { pauses.append(pause) }
        #expect(pauses == Array(WatchSchedule.pauses.dropFirst()))
    }
}
