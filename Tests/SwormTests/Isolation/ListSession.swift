import Dispatch
import Sworm

/// Runs transactions over lists on one thread, after each other, and records them.
///
/// Every transaction reads some lists and appends elements to some of them, by objects, in bulk or by trees, in all kinds of calls that
/// may have inner ones, which may throw. Lists that are full make room for new ones, so that they stay short while there are
/// always a few over which the sessions compete.
struct ListSession<Generator: RandomNumberGenerator> {
    private enum Kind: CaseIterable { case read, write, perform, bulk, retrying, scheduled }

    /// Thrown by closures on purpose.
    private struct Interruption: Error {}

    private static var lists: Int { 6 }
    /// The lists with the highest numbers are trees.
    private static var flatLists: Int { 4 }
    private static var fullLength: Int { 40 }

    private let number: Int
    private let container: PersistentContainer
    private var random: Generator
    private var elements = 0
    /// How many lists of each kind were full.
    private var generations = Array(repeating: 0, count: lists)
    private(set) var history: [ListTransaction] = []
    /// Errors that no transaction may meet.
    private(set) var unexpected: [String] = []

    init(_ number: Int, _ store: ListStore, _ random: Generator) {
        self.number = number
        container = store.container
        self.random = random
    }

    mutating func run(_ transactions: Int) {
        for _ in 0..<transactions { runTransaction() }
    }

    private mutating func runTransaction() {
        let kind = Kind.allCases[pick(Kind.allCases.count)]
        var run = Run(transaction: ListTransaction(session: number, isPoint: kind == .read || kind == .write))
        let isThrowing = kind != .read && pick(12) == 0
        let steps = pick(4) + 1
        do {
            try call(kind) { context in
                // A repetition begins anew.
                run.transaction.operations = []
                run.transaction.undone += run.appended
                run.appended = []
                for _ in 0..<steps { try step(kind, &run, context) }
                if isThrowing { throw Interruption() }
            }
            run.transaction.isCommitted = true
        } catch is Interruption {
            // Nothing of it may be seen.
        } catch let error as StoreError where [.conflict, .uniquenessViolation].contains(error.code) {
            if kind == .read { unexpected.append("a read threw: \(error)") }
            if kind == .write, error.code == .conflict { unexpected.append("a write threw: \(error)") }
        } catch {
            unexpected.append("\(kind) threw: \(error)")
        }
        history.append(run.transaction)
    }

    /// The record of a transaction that runs.
    private struct Run {
        var transaction: ListTransaction
        /// The elements that it appended and has not undone.
        var appended: [Int] = []
    }

    private func call(_ kind: Kind, _ body: (ManagedObjectContext) throws -> Void) throws {
        switch kind {
        case .read: try container.read(body)
        case .write: try container.write(body)
        case .perform, .bulk: try container.perform(action: body)
        case .retrying: try container.perform(retrying: 3, action: body)
        case .scheduled: try schedule(body)
        }
    }

    /// Runs a closure by `schedule`, and waits for it.
    private func schedule(_ body: (ManagedObjectContext) throws -> Void) throws {
        try withoutActuallyEscaping(body) { body in
            // This thread waits, so the closure and the result are used by one thread at a time. The closure is released before
            // this thread goes on.
            nonisolated(unsafe) var held: ((ManagedObjectContext) throws -> Void)? = body
            nonisolated(unsafe) var result: Result<Void, any Error> = .success(())
            let done = DispatchSemaphore(value: 0)
            let container = container
            Task {
                do {
                    try await container.schedule { try held?($0) }
                } catch {
                    result = .failure(error)
                }
                held = nil
                done.signal()
            }
            done.wait()
            try result.get()
        }
    }

    /// Reads a list, and perhaps appends to it.
    private mutating func step(_ kind: Kind, _ run: inout Run, _ context: ManagedObjectContext) throws {
        let slot = pick(Self.lists)
        let key = generations[slot] * Self.lists + slot
        let list = try read(key, context)
        run.transaction.operations.append(.read(key: key, list: list))
        if list.count >= Self.fullLength { generations[slot] += 1 }
        guard kind != .read, pick(3) > 0 else { return }
        let isBulk = kind == .bulk || kind != .perform && pick(3) == 0
        switch pick(6) {
        case 0:
            // An inner call that is undone, and leaves no trace.
            let element = newElement()
            run.transaction.undone.append(element)
            do {
                try container.perform { inner in
                    try append(element, to: key, list, isBulk, inner)
                    _ = try read(key, inner)
                    throw Interruption()
                }
            } catch is Interruption {
                let again = try container.read { try read(key, $0) }
                run.transaction.operations.append(.read(key: key, list: again))
            }
        case 1:
            try container.perform { try appendNew(to: key, list, isBulk, &run, $0) }
        default:
            try appendNew(to: key, list, isBulk, &run, context)
        }
    }

    private mutating func appendNew(
        to key: Int, _ list: [Int], _ isBulk: Bool, _ run: inout Run, _ context: ManagedObjectContext
    ) throws {
        let element = newElement()
        run.appended.append(element)
        let isTree = isTree(key)
        do {
            try append(element, to: key, list, isBulk, context)
        } catch StoreError.Code.conflict where (isBulk || isTree) && pick(2) == 0 {
            // The transaction continues in its snapshot.
            run.appended.removeLast()
            run.transaction.undone.append(element)
            return
        }
        run.transaction.operations.append(.append(key: key, element: element))
        // From here on it holds the write lock, and no other transaction was committed since its snapshot.
        if isBulk || isTree { run.transaction.isPoint = true }
    }

    // MARK: Reads and writes

    private mutating func read(_ key: Int, _ context: ManagedObjectContext) throws -> [Int] {
        let request = ListRow.all.where { $0.key == key }
        guard !isTree(key) else {
            switch pick(3) {
            case 0: return try context.decodeOne(request.as(ListTree.self))?.list ?? []
            case 1: return try context.fetchOne(request)?.entries.map { try $0.decode(\.element) } ?? []
            default:
                let rows: [(ListRow, [ListEntry])] = try context.decode(request.with(\.entries))
                return rows.first?.1.map(\.element) ?? []
            }
        }
        switch pick(3) {
        case 0: return try context.decodeOne(request)?.list ?? []
        case 1: return try context.fetchOne(request)?.decode().list ?? []
        default:
            return ListTransaction.numbers(try context.fetch(request, \.elements).first ?? "")
        }
    }

    private mutating func append(
        _ element: Int, to key: Int, _ list: [Int], _ isBulk: Bool, _ context: ManagedObjectContext
    ) throws {
        guard !isTree(key) else {
            let tree = ListTree(key: key, list: list + [element])
            if pick(3) == 0 { try context.save(tree) } else { try context.save(contentsOf: [tree]) }
            return
        }
        let row = ListRow(key: key, list: list + [element])
        let request = ListRow.all.where { $0.key == key }
        if isBulk {
            if list.isEmpty || pick(2) == 0 {
                try context.upsert([row])
            } else {
                try context.update(request, set: (\.elements, row.elements))
            }
        } else if let handle = try context.fetchOne(request) {
            try handle.encode(\.elements, row.elements)
        } else {
            try context.insert(row)
        }
    }

    private func isTree(_ key: Int) -> Bool { key % Self.lists >= Self.flatLists }

    private mutating func newElement() -> Int {
        elements += 1
        return number << 32 | elements
    }

    private mutating func pick(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }
}
