import Foundation
import Sworm

/// The figures of one process, or of all.
struct RuleResult: Codable, Sendable {
    /// The outcomes by merge policy and code.
    var outcomes: [String: Int] = [:]
    var steps = 0
    var faults: [String] = []

    mutating func add(_ other: RuleResult) {
        outcomes.merge(other.outcomes, uniquingKeysWith: +)
        steps += other.steps
        faults += other.faults
    }
}

/// A process that makes random steps in all forms of calls, under all merge policies, on two threads.
struct RuleWorker: Sendable {
    private static let threads = 2
    private static let policies: [(name: String, type: NSMergePolicyType)] = [
        ("error", .errorMergePolicyType), ("store", .mergeByPropertyStoreTrumpMergePolicyType),
        ("object", .mergeByPropertyObjectTrumpMergePolicyType), ("overwrite", .overwriteMergePolicyType),
        ("rollback", .rollbackMergePolicyType),
    ]
    /// The codes of steps that meet others, or break a rule of the model.
    private static let expected: [StoreError.Code] = [
        .conflict, .uniquenessViolation, .validation, .objectDeleted, .objectNotFound,
    ]
    private let stores: [PersistentContainer]
    private let steps: Int
    private let seed: UInt64

    init(_ words: [String]) throws {
        guard words.count == 3, let steps = Int(words[1]), let seed = UInt64(words[2]) else {
            throw Failure("rules ADDRESS STEPS SEED")
        }
        stores = try Self.policies.map { _, type in
            try PersistentContainer(for: Owner.self, at: .postgres(words[0]), timeout: 60, mergePolicy: type)
        }
        (self.steps, self.seed) = (steps, seed)
    }

    func run() throws -> RuleResult {
        var result = RuleResult()
        for part in try onThreads(Self.threads, { makeSteps(thread: $0) }) { result.add(part) }
        return result
    }

    private func makeSteps(thread: Int) -> RuleResult {
        var random = SeededRandom(seed: seed &+ UInt64(thread))
        var result = RuleResult()
        let count = (steps + Self.threads - 1 - thread) / Self.threads
        while result.steps < count {
            result.steps += 1
            let policy = random.pick(stores.count)
            let form = random.pick(7)
            let parts: RuleStep.Parts =
                switch form {
                case 0...2: random.chance(70) ? .lists : .bulkWrites
                case 3, 4: [.lists, .bulkWrites]
                default: .bulkWrites
                }
            let step = RuleStep(seed: random.next(), store: stores[policy], parts: parts)
            var outcome = "done"
            do {
                try run(step, form, &random)
            } catch let error as StoreError {
                outcome = "\(error.code)"
                // A write meets no conflicts, and a repeated call ends as a write.
                let isForbidden = error.code == .conflict && [1, 2, 3, 4].contains(form)
                if isForbidden || !Self.expected.contains(error.code) {
                    result.faults.append("\(Self.policies[policy].name), form \(form), step \(step.seed): \(error)")
                }
            } catch {
                outcome = "other"
                result.faults.append("\(Self.policies[policy].name), form \(form), step \(step.seed): \(error)")
            }
            result.outcomes["\(Self.policies[policy].name) \(outcome)", default: 0] += 1
            if result.faults.count > 100 { break }
        }
        return result
    }

    private func run(_ step: RuleStep, _ form: Int, _ random: inout SeededRandom) throws {
        let store = step.store
        switch form {
        case 0: try store.perform { try step.run(in: $0) }
        case 1: try store.perform(retrying: 4) { try step.run(in: $0) }
        case 2: try blocking { try await store.schedule(retrying: 4) { try step.run(in: $0) } }
        case 3: try store.write { try step.run(in: $0) }
        case 4: try blocking { try await store.write { try step.run(in: $0) } }
        case 5:
            try store.write(locking: Owner.all.where(\.name == RuleStep.owner(&random))) { try step.run(in: $0) }
        default:
            // Its inner calls are those of the container that runs it.
            let serializable = store.withTransactions(isolation: .serializable)
            let step = RuleStep(seed: step.seed, store: serializable, parts: step.parts)
            try serializable.perform { try step.run(in: $0) }
        }
    }
}
