public import Foundation
public import Sworm

/// A store for one test: in memory, or in a folder of its own that is removed when the value goes.
///
/// ```swift
/// @Test func `a book is found by its title`() throws {
///     let store = try TestStore(for: Book.self) { try $0.insert(Book(title: "War and Peace")) }
///     let found = try store.container.perform { try $0.count(of: Book.all.where { $0.title == "War and Peace" }) }
///     #expect(found == 1)
/// }
/// ```
/// No two test stores share anything, so tests can run in parallel.
public final class TestStore: Sendable {
    /// Where a test store is kept.
    public enum Place: Sendable, Hashable {
        /// In memory: the quicker one.
        case memory
        /// In a file, for tests that open it again, look at it, or ``TestStore/verify()`` it.
        case file
    }

    /// The container over the store.
    public let container: PersistentContainer

    /// The file of the store; nil for one in memory.
    public let url: URL?

    private let folder: URL?
    private let types: [any ManagedObjectConvertible.Type]

    /// Makes an empty store and fills it.
    ///
    /// - Parameters:
    ///   - type: A type with tables. The types that its relations lead to are found.
    ///   - others: Types that no relation of the others leads to.
    ///   - place: Where the store is kept.
    ///   - seed: Inserts what the test begins with; it runs in one `perform`.
    /// - Throws: A ``StoreError`` when the tables have faults or the store cannot be made, and what `seed` throws. Nothing
    ///   is left behind then.
    public init(
        for type: any ManagedObjectConvertible.Type, _ others: any ManagedObjectConvertible.Type...,
        in place: Place = .memory,
        seed: (ManagedObjectContext) throws -> Void = { _ in }
    ) throws {
        types = [type] + others
        folder =
            place == .memory
            ? nil : FileManager.default.temporaryDirectory.appendingPathComponent("sworm-test-\(UUID().uuidString)")
        url = folder?.appendingPathComponent("Store.sqlite")
        do {
            container = try PersistentContainer(
                model: try TableModel.shared(for: types), at: url.map { .file($0) } ?? .memory)
            try container.perform { try seed($0) }
        } catch {
            // All is set but the container, so `deinit` does not run.
            if let folder { try? FileManager.default.removeItem(at: folder) }
            throw error
        }
    }

    deinit {
        // A file that is open may be removed; what still uses the container afterwards works on a file without a name.
        if let folder { try? FileManager.default.removeItem(at: folder) }
    }

    /// Another container over the same file, as another process would open it: what it reads was saved.
    ///
    /// - Throws: A ``StoreError`` when the store is in memory or cannot be opened.
    public func reopened() throws -> PersistentContainer {
        try PersistentContainer(model: try TableModel.shared(for: types), at: .file(try file("opened again")))
    }

    /// Checks that the file is one that Core Data could have left.
    ///
    /// The file is opened anew, read-only, and every attribute and relation of every object is read. Where this library's own
    /// engine runs, the rules that Core Data's files keep are checked too: numbering, both sides of relations, order keys,
    /// external files. It takes as long as reading everything.
    ///
    /// - Throws: A ``StoreError`` with the code `unsoundStore`, whose message has a line for every fault; another one when
    ///   the store is in memory or cannot be opened.
    public func verify() throws {
        let url = try file("verified")
        let model = try TableModel.shared(for: types)
        try readEverything(at: url, model)
        let faults = try storeFaults(at: url, model)
        guard !faults.isEmpty else { return }
        throw StoreError(
            .unsoundStore,
            "The store \(url.lastPathComponent) has \(faults.count) faults:" + faults.map { "\n- \($0)" }.joined())
    }

    private func file(_ what: String) throws -> URL {
        guard let url else {
            throw StoreError(
                .cannotOpen,
                "A test store in memory has no file to be \(what). Make it with TestStore(for: ..., in: .file).")
        }
        return url
    }

    private func readEverything(at url: URL, _ model: NSManagedObjectModel) throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url,
            options: [NSReadOnlyPersistentStoreOption: NSNumber(value: true)])
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
            for entity in model.entities {
                guard let name = entity.name else { continue }
                for object in try context.fetch(NSFetchRequest<NSManagedObject>(entityName: name)) {
                    for property in object.entity.propertiesByName.keys { _ = object.value(forKey: property) }
                }
            }
        }
        try coordinator.remove(store)
    }
}

extension StoreError.Code {
    /// A store's file breaks rules that Core Data's files keep.
    public static let unsoundStore = Self("unsoundStore")
}

extension ExpectedStoreErrors where Self == StoreError.Code {
    /// An error with the code ``StoreError/Code/unsoundStore``.
    @_disfavoredOverload
    public static var unsoundStore: StoreError { Self.unsoundStore.expected }
}
