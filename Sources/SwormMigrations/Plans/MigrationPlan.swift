public import Sworm

/// A plan that lists the versions of a store's model, and the stages between them.
///
/// ```swift
/// let library = MigrationPlan([
///     .init("1.0", LibraryV1.Book.self),
///     .init("1.1", LibraryV2.Book.self),
///     .init("2.0", LibraryV3.Book.self, stage: .custom(
///         .change(LibraryV2.Book.self, to: LibraryV3.Book.self) { old, new in new.price = Double(old.cents) / 100 })),
/// ])
/// let store = try PersistentContainer(migrating: library, at: .file(url))
/// ```
/// The version of a store is identified by the hashes of its entities. The store goes through all remaining stages on a
/// copy, which replaces it when the last stage has succeeded: whenever the migration is interrupted, the store is
/// either the old one or the new one.
///
/// Never change a version after its release: add a new one instead. `ReleaseLedger` verifies this in tests.
public struct MigrationPlan: Sendable {
    /// A version of the model.
    public struct Version: Sendable {
        /// The name of the version.
        public let name: String
        let stage: MigrationStage
        private let content: Content

        private enum Content: Sendable {
            case tables([any ManagedObjectConvertible.Type])
            case model(FrozenModel)
        }

        /// Creates a version whose model is created from the tables of types.
        ///
        /// - Parameters:
        ///   - name: The name of the version, for messages.
        ///   - type: A type with tables. The types that its relations refer to are included.
        ///   - others: Further types that no relation of the given types refers to.
        ///   - stage: The stage from the previous version to this one. Not used for the first version.
        public init(
            _ name: String, _ type: any ManagedObjectConvertible.Type, _ others: any ManagedObjectConvertible.Type...,
            stage: MigrationStage = .inferred
        ) {
            self.name = name
            self.stage = stage
            content = .tables([type] + others)
        }

        /// Creates a version with an existing model.
        ///
        /// - Parameters:
        ///   - name: The name of the version, for messages.
        ///   - model: The model. It is copied.
        ///   - stage: The stage from the previous version to this one. Not used for the first version.
        public init(_ name: String, model: NSManagedObjectModel, stage: MigrationStage = .inferred) {
            self.name = name
            self.stage = stage
            content = .model(FrozenModel(model))
        }

        /// Returns the model of the version. It must not be changed.
        ///
        /// - Throws: A `StoreError` with the code `invalidTable` that lists the issues of the tables.
        public func model() throws -> NSManagedObjectModel {
            switch content {
            case .tables(let types): try TableModel.shared(for: types)
            case .model(let frozen): frozen.model
            }
        }
    }

    /// The versions, the oldest first.
    public let versions: [Version]

    /// Creates a plan.
    ///
    /// - Parameter versions: The versions, the oldest first.
    public init(_ versions: [Version]) { self.versions = versions }

    /// Returns the index of the version with a name; that of the newest version for nil.
    package func index(named name: String?) throws -> Int {
        if let twice = Dictionary(grouping: versions, by: \.name).filter({ $1.count > 1 }).keys.sorted().first {
            throw StoreError(
                .migrationFailed, "The plan has several versions named '\(twice)'. Give each one a name of its own.")
        }
        guard let last = versions.indices.last else {
            throw StoreError(.migrationFailed, "The plan has no versions. Add at least the current version.")
        }
        guard let name else { return last }
        guard let index = versions.firstIndex(where: { $0.name == name }) else {
            throw StoreError(
                .migrationFailed,
                "The plan has no version '\(name)'. Its versions are: \(versions.map(\.name).joined(separator: ", ")).")
        }
        return index
    }
}

/// A model that is never changed.
struct FrozenModel: @unchecked Sendable {
    // The copy is private, and is only passed to code that reads it. Hence the unchecked conformance.
    let model: NSManagedObjectModel

    init(_ model: NSManagedObjectModel) {
        self.model = model.copy() as? NSManagedObjectModel ?? model
    }
}
