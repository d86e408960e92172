#if PostgreSQL
import Foundation
import Sworm

/// An account of a bank.
struct Account: Sendable {
    var number = 0
    var balance = 0
}

extension Account: ManagedObjectConvertible {
    static let attributes: Set<Attribute<Account>> = [
        .init(\.number, "number", .unique), .init(\.balance, "balance"),
    ]
}

/// The amounts to add to the balances of one or two accounts.
struct AccountChange: Sendable {
    var numbers: [Int64]
    var amounts: [Int64]

    /// Transfers between two of so many accounts, or payments into one.
    static func random(_ count: Int, accounts: Int, seed: Int, isTransfer: Bool) -> [AccountChange] {
        var random = SteadyRandom(state: UInt64(seed))
        return (0..<count).map { _ in
            let first = Int64(random.next() % UInt64(accounts))
            guard isTransfer else { return AccountChange(numbers: [first], amounts: [1]) }
            let second = (first + 1 + Int64(random.next() % UInt64(accounts - 1))) % Int64(accounts)
            return AccountChange(numbers: [min(first, second), max(first, second)], amounts: [-1, 1])
        }
    }
}

extension PostgresBenches {
    private static var accounts: Int { 10_000 }
    private static var threads: Int { 4 }

    /// Transactions that read objects, change them and commit, by four threads.
    static func throughputBenches(_ options: Options) throws -> [Bench] {
        // A server as it is used, which waits for the disk, and one that does not, on which only the clients are measured.
        let durable = try PostgresPlace.start(["fsync": "on", "synchronous_commit": "on", "full_page_writes": "on"])
        let quick = try PostgresPlace.start([:])
        // A server whose disk takes two milliseconds to flush, whatever this one takes.
        let slow = try PostgresPlace.start([
            "fsync": "on", "synchronous_commit": "on", "commit_delay": "2000", "commit_siblings": "0",
        ])
        let count = options.isQuick ? 250 : 1000
        let peers = try options.python.map { python in
            try PostgresPeers(python: python, server: durable, running: PostgresPeers.changing(accounts, by: threads))
        }
        return try [
            throughputBench("perform of a transfer", on: durable, count, isTransfer: true),
            throughputBench("perform of a payment", on: durable, count, isTransfer: false),
            throughputBench(
                "perform of a transfer, flush of 2 ms", on: slow, count / 2, isTransfer: true),
            throughputBench(
                "perform of a payment, flush of 2 ms", on: slow, count / 2, isTransfer: false),
            throughputBench(
                "perform of a transfer, no flush", on: quick, count, isTransfer: true, isReported: true),
            throughputBench(
                "perform of a payment, no flush", on: quick, count, isTransfer: false, isReported: true),
        ]
            + [peers].compactMap(\.self).flatMap { peers in
                try [true, false].map { isTransfer in
                    try throughputBench(
                        "perform of a \(isTransfer ? "transfer" : "payment"), Python", on: durable, count,
                        isTransfer: isTransfer, peers: peers)
                }
            }
    }

    private static func throughputBench(
        _ name: String, on server: PostgresServer, _ count: Int, isTransfer: Bool, isReported: Bool = false,
        peers: PostgresPeers? = nil
    ) throws -> Bench {
        let schema = (isTransfer ? "transfers" : "payments") + (peers == nil ? "" : "_python")
        let table = "\"\(schema)\".\"Account\""
        let store = try PersistentContainer(
            for: Account.self,
            at: PostgresPlace.location(host: server.folder.path, port: server.port, schema: schema))
        let all = (0..<accounts).map { Account(number: $0, balance: 1000) }
        _ = try store.perform { try $0.insert(contentsOf: all) }
        let hands = try (0..<threads).map { _ in try ByHand(server) }
        for hand in hands { try hand.prepareChanges(of: table) }
        try hands[0].run("VACUUM (ANALYZE) \(table)")
        let changes = (0..<threads).map {
            AccountChange.random(count, accounts: accounts, seed: $0 + 1, isTransfer: isTransfer)
        }
        /// The milliseconds of all changes. The sum of all balances must be right behind them.
        @Sendable func time(_ work: () throws -> Double) throws -> Double {
            let before = try hands[0].number("SELECT sum(\"balance\")::bigint FROM \(table)")
            let milliseconds = try work()
            let paid = isTransfer ? 0 : threads * count
            try expect(before + paid, try hands[0].number("SELECT sum(\"balance\")::bigint FROM \(table)"))
            try hands[0].run("VACUUM \(table)")
            // The server ends with the last reference to it.
            withExtendedLifetime(server) {}
            return milliseconds
        }
        @Sendable func byThreads(
            _ work: @Sendable @escaping (_ thread: Int, AccountChange) throws -> Void
        ) throws -> Double {
            let start = ContinuousClock.now
            _ = try concurrently(threads) { thread in
                for change in changes[thread] { try work(thread, change) }
                return 0
            }
            return start.millisecondsAgo
        }
        let own = Side(.own) { try time { try byThreads { _, change in try perform(change, in: store) } } }
        let other =
            if let peers {
                Side(.psycopg) {
                    try time {
                        try peers.milliseconds(
                            isTransfer ? "transfer" : "payment", schema, "\(count * threads)", rows: count * threads)
                    }
                }
            } else {
                Side(.byHand) {
                    try time { try byThreads { thread, change in try hands[thread].change(change) } }
                }
            }
        return Bench(
            Bar(
                name, .timesFaster, than: peers == nil ? .byHand : .psycopg, must: 0.9, aim: 1,
                isReported: isReported), weight: 2, sides: [other, own])
    }

    private static func perform(_ change: AccountChange, in store: PersistentContainer) throws {
        let numbers = change.numbers.map { Int($0) }
        try store.perform(retrying: 100) { context in
            let found = try context.fetch(Account.all.where { $0.number.isIn(numbers) })
            try expect(numbers.count, found.count)
            for account in found {
                let number = try account.decode(\.number)
                let amount = change.amounts[number == numbers[0] ? 0 : 1]
                try account.encode(\.balance, try account.decode(\.balance) + Int(amount))
            }
        }
    }
}
#endif
