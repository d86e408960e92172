import Foundation
import Sworm

/// The outcomes of calls, as the calls have reported them.
struct LossResult: Codable, Sendable {
    struct Call: Codable, Sendable {
        var name: String
        var owner: String
        var parts: Int
        /// The code of the error; nil if the call has returned.
        var error: String?
    }

    var calls: [Call] = []
    var reads = 0
    var failedReads = 0
    var faults: [String] = []

    mutating func add(_ other: LossResult) {
        calls += other.calls
        reads += other.reads
        failedReads += other.failedReads
        faults += other.faults
    }
}

/// A process that makes calls on several threads while its connections are lost, until a file appears.
struct LossWorker: Sendable {
    static let threads = 3
    /// The codes that a lost connection may lead to. A thread alone changes its rows, so that a conflict is none of them.
    private static let expected: [StoreError.Code] = [.serverUnavailable, .outcomeUnknown, .timedOut]
    private let store: PersistentContainer
    private let process: String
    private let ready: Sign
    private let end: Sign
    private let seed: UInt64

    init(_ words: [String]) throws {
        guard words.count == 5, let seed = UInt64(words[4]) else {
            throw Failure("losses ADDRESS NUMBER READY END SEED")
        }
        store = try PersistentContainer(for: Entry.self, Tally.self, at: .postgres(words[0]), timeout: 30)
        (process, ready, end, self.seed) = (words[1], Sign(words[2]), Sign(words[3]), seed)
    }

    func run() throws -> LossResult {
        try ready.set()
        var result = LossResult()
        for part in try onThreads(Self.threads, { makeCalls(thread: $0) }) { result.add(part) }
        return result
    }

    static func owner(process: String, thread: Int) -> String { "\(process).\(thread)" }

    private func makeCalls(thread: Int) -> LossResult {
        var random = SeededRandom(seed: seed &+ UInt64(thread))
        var result = LossResult()
        let owner = Self.owner(process: process, thread: thread)
        var known = 0
        var number = 0
        while !end.isSet {
            number += 1
            let form = random.pick(LossForm.allCases) ?? .perform
            var call = LossResult.Call(name: "\(owner).\(number)", owner: owner, parts: form.parts)
            do {
                try form.make(call.name, by: owner, in: store)
                known += 1
            } catch let error as StoreError {
                call.error = "\(error.code)"
                // Nobody else changes the rows of this thread; but transactions that are serializable conflict with those of
                // other threads, whose index pages they read.
                let isConflict = error.code == .conflict && form == .serializable
                if !Self.expected.contains(error.code), !isConflict { result.faults.append("\(form): \(error)") }
            } catch {
                call.error = "other"
                result.faults.append("\(form): \(error)")
            }
            result.calls.append(call)
            if random.chance(20) { read(owner, known, result.calls, &result) }
        }
        return result
    }

    /// Reads what this thread has written, in one snapshot.
    private func read(_ owner: String, _ known: Int, _ calls: [LossResult.Call], _ result: inout LossResult) {
        let unknown = calls.count { $0.error == StoreError.Code.outcomeUnknown.description }
        do {
            let last = calls.last?.name ?? ""
            let (tally, rows) = try store.read { context in
                (
                    try context.decodeOne(Tally.all.where(\.owner == owner))?.calls ?? -1,
                    try context.count(of: Entry.all.where(\.call == last))
                )
            }
            result.reads += 1
            if tally < known || tally > known + unknown {
                result.faults.append("\(owner) has made \(known) calls, and \(tally) took effect")
            }
            if let call = calls.last, call.error == nil, rows != call.parts {
                result.faults.append(
                    "\(call.name) has \(rows) rows instead of \(call.parts) right after it has returned")
            }
        } catch let error as StoreError where Self.expected.contains(error.code) {
            result.failedReads += 1
        } catch {
            result.faults.append("read: \(error)")
        }
    }
}
