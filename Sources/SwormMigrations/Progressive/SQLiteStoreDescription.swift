public import Foundation

/// A store whose model has versions in files: where it is, and which versions there are.
public struct SQLiteStoreDescription: Sendable {
    /// A version of the model.
    public struct ModelVersion: ExpressibleByStringLiteral, Sendable {
        /// The version's name.
        public let name: String
        /// The name of the compiled mapping model that leads to this version from the one before; nil for none.
        public let mappingModelName: String?
        /// What leads to this version, where it is said in code.
        let stage: MigrationStage?

        /// A version to which a compiled mapping model leads. Only Core Data can read such a model: elsewhere say in code
        /// what leads to the version, by ``init(name:stage:)``.
        ///
        /// - Parameters:
        ///   - name: The version's name.
        ///   - mappingModelName: The name of the mapping model; nil to have the mapping inferred.
        public init(name: String, mappingModelName: String?) {
            self.name = name
            self.mappingModelName = mappingModelName
            stage = nil
        }

        /// A version to which code leads.
        ///
        /// - Parameters:
        ///   - name: The version's name.
        ///   - stage: What leads to it from the version before.
        public init(name: String, stage: MigrationStage) {
            self.name = name
            mappingModelName = nil
            self.stage = stage
        }

        /// A version to which a mapping leads that is inferred.
        ///
        /// - Parameter value: The version's name.
        public init(stringLiteral value: String) { self.init(name: value, mappingModelName: nil) }
    }

    /// The name of the store's container.
    public let name: String
    /// The place of the store's file.
    public let url: URL
    /// The name of the model's file.
    public let modelName: String
    /// The versions of the model, the oldest first.
    public let modelVersions: [ModelVersion]

    /// Describes a store.
    ///
    /// - Parameters:
    ///   - name: The name of the store's container.
    ///   - url: The place of the store's file.
    ///   - modelName: The name of the model's file.
    ///   - modelVersions: The versions of the model, the oldest first.
    public init(name: String, url: URL, modelName: String, modelVersions: [ModelVersion]) {
        self.name = name
        self.url = url
        self.modelName = modelName
        self.modelVersions = modelVersions
    }

    /// The same store at another place.
    ///
    /// - Parameter url: The place.
    public func with(url: URL) -> SQLiteStoreDescription {
        SQLiteStoreDescription(name: name, url: url, modelName: modelName, modelVersions: modelVersions)
    }

    /// The same store as it was when there were fewer versions.
    ///
    /// - Parameter maxVersion: The number of the last version; that of the first is 0.
    public func with(maxVersion: Int) -> SQLiteStoreDescription {
        SQLiteStoreDescription(
            name: name, url: url, modelName: modelName,
            modelVersions: Array(modelVersions.prefix(max(maxVersion, -1) + 1))
        )
    }
}
