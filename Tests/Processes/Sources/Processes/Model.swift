import Foundation
import Sworm

/// The number of commits of one writer.
struct Counter: Sendable {
    var writer = 0
    var value = 0
}

extension Counter: ManagedObjectConvertible {
    static let attributes: Set<Attribute<Counter>> = [.init(\.writer, "writer", .unique), .init(\.value, "value")]
    struct Relations: Sendable {}
    static let relations = Relations()
}

/// A row of the feed.
struct Entry: Sendable {
    var writer = 0
    var number = 0
}

extension Entry: ManagedObjectConvertible {
    static let attributes: Set<Attribute<Entry>> = [.init(\.writer, "writer"), .init(\.number, "number")]
    struct Relations: Sendable {}
    static let relations = Relations()
}

/// Opens the store, with the given value of SQLite's `synchronous`.
func open(_ url: URL, synchronous: String, history: Bool) throws -> PersistentContainer {
    let description = NSPersistentStoreDescription(url: url)
    description.setValue(synchronous as NSString, forPragmaNamed: "synchronous")
    if history { description.setOption(true as NSNumber, forKey: NSPersistentHistoryTrackingKey) }
    let model = try NSManagedObjectModel(tables: Counter.self, Entry.self)
    let stack = NSPersistentContainer(name: "Processes", managedObjectModel: model)
    stack.persistentStoreDescriptions = [description]
    let failure = Mutex<(any Error)?>(nil)
    stack.loadPersistentStores { _, error in failure.withLock { $0 = error } }
    if let error = failure.withLock({ $0 }) { throw error }
    return PersistentContainer(managedObjectContext: { stack.newBackgroundContext() })
}

/// Nanoseconds of a clock that all processes share.
func now() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

/// A value behind a lock.
///
/// @unchecked: the value is accessed only while the lock is held.
final class Mutex<Value>: @unchecked Sendable {
    private let lock = NSLock()
    private var value: Value

    init(_ value: Value) { self.value = value }

    func withLock<R>(_ body: (inout Value) throws -> R) rethrows -> R {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
}

struct Failure: Error, CustomStringConvertible { var description: String }

/// Starts this program again.
func start(_ arguments: [String]) throws -> Process {
    let process = Process()
    process.executableURL = Bundle.main.executableURL
    process.arguments = arguments
    try process.run()
    return process
}

func percentile(_ sorted: [UInt64], _ part: Double) -> Double {
    sorted.isEmpty ? 0 : Double(sorted[min(sorted.count - 1, Int(Double(sorted.count) * part))]) / 1e6
}
