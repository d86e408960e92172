package import Foundation

/// A kind of store: how a coordinator opens, migrates, replaces and deletes the stores of a type.
///
/// The coordinator finds a kind by its type in ``StoreKinds`` and knows no store by name, so that stores that are not files
/// can be added.
package struct StoreKind: Sendable {
    /// The type that names the kind in a coordinator's API, such as `NSSQLiteStoreType`.
    let type: String
    /// Whether a store has a URL. A store without one exists only while it is open.
    package let hasURL: Bool
    /// Whether opening a URL would create a store.
    package var isMissing: @Sendable (URL) -> Bool
    /// Opens the store at a URL, and creates it if it does not exist and the options allow it.
    package var open: @Sendable (URL, CompiledModel, StoreOptions) throws -> any ObjectStore
    /// Reads the metadata of a store that is not open. The store is not changed.
    package var metadata: @Sendable (URL, StoreOptions) throws -> [String: Any]
    /// Replaces the application's part of the metadata of a store that is not open.
    package var setMetadata: @Sendable (URL, [String: Any], StoreOptions) throws -> Void
    /// Returns the version hashes of a store that needs a migration, or nil if it has the model's version.
    ///
    /// A store that has it is brought up to date in details that are not a part of the version, such as indexes. Throws if
    /// the store must not be migrated, whatever the mapping.
    package var outdatedVersion: @Sendable (URL, CompiledModel, StoreOptions) throws -> [String: Data]?
    /// Migrates a store. If it throws, the store is unchanged.
    package var migrate: @Sendable (Migration) throws -> Void
    /// Opens a new store at a URL where none exists, with the content of an open store and an identifier of its own.
    package var copy: @Sendable (any ObjectStore, URL, StoreOptions) throws -> any ObjectStore
    /// Deletes a store that is not open.
    package var destroy: @Sendable (URL, StoreOptions, _ isForced: Bool) throws -> Void
    /// Replaces the store at the first URL with a copy of the store at the second one.
    package var replace: @Sendable (URL, URL, StoreOptions) throws -> Void
    /// Returns the URL by which an open store is known, without secrets.
    package var shownURL: @Sendable (URL) throws -> URL = { $0 }
    /// Returns the statements by which opening a store would migrate it to a model; empty if it has the model's version.
    package var migrationPlan: @Sendable (URL, CompiledModel, StoreOptions) throws -> [String] = { url, _, _ in
        throw CoreDataError(
            NSPersistentStoreInvalidTypeError,
            "The migration of '\(url.lastPathComponent)' has no plan in SQL: only stores on servers have one.",
            condition: .unsupported)
    }

    /// One migration from a model to another by a mapping.
    package struct Migration {
        let url: URL
        let source: CompiledModel
        let target: MigrationTarget
        let mapping: ModelMapping
        let options: StoreOptions
        /// Called with the fraction that is done, from 0 to 1. An error that it throws cancels the migration.
        let progress: (Double) throws -> Void

        package init(
            of url: URL, from source: CompiledModel, to target: MigrationTarget, mapping: ModelMapping,
            options: StoreOptions, progress: @escaping (Double) throws -> Void
        ) {
            self.url = url
            self.source = source
            self.target = target
            self.mapping = mapping
            self.options = options
            self.progress = progress
        }
    }
}
