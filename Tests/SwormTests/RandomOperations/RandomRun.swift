import Sworm
import TestSupport

/// Does random operations with a store and with a model of plain values, and compares what they see.
///
/// The same seed gives the same operations.
final class RandomRun {
    /// The library and the model differ.
    struct Difference: Error, CustomStringConvertible { let description: String }

    /// Thrown by closures on purpose.
    struct Interruption: Error {}

    enum Access: CaseIterable { case read, perform, write }

    /// An event that a run of some length has to meet; else it shows little.
    enum Event: CaseIterable {
        case undone, undoneBulkWrite, settled, rejected, united, bulkConflict, takenRow, keptUnsavedChange
        case savedUnsavedChange
    }

    /// The state that the operations inside of one call share.
    struct Frame {
        let context: ManagedObjectContext
        let depth: Int
        let isReadOnly: Bool
        /// Handles that are looked at again later, with the numbers of their leaves.
        var handles: [(id: Int, handle: ManagedObject<RandomLeaf>)] = []
    }

    let seed: UInt64
    let setting: RandomSetting
    let stores: RandomStores
    var random: SeededRandom
    var committed = PlainStore()
    /// The call that runs.
    var call = PlainCall(PlainStore(), isWriting: false)
    /// The unsaved changes that the user made in the own context.
    var outside: PlainCall?
    /// The leaves that another container has changed since the call read its snapshot.
    var foreignLeaves: Set<Int> = []
    /// Whether another container has committed since then.
    var hasForeignCommit = false
    /// The number of operations so far.
    var count = 0
    /// How often the rarer events were met.
    private(set) var events: [Event: Int] = [:]
    /// The operations of the present call.
    var log: [String] = []
    private var lastNumber = 0
    private var recentValues: [String] = []

    init(seed: UInt64) throws {
        self.seed = seed
        random = SeededRandom(seed: seed)
        setting = RandomSetting(seed: seed, &random)
        stores = try RandomStores(setting)
    }

    /// Does at least a number of operations.
    ///
    /// - Throws: A ``Difference``.
    func run(_ operations: Int) throws {
        while count < operations {
            log.removeAll(keepingCapacity: true)
            do {
                try runCall()
                if random.chance(3) { try stores.verify() }
            } catch {
                throw Difference(
                    description: """
                        \(error)
                        seed \(seed), \(setting), operation \(count):
                        \(log.joined(separator: "\n"))
                        """)
            }
        }
        try stores.verify()
    }

    func meet(_ event: Event) { events[event, default: 0] += 1 }

    // MARK: Helpers

    func note(_ text: String, _ depth: Int) {
        count += 1
        log.append(String(repeating: "    ", count: depth) + text)
    }

    /// Throws where the library and the model differ.
    func expect(_ condition: Bool, _ message: @autoclosure () -> String) throws {
        guard condition else { throw Difference(description: message()) }
    }

    func expectEqual<Value: Equatable>(_ found: Value, _ wanted: Value, _ subject: String) throws {
        try expect(found == wanted, "\(subject)\n   is \(found)\nwanted \(wanted)")
    }

    /// Runs a piece of work that throws an error with one of some codes.
    func expectError(_ codes: StoreError.Code..., from body: () throws -> Void) throws {
        do {
            try body()
        } catch let error as StoreError where codes.contains(error.code) {
            return
        }
        throw Difference(description: "no error; wanted one of \(codes)")
    }

    /// A number that was never used before.
    func newNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    /// A text that was never used before.
    func newText() -> String {
        let text = "v\(newNumber())"
        recentValues.append(text)
        if recentValues.count > 30 { recentValues.removeFirst() }
        return text
    }

    /// A text that some leaf has, had or would have had.
    func recentText() -> String { random.pick(recentValues) ?? "" }

    /// A leaf that the call sees.
    func someLeaf() -> PlainStore.Leaf? { random.pick(call.visible.sorted) }

    func someStem() -> Int? { random.pick(call.visible.stems.sorted()) }
}
