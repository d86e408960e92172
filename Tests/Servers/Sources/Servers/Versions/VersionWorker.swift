import Foundation
import Sworm

/// The books of one process as they must be, and what went wrong.
struct VersionResult: Codable, Sendable {
    var books: [String: BookContent] = [:]
    var steps = 0
    /// The steps with the second version.
    var laterSteps = 0
    var faults: [String] = []
}

/// A process that changes books of its own at random, first with the first version of the model, and then, if it is one of those
/// that are updated, with the second one.
struct VersionWorker {
    private let address: String
    private let name: String
    private let isUpdated: Bool
    private let signs: VersionSigns
    private var random: SeededRandom
    private var result = VersionResult()
    /// The form of the last call, for messages.
    private var form = ""
    private let logged = Shared<[String]>([])

    init(_ words: [String]) throws {
        guard words.count == 5, let seed = UInt64(words[4]) else {
            throw Failure("versions ADDRESS NAME UPDATED FOLDER SEED")
        }
        (address, name, isUpdated) = (words[0], words[1], words[2] == "updated")
        signs = VersionSigns(in: URL(filePath: words[3]))
        random = SeededRandom(seed: seed)
    }

    mutating func run() throws -> VersionResult {
        try signs.ready(name).set()
        signs.start.wait()
        try work(as: FirstShop.self, until: isUpdated ? signs.update : signs.end)
        let steps = result.steps
        if isUpdated { try work(as: SecondShop.self, until: signs.end) }
        result.laterSteps = result.steps - steps
        result.faults += logged.value.prefix(20)
        return result
    }

    private mutating func work<Version: ShopVersion>(as version: Version.Type, until end: Sign) throws {
        let store: PersistentContainer
        do {
            store = try version.open(address) { [logged] error in logged.change { $0.append("logged: \(error)") } }
            try store.perform(retrying: 5) { try version.addAuthors(in: $0) }
        } catch {
            throw Failure("\(version) does not begin: \(error)")
        }
        try signs.begun(version, name).set()
        while !end.isSet, result.faults.count < 10 {
            do { try step(version, store) } catch { result.faults.append("\(version), \(form): \(error)") }
            // The others work too.
            usleep(UInt32(random.pick(3_000)))
        }
        try store.close()
    }

    private mutating func step<Version: ShopVersion>(_ version: Version.Type, _ store: PersistentContainer) throws {
        result.steps += 1
        let ids = result.books.keys.sorted()
        guard let id = random.pick(ids), !random.chance(ids.count < 60 ? 30 : 10) else {
            let (id, book) = ("\(name)-\(result.steps)", BookContent(&random))
            try run(store) { try version.insert(id, book, in: $0) }
            result.books[id] = book
            return
        }
        guard var book = result.books[id] else { return }
        let choice = random.pick(10)
        form = "step \(choice)"
        switch choice {
        case 0:
            try run(store) { try version.delete(id, in: $0) }
            result.books[id] = nil
        case 1, 2:
            book.year = random.pick(3000)
            let year = book.year
            let count = try run(store) { try version.setYear(year, of: id, in: $0) }
            guard count == 1 else { throw Failure("a bulk write has changed \(count) rows of \(id)") }
            result.books[id] = book
        case 3:
            let other = BookContent(&random)
            (book.title, book.note) = (other.title, other.note)
            let changed = book
            try run(store) { try version.upsert(id, changed, in: $0) }
            result.books[id] = book
        case 4:
            // The locked row alone meets no conflict: an author is another row.
            var other = BookContent(&random)
            other.author = book.author
            let changed = other
            try version.lock(id, in: store) { try version.change(id, to: changed, in: $0) }
            result.books[id] = changed
        case 5:
            let (prefix, books) = ("\(name)-", result.books)
            let found = try store.read { try version.books(prefix, in: $0) }
            guard found == books else { throw Failure(VersionWorker.difference(found, books)) }
        default:
            let changed = BookContent(&random)
            try run(store) { try version.change(id, to: changed, in: $0) }
            result.books[id] = changed
        }
    }

    /// Runs a closure in a form of call that meets no conflict, or repeats it.
    private mutating func run<R: Sendable>(
        _ store: PersistentContainer, _ action: @escaping @Sendable (ManagedObjectContext) throws -> R
    ) throws -> R {
        let choice = random.pick(4)
        form += ", call \(choice)"
        switch choice {
        case 0: return try store.write { try action($0) }
        case 1: return try blocking { try await store.schedule(retrying: 5) { try action($0) } }
        default: return try store.perform(retrying: 5) { try action($0) }
        }
    }

    static func difference(_ found: [String: BookContent], _ expected: [String: BookContent]) -> String {
        let ids = Set(found.keys).union(expected.keys).filter { found[$0] != expected[$0] }.sorted()
        let first = ids.first.map { id in
            "\(id) is \(found[id].map { "\($0)" } ?? "missing") instead of \(expected[id].map { "\($0)" } ?? "missing")"
        }
        return "\(ids.count) of \(expected.count) books differ: \(first ?? "none")"
    }
}

/// The signs by which the processes begin each part together.
struct VersionSigns {
    let folder: URL

    init(in folder: URL) { self.folder = folder }

    var start: Sign { Sign("start", in: folder) }
    var update: Sign { Sign("update", in: folder) }
    var end: Sign { Sign("end", in: folder) }

    /// Set when a process is there.
    func ready(_ name: String) -> Sign { Sign("ready-\(name)", in: folder) }
    /// Set when a process has opened the store with a version.
    func begun(_ version: any ShopVersion.Type, _ name: String) -> Sign { Sign("\(version)-\(name)", in: folder) }
}
