import Foundation
import Sworm

/// The figures of one process, or of all.
struct BankResult: Codable, Sendable {
    var transfers = 0
    /// The conflicts by the form of the call.
    var conflicts: [String: Int] = [:]
    var snapshots = 0
    var faults: [String] = []

    mutating func add(_ other: BankResult) {
        transfers += other.transfers
        snapshots += other.snapshots
        conflicts.merge(other.conflicts, uniquingKeysWith: +)
        faults += other.faults
    }
}

/// A process that makes transfers on two threads, and reads snapshots on a third one.
struct BankWorker: Sendable {
    private static let threads = 2
    private let store: PersistentContainer
    private let transfers: Int
    private let seed: UInt64

    init(_ words: [String]) throws {
        guard words.count == 3, let transfers = Int(words[1]), let seed = UInt64(words[2]) else {
            throw Failure("bank ADDRESS TRANSFERS SEED")
        }
        store = try PersistentContainer(for: Account.self, at: .postgres(words[0]), timeout: 60)
        (self.transfers, self.seed) = (transfers, seed)
    }

    func run() throws -> BankResult {
        let isDone = Shared(false)
        let snapshots = Shared(BankResult())
        let reader = DispatchGroup()
        DispatchQueue.global().async(group: reader) {
            while !isDone.value {
                let faults = readSnapshot()
                snapshots.change {
                    $0.snapshots += 1
                    $0.faults += faults
                }
                usleep(5_000)
            }
        }
        var result = BankResult()
        for part in try onThreads(Self.threads, { try makeTransfers(thread: $0) }) { result.add(part) }
        isDone.change { $0 = true }
        reader.wait()
        result.add(snapshots.value)
        return result
    }

    private func makeTransfers(thread: Int) throws -> BankResult {
        var random = SeededRandom(seed: seed &+ UInt64(thread))
        var result = BankResult()
        let count = (transfers + Self.threads - 1 - thread) / Self.threads
        while result.transfers < count {
            let form = random.pick(TransferForm.allCases) ?? .write
            let transfer = Transfer(&random)
            do {
                try form.make(transfer, in: store)
                result.transfers += 1
            } catch StoreError.Code.conflict {
                result.conflicts[form.rawValue, default: 0] += 1
                if form.isProtected || form.endsAsWrite { result.faults.append("a conflict in \(form)") }
            } catch {
                result.faults.append("\(form): \(error)")
                guard result.faults.count < 100 else { break }
            }
        }
        return result
    }

    /// Reads the accounts in several ways in one snapshot, and returns what is wrong with them.
    private func readSnapshot() -> [String] {
        do {
            return try store.read { context in
                let first = try context.decode(Account.all)
                let sum = try context.sum(of: Account.all, \.balance)
                let moves = try context.sum(of: Account.all, \.moves)
                let second = try context.fetch(Account.all).map { try $0.decode() }
                return BankState(first).faults + BankState(second).faults
                    + (sum == BankState.sum && moves == first.reduce(0) { $0 + $1.moves }
                        ? [] : ["a snapshot has the sum \(sum) and \(moves) moves"])
            }
        } catch {
            return ["read: \(error)"]
        }
    }
}

/// The accounts at one moment.
struct BankState {
    static let sum = Account.count * Account.initialBalance
    private let accounts: [Account]

    init(_ accounts: [Account]) { self.accounts = accounts }

    var moves: Int { accounts.reduce(0) { $0 + $1.moves } }

    var faults: [String] {
        let sum = accounts.reduce(0) { $0 + $1.balance }
        return sum == Self.sum && accounts.count == Account.count && moves % 2 == 0
            ? [] : ["\(accounts.count) accounts have the sum \(sum) and \(moves) moves"]
    }
}
