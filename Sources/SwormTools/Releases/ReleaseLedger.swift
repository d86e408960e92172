public import Foundation
public import Sworm
import SwormPredicates

/// A folder with a record of every released version of a model, for tests: its version hashes and a small store.
///
/// ```swift
/// let ledger = ReleaseLedger(in: folder)   // beside the tests, under version control
/// try ledger.record("1.0", of: plan) { try $0.insert(LibraryV1.Book(title: "Emma")) }
/// try ledger.check(plan)
/// try ledger.migrateAll(plan) { version, store in ... }
/// ```
/// Record a version once, when it is released. If the model of the version changes later, the test fails and reports
/// the changed properties, because the stores of users still have the version as it was released.
///
/// `sworm-tool freeze` records a version from a shipped store or a model file, in the same form. Such a version needs no
/// plan: compare it with ``check(_:tables:)`` or ``check(_:model:)``.
public struct ReleaseLedger: Sendable {
    /// The folder.
    public let folder: URL

    /// Creates a ledger.
    ///
    /// - Parameter folder: The folder. It is created when the first version is recorded.
    public init(in folder: URL) { self.folder = folder }

    /// Returns the names of the recorded versions, sorted.
    ///
    /// - Throws: An error if the folder cannot be read.
    public func releases() throws -> [String] {
        guard FileManager.default.fileExists(atPath: folder.path) else { return [] }
        return try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .filter { $0.hasSuffix(Self.suffix) }.map { String($0.dropLast(Self.suffix.count)) }.sorted()
    }

    /// Records a version with a small store, or checks it if it is already recorded.
    ///
    /// - Parameters:
    ///   - name: The name of the version.
    ///   - plan: The plan that contains the version.
    ///   - seed: A closure that fills the store.
    /// - Throws: A `StoreError` with the code `changedRelease` if the version was recorded with a different model,
    ///   the error of `seed`, or an error if the store could not be created.
    public func record(
        _ name: String, of plan: MigrationPlan, seed: (ManagedObjectContext) throws -> Void = { _ in }
    ) throws {
        let version = plan.versions[try plan.index(named: name)]
        guard !name.isEmpty, !name.hasPrefix("."), !name.contains("/") else {
            throw StoreError(.migrationFailed, "'\(name)' is not a valid file name. Use another name for the version.")
        }
        if try releases().contains(name) { return try require(try changes(of: version)) }
        let model = try version.model()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        // The store is created first, because a version counts as recorded as soon as its record exists.
        try? FileManager.default.removeItem(at: store(name))
        try FileManager.default.createDirectory(at: store(name), withIntermediateDirectories: true)
        do {
            let container = try PersistentContainer(model: model, at: .file(file(name)))
            try container.perform { try seed($0) }
        }
        try ReleasedModel(model).encoded().write(to: note(name), options: .atomic)
    }

    /// Checks that no released version has changed.
    ///
    /// - Parameter plan: The plan. It must contain every recorded version.
    /// - Throws: A `StoreError` with the code `changedRelease` that names every property that differs.
    public func check(_ plan: MigrationPlan) throws {
        let known = try releases()
        let versions = Dictionary(plan.versions.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        try require(
            try known.flatMap { name in
                try versions[name].map(changes) ?? [
                    "Version '\(name)' was released, but is no longer in the plan"
                ]
            })
    }

    /// Checks that a model is the one that a version was released with.
    ///
    /// - Parameters:
    ///   - name: The name of the version.
    ///   - model: The model in the code, or in a file.
    /// - Throws: A `StoreError` with the code `changedRelease` that names every property that differs, or lists the
    ///   recorded versions if the name is not one of them.
    public func check(_ name: String, model: NSManagedObjectModel) throws { try require(changes(of: name, to: model)) }

    /// Checks that the tables of types make the model that a version was released with.
    ///
    /// ```swift
    /// try ledger.check("1.0", tables: Book.self)   // with the types that its relations refer to
    /// ```
    /// - Parameters:
    ///   - name: The name of the version.
    ///   - types: Types with tables. The types that their relations refer to are included.
    /// - Throws: A `StoreError` with the code `changedRelease` that names every property that differs, or lists the
    ///   recorded versions if the name is not one of them; or one with the code `invalidTable`.
    public func check(_ name: String, tables types: any ManagedObjectConvertible.Type...) throws {
        try check(name, model: try TableModel.shared(for: types))
    }

    /// Migrates a copy of the store of every released version to the newest version.
    ///
    /// - Parameters:
    ///   - plan: The plan.
    ///   - body: A closure that inspects a migrated store. It is called with the name of the original version and the
    ///     store.
    /// - Throws: An error if a store cannot be migrated; the error of `body`; or, after `body`, a `StoreError` with the
    ///   code `unsoundStore` if the migrated store violates rules of Core Data's file format.
    public func migrateAll(
        _ plan: MigrationPlan, _ body: (_ version: String, _ store: PersistentContainer) throws -> Void = { _, _ in }
    ) throws {
        for name in try releases() {
            let place = FileManager.default.temporaryDirectory.appendingPathComponent("sworm-test-\(UUID().uuidString)")
            defer { try? FileManager.default.removeItem(at: place) }
            try FileManager.default.copyItem(at: store(name), to: place)
            let url = place.appendingPathComponent(file(name).lastPathComponent)
            let newest = plan.versions[try plan.index(named: nil)]
            let container = try PersistentContainer(migrating: plan, at: .file(url))
            try body(name, container)
            let issues = try storeIssues(at: url, try newest.model())
            guard issues.isEmpty else {
                throw StoreError(
                    .unsoundStore,
                    "The store of version '\(name)' has \(issues.count) issues after its migration:"
                        + issues.map { "\n- \($0)" }.joined())
            }
        }
    }

    // MARK: Comparing

    private func changes(of version: MigrationPlan.Version) throws -> [String] {
        try changes(of: version.name, to: version.model())
    }

    private func changes(of name: String, to model: NSManagedObjectModel) throws -> [String] {
        let released: ReleasedModel
        do {
            released = try ReleasedModel(contentsOf: note(name))
        } catch {
            let known = try releases()
            guard known.contains(name) else {
                let list = known.isEmpty ? "none" : known.joined(separator: ", ")
                throw StoreError(
                    .changedRelease,
                    "Version '\(name)' is not recorded in '\(folder.path)'. The recorded versions are: \(list).")
            }
            throw StoreError(
                .changedRelease, "The record of version '\(name)' in '\(folder.path)' cannot be read.", cause: error)
        }
        return released.differences(to: ReleasedModel(model)).map { "Version '\(name)': \($0)" }
    }

    private func require(_ changes: [String]) throws {
        guard !changes.isEmpty else { return }
        throw StoreError(
            .changedRelease,
            "Released versions have changed. Restore them, and add a new version:"
                + changes.map { "\n- \($0)" }.joined())
    }

    // MARK: Files

    private static let suffix = ".release.json"
    private func note(_ name: String) -> URL { folder.appendingPathComponent(name + Self.suffix) }
    private func store(_ name: String) -> URL { folder.appendingPathComponent(name + ".store", isDirectory: true) }
    private func file(_ name: String) -> URL { store(name).appendingPathComponent("Store.sqlite") }
}

extension StoreError.Code {
    /// The model of a released version has changed.
    public static let changedRelease = Self("changedRelease")
}

extension ExpectedStoreErrors where Self == StoreError.Code {
    /// An error with the code ``StoreError/Code/changedRelease``.
    @_disfavoredOverload
    public static var changedRelease: StoreError { Self.changedRelease.expected }
}
