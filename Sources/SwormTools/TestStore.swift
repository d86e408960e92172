public import Foundation
public import Sworm

/// A store for one test, in memory or in a temporary folder that is removed when the object is deallocated.
///
/// ```swift
/// @Test func `a book is found by its title`() throws {
///     let store = try TestStore(for: Book.self) { try $0.insert(Book(title: "War and Peace")) }
///     let found = try store.container.perform { try $0.count(of: Book.all.where { $0.title == "War and Peace" }) }
///     #expect(found == 1)
/// }
/// ```
/// Test stores share nothing, so tests can run in parallel.
public final class TestStore: Sendable {
    /// The location of a test store.
    public enum Place: Sendable, Hashable {
        /// In memory, which is faster.
        case memory
        /// In a file, for tests that reopen it, inspect it, or ``TestStore/verify()`` it.
        case file
    }

    /// The container of the store.
    public let container: PersistentContainer

    /// The location of the store's file; nil for an in-memory store.
    public let url: URL?

    /// The location of the store.
    package let location: StoreLocation

    private let folder: URL?
    private let types: [any ManagedObjectConvertible.Type]

    /// Creates a store and inserts its initial objects.
    ///
    /// - Parameters:
    ///   - type: A type with tables. The types that its relations refer to are included.
    ///   - others: Further types that no relation of `type` refers to, not even indirectly.
    ///   - place: The location of the store.
    ///   - seed: A closure that inserts the initial objects of the test. It is called in one `perform`.
    /// - Throws: A `StoreError` if the tables are invalid or the store cannot be created, or the error of `seed`. All
    ///   files are removed in that case.
    public convenience init(
        for type: any ManagedObjectConvertible.Type, _ others: any ManagedObjectConvertible.Type...,
        in place: Place = .memory,
        seed: (ManagedObjectContext) throws -> Void = { _ in }
    ) throws {
        try self.init(for: [type] + others, in: place, seed: seed)
    }

    /// Creates a store of a list of types, and inserts its initial objects.
    package convenience init(
        for types: [any ManagedObjectConvertible.Type], in place: Place,
        seed: (ManagedObjectContext) throws -> Void
    ) throws {
        let folder =
            place == .memory
            ? nil : FileManager.default.temporaryDirectory.appendingPathComponent("sworm-test-\(UUID().uuidString)")
        let file = folder?.appendingPathComponent("Store.sqlite")
        let location = file.map { StoreLocation.file($0) } ?? .memory
        try self.init(for: types, at: location, in: folder, seed: seed)
    }

    /// Creates a store at a location that has none, and inserts its initial objects.
    ///
    /// - Parameter folder: The folder that is removed with the object.
    package init(
        for types: [any ManagedObjectConvertible.Type], at location: StoreLocation, in folder: URL? = nil,
        seed: (ManagedObjectContext) throws -> Void
    ) throws {
        self.types = types
        self.location = location
        self.folder = folder
        url = location.url
        do {
            container = try PersistentContainer(model: try TableModel.shared(for: types), at: location)
            try container.perform { try seed($0) }
        } catch {
            // `deinit` does not run for an object that is not completely initialized.
            if let folder { try? FileManager.default.removeItem(at: folder) }
            throw error
        }
    }

    deinit {
        // The file may still be open. Code that uses the container afterwards then accesses a file without a name.
        if let folder { try? FileManager.default.removeItem(at: folder) }
    }

    /// Opens another container with the same file, as another process would. It only reads saved data.
    ///
    /// - Throws: A `StoreError` if the store is in memory or cannot be opened.
    public func reopened() throws -> PersistentContainer {
        if location == .memory { _ = try file("opened again") }
        return try PersistentContainer(model: try TableModel.shared(for: types), at: location)
    }

    /// Checks that Core Data could have written the file.
    ///
    /// The file is opened again, read-only, and every attribute and relation of every object is read. On platforms with
    /// this library's own engine, the rules of Core Data's file format are checked too: primary keys, both sides of
    /// relations, order keys, and external files. The check takes as long as reading all objects.
    ///
    /// - Throws: A `StoreError` with the code `unsoundStore`, whose message has one line for each issue, or with
    ///   another code if the store is in memory or cannot be opened.
    public func verify() throws {
        let url = try file("verified")
        let model = try TableModel.shared(for: types)
        try readEverything(at: url, model)
        let issues = try storeIssues(at: url, model)
        guard !issues.isEmpty else { return }
        throw StoreError(
            .unsoundStore,
            "The store '\(url.lastPathComponent)' has \(issues.count) issues:" + issues.map { "\n- \($0)" }.joined())
    }

    private func file(_ what: String) throws -> URL {
        guard let url else {
            throw StoreError(
                .cannotOpen,
                "An in-memory test store has no file to be \(what). Create it with `TestStore(for: ..., in: .file)`.")
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
    /// The file of a store violates rules of Core Data's file format.
    public static let unsoundStore = Self("unsoundStore")
}

extension ExpectedStoreErrors where Self == StoreError.Code {
    /// An error with the code ``StoreError/Code/unsoundStore``.
    @_disfavoredOverload
    public static var unsoundStore: StoreError { Self.unsoundStore.expected }
}
