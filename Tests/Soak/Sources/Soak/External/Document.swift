import Foundation
import Sworm

/// A row with data in a file of its own.
struct Document: ManagedObjectConvertible {
    static let count = 10
    static let size = 150_000

    var number = 0
    var version = 0
    var data: Data?

    static let attributes: Set<Attribute<Document>> = [
        .init(\.number, "number", .unique), .init(\.version, "version"), .init(\.data, "data", .external),
    ]

    init() {}

    init(number: Int, version: Int) {
        self.number = number
        self.version = version
        data = Self.bytes(number, version)
    }

    /// The bytes of a version of a document.
    static func bytes(_ number: Int, _ version: Int) -> Data {
        var random = SteadyRandom(state: UInt64(number) << 32 | UInt64(version))
        return Data((0..<size / 8).flatMap { _ in withUnsafeBytes(of: random.next()) { Array($0) } })
    }
}

/// How a process opens the store of documents.
struct DocumentStore {
    let container: PersistentContainer

    /// - Parameters:
    ///   - journal: The journal mode of SQLite; nil for the usual one.
    ///   - timeout: The seconds to wait for a lock of another process.
    init(_ arguments: Arguments, timeout: Double = 30) throws {
        try self.init(at: arguments.requiredText("store"), journal: arguments.text("journal"), timeout: timeout)
    }

    init(at path: String, journal: String?, timeout: Double = 30) throws {
        let url = URL(fileURLWithPath: path)
        guard let journal, journal != "wal" else {
            container = try PersistentContainer(for: Document.self, at: .file(url), timeout: timeout)
            return
        }
        let coordinator = NSPersistentStoreCoordinator(
            managedObjectModel: try NSManagedObjectModel(tables: Document.self))
        _ = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url,
            options: [
                NSSQLitePragmasOption: ["journal_mode": journal],
                NSPersistentStoreTimeoutOption: NSNumber(value: timeout),
            ])
        container = PersistentContainer(managedObjectContext: {
            let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            context.persistentStoreCoordinator = coordinator
            context.retainsRegisteredObjects = true
            return context
        })
    }
}
