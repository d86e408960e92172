public import Sworm

/// The versions that a store's model has had, and what leads from each to the next.
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
/// A store tells by the hashes of its entities which of the versions it has. It goes through all stages that are left, on a
/// copy, which takes its place when the last one has succeeded: whatever stops it, the store is the old one or the new one.
///
/// A version that was released is never changed again: add the next one. ``ReleaseLedger`` keeps watch over that in tests.
public struct MigrationPlan: Sendable {
    /// A version of the model.
    public struct Version: Sendable {
        /// The version's name.
        public let name: String
        let stage: MigrationStage
        private let content: Content

        private enum Content: Sendable {
            case tables([any ManagedObjectConvertible.Type])
            case model(FrozenModel)
        }

        /// A version whose model is made from the tables of types.
        ///
        /// - Parameters:
        ///   - name: The version's name, for messages.
        ///   - type: A type with tables. The types that its relations lead to are found.
        ///   - others: Types that no relation of the others leads to.
        ///   - stage: What leads to this version from the one before. That of the first version is not used.
        public init(
            _ name: String, _ type: any ManagedObjectConvertible.Type, _ others: any ManagedObjectConvertible.Type...,
            stage: MigrationStage = .inferred
        ) {
            self.name = name
            self.stage = stage
            content = .tables([type] + others)
        }

        /// A version with a model of your own.
        ///
        /// - Parameters:
        ///   - name: The version's name, for messages.
        ///   - model: The model. It is copied.
        ///   - stage: What leads to this version from the one before. That of the first version is not used.
        public init(_ name: String, model: NSManagedObjectModel, stage: MigrationStage = .inferred) {
            self.name = name
            self.stage = stage
            content = .model(FrozenModel(model))
        }

        /// The version's model. It must not be changed.
        ///
        /// - Throws: A ``StoreError`` with the code `invalidTable` that lists the faults of the tables.
        public func model() throws -> NSManagedObjectModel {
            switch content {
            case .tables(let types): try TableModel.shared(for: types)
            case .model(let frozen): frozen.model
            }
        }
    }

    /// The versions, the oldest first.
    public let versions: [Version]

    /// Makes a plan.
    ///
    /// - Parameter versions: The versions, the oldest first.
    public init(_ versions: [Version]) { self.versions = versions }

    /// The number of the version with a name; that of the newest for nil.
    package func index(named name: String?) throws -> Int {
        if let twice = Dictionary(grouping: versions, by: \.name).filter({ $1.count > 1 }).keys.sorted().first {
            throw StoreError(
                .migrationFailed, "The plan has several versions named '\(twice)'. Give each one a name of its own.")
        }
        guard let last = versions.indices.last else {
            throw StoreError(.migrationFailed, "The plan has no versions. Name at least the present one.")
        }
        guard let name else { return last }
        guard let index = versions.firstIndex(where: { $0.name == name }) else {
            throw StoreError(
                .migrationFailed,
                "The plan has no version '\(name)'. It has: \(versions.map(\.name).joined(separator: ", ")).")
        }
        return index
    }
}

/// A model that nobody changes.
struct FrozenModel: @unchecked Sendable {
    // The copy is known here alone, and is only given to those who read it. Hence the unchecked conformance.
    let model: NSManagedObjectModel

    init(_ model: NSManagedObjectModel) {
        self.model = model.copy() as? NSManagedObjectModel ?? model
    }
}
