public import Foundation
import Sworm
import SwormMigrations

/// A migration of a store whose model has versions in files, through every version from the store's to the newest.
public final class SQLiteProgressiveMigration {
    /// An error that prevents a store from being migrated.
    public enum Error: Swift.Error, Sendable {
        /// The store matches no version of the model.
        case storeCompatibleModelNotFound
    }

    /// A closure that receives the number of completed steps and the total number of steps.
    public typealias Progress = (Int, Int) -> Void

    /// The index of the store's version.
    public let currentModelIndex: Int
    private let url: URL
    private let plan: MigrationPlan

    /// The number of steps to the newest version.
    public var stepCount: Int { plan.versions.count - 1 - currentModelIndex }

    /// Determines the steps that a store requires.
    ///
    /// - Parameters:
    ///   - store: The store.
    ///   - bundle: The bundle that contains the model.
    ///   - defaultEntityMigrationPolicyClassName: The policy for entities whose mapping does not name one.
    ///   - writableSourceStores: Not used: a migration always works on a copy.
    /// - Returns: nil if there is no store, or it has the newest version.
    /// - Throws: ``Error/storeCompatibleModelNotFound``, or an error if a model cannot be read or a stage would never
    ///   run.
    public init?(
        store: SQLiteStoreDescription, bundle: Bundle, defaultEntityMigrationPolicyClassName: String? = nil,
        writableSourceStores: Bool = false
    ) throws {
        guard !store.url.isDevNull, FileManager.default.fileExists(atPath: store.url.path) else { return nil }
        let plan = MigrationPlan(
            try store.modelVersions.map {
                try $0.version(of: store, in: bundle, policy: defaultEntityMigrationPolicyClassName)
            })
        try plan.requireReachableStages()
        do {
            guard let index = try plan.versionIndex(ofStoreAt: store.url), index < plan.versions.count - 1 else {
                return nil
            }
            currentModelIndex = index
        } catch StoreError.Code.incompatibleModel {
            throw Error.storeCompatibleModelNotFound
        }
        url = store.url
        self.plan = plan
    }

    /// Migrates the store. The result replaces the store when all steps have succeeded; if a step fails, the store is
    /// unchanged.
    ///
    /// - Parameters:
    ///   - progress: A closure that is called with the number of completed steps and the total number, first with no
    ///     completed step, finally with all.
    ///   - temporaryDirectory: The folder in which Core Data creates copies. This library's own engine creates them
    ///     beside the store, so that one of them can replace it atomically.
    /// - Throws: The errors of `MigrationPlan.migrate(storeAt:to:timeout:progress:)`.
    public func performMigration(
        progress: Progress?, temporaryDirectory: URL = FileManager.default.temporaryDirectory
    ) throws {
        let count = stepCount
        var reported = -1
        _ = try plan.migrate(storeAt: url, to: nil, timeout: 240, in: temporaryDirectory) { state in
            guard state.fraction == 0, state.done > reported else { return }
            reported = state.done
            progress?(state.done, count)
        }
        progress?(count, count)
    }
}

extension SQLiteStoreDescription.ModelVersion {
    fileprivate func version(
        of store: SQLiteStoreDescription, in bundle: Bundle, policy: String?
    ) throws -> MigrationPlan.Version {
        MigrationPlan.Version(
            name, model: try bundle.managedObjectModel(versionName: name, modelName: store.modelName),
            stage: try stage ?? givenStage(in: bundle, policy: policy))
    }

    private func givenStage(in bundle: Bundle, policy: String?) throws -> MigrationStage {
        guard let mappingModelName else {
            guard let policy else { return .inferred }
            // The policy applies to whatever is carried over, which may be nothing.
            var stage = MigrationStage.mapping { old, new in
                try .inferredMappingModel(forSourceModel: old, destinationModel: new).with(policy: policy)
            }
            stage.isRequired = false
            return stage
        }
        #if canImport(Darwin)
        let mapping = GivenMapping(model: try bundle.mappingModel(name: mappingModelName).with(policy: policy))
        return .mapping { _, _ in mapping.model }
        #else
        throw StoreError(
            .unsupported,
            "The mapping model '\(mappingModelName)' for version '\(name)' cannot be read on this platform: compiled mapping models contain expressions that only Apple's Foundation supports. Implement the migration in code: `ModelVersion(name: \"\(name)\", stage: .custom(...))`."
        )
        #endif
    }
}

#if canImport(Darwin)
/// A mapping model that was read from a file for one migration.
private struct GivenMapping: @unchecked Sendable {
    // Only that migration reads it, on one thread. Hence the unchecked conformance.
    let model: NSMappingModel
}
#endif

extension NSMappingModel {
    /// Sets a policy on the entity mappings that do not have one.
    fileprivate func with(policy: String?) -> NSMappingModel {
        guard let policy else { return self }
        for mapping in entityMappings ?? [] where mapping.entityMigrationPolicyClassName?.isEmpty ?? true {
            mapping.entityMigrationPolicyClassName = policy
        }
        return self
    }
}
