public import Foundation
public import SwormMigrations

/// A description of a store whose model has versions in files: its location and its versions.
public struct SQLiteStoreDescription: Sendable {
    /// A version of the model.
    public struct ModelVersion: ExpressibleByStringLiteral, Sendable {
        /// The name of the version.
        public let name: String
        /// The name of the compiled mapping model from the previous version to this one; nil for none.
        public let mappingModelName: String?
        /// The stage from the previous version to this one, if it is defined in code.
        let stage: MigrationStage?

        /// Creates a version with a compiled mapping model. Only Core Data can read such a model: on other platforms,
        /// define the stage in code, with ``init(name:stage:)``.
        ///
        /// - Parameters:
        ///   - name: The name of the version.
        ///   - mappingModelName: The name of the mapping model; nil to infer the mapping.
        public init(name: String, mappingModelName: String?) {
            self.name = name
            self.mappingModelName = mappingModelName
            stage = nil
        }

        /// Creates a version with a stage that is defined in code.
        ///
        /// - Parameters:
        ///   - name: The name of the version.
        ///   - stage: The stage from the previous version to this one.
        public init(name: String, stage: MigrationStage) {
            self.name = name
            mappingModelName = nil
            self.stage = stage
        }

        /// Creates a version with an inferred mapping.
        ///
        /// - Parameter value: The name of the version.
        public init(stringLiteral value: String) { self.init(name: value, mappingModelName: nil) }
    }

    /// The name of the store's container.
    public let name: String
    /// The location of the store's file.
    public let url: URL
    /// The name of the model's file.
    public let modelName: String
    /// The versions of the model, the oldest first.
    public let modelVersions: [ModelVersion]

    /// Creates a description of a store.
    ///
    /// - Parameters:
    ///   - name: The name of the store's container.
    ///   - url: The location of the store's file.
    ///   - modelName: The name of the model's file.
    ///   - modelVersions: The versions of the model, the oldest first.
    public init(name: String, url: URL, modelName: String, modelVersions: [ModelVersion]) {
        self.name = name
        self.url = url
        self.modelName = modelName
        self.modelVersions = modelVersions
    }

    /// Returns a description of the same store at another location.
    ///
    /// - Parameter url: The location.
    public func with(url: URL) -> SQLiteStoreDescription {
        SQLiteStoreDescription(name: name, url: url, modelName: modelName, modelVersions: modelVersions)
    }

    /// Returns a description of the same store that only has the versions up to a given one.
    ///
    /// - Parameter maxVersion: The index of the last version; the first version has the index 0.
    public func with(maxVersion: Int) -> SQLiteStoreDescription {
        SQLiteStoreDescription(
            name: name, url: url, modelName: modelName,
            modelVersions: Array(modelVersions.prefix(max(maxVersion, -1) + 1))
        )
    }
}
