public import Foundation
import Sworm

extension MigrationPlan {
    /// Returns the name of a store's version.
    ///
    /// - Parameter url: The location of the store.
    /// - Returns: The name; nil if there is no store.
    /// - Throws: A `StoreError`: `incompatibleModel` if the store matches no version, `cannotOpen` if it cannot be
    ///   read.
    public func versionName(ofStoreAt url: URL) throws -> String? {
        try versionIndex(ofStoreAt: url).map { versions[$0].name }
    }

    /// Returns the index of a store's version; nil if there is no store.
    package func versionIndex(ofStoreAt url: URL) throws -> Int? {
        guard !url.isDevNull, FileManager.default.fileExists(atPath: url.path) else { return nil }
        let metadata: [String: Any]
        do {
            metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
                ofType: NSSQLiteStoreType, at: url, options: nil)
        } catch {
            throw translatedError(error, isOpening: true)
        }
        return try versionIndex(of: metadata, at: url)
    }

    /// Returns the index of the version that a store's metadata identify; the newest of several versions that are
    /// indistinguishable to stores.
    func versionIndex(of metadata: [String: Any], at url: URL) throws -> Int {
        let found = try versions.indices.last {
            try versions[$0].model().isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata)
        }
        guard let found else { throw try unknownVersion(metadata, at: url) }
        return found
    }

    /// Rejects a plan with a required stage that no store would go through.
    ///
    /// Of versions that are indistinguishable to stores the newest is chosen, so that the stages between them are
    /// skipped.
    package func requireReachableStages() throws {
        guard versions.dropFirst().contains(where: \.stage.isRequired) else { return }
        let hashes = try versions.map { try $0.model().entityVersionHashesByName }
        for index in versions.indices.dropFirst() where versions[index].stage.isRequired {
            for newer in index..<versions.endIndex {
                guard let older = hashes[..<index].lastIndex(of: hashes[newer]) else { continue }
                throw StoreError(
                    .migrationFailed,
                    "The stage that migrates to version '\(versions[index].name)' would never run: '\(versions[older].name)' and '\(versions[newer].name)' have the same version hashes. Give the version a hash modifier, such as `.hashModifier(\"\(versions[newer].name)\")` on an attribute of '\(versions[newer].name)', or use an inferred stage."
                )
            }
        }
    }

    /// Rejects a store on a server that would have to go through a required stage, which only a file can do.
    ///
    /// A store of a version that the plan does not have is accepted: a newer program may have migrated it, and its tables may
    /// serve the versions of the plan too.
    func requireInferredStages(at location: StoreLocation) throws {
        guard let metadata = try location.serverMetadata() else { return }
        let found = try versions.indices.last {
            try versions[$0].model().isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata)
        }
        guard let found, let stage = versions.dropFirst(found + 1).first(where: \.stage.isRequired) else { return }
        throw StoreError(
            .migrationFailed,
            "The store at \(location) has the version '\(versions[found].name)'. The stage that migrates to version '\(stage.name)' has closures, which run over files only. Copy the store into a file with `sworm-tool copy`, open the file with the plan, and copy it to a new schema."
        )
    }

    private func unknownVersion(_ metadata: [String: Any], at url: URL) throws -> StoreError {
        let stored = metadata["NSStoreModelVersionHashes"] as? [String: Data] ?? [:]
        var closest: (name: String, differing: [String])?
        for version in versions {
            let own = try version.model().entityVersionHashesByName
            let names = Set(own.keys).union(stored.keys).filter { own[$0] != stored[$0] }.sorted()
            if names.count <= closest?.differing.count ?? .max { closest = (version.name, names) }
        }
        let hint =
            closest.map {
                " The closest version is '\($0.name)', from which these entities differ: \($0.differing.joined(separator: ", "))."
            }
            ?? ""
        return StoreError(
            .incompatibleModel,
            "The store '\(url.lastPathComponent)' has none of the versions of the plan.\(hint) A released version may have been changed, or a newer program may have written the store."
        )
    }
}

extension URL {
    /// Whether the URL denotes a store in memory.
    package var isDevNull: Bool { isFileURL && path == "/dev/null" }
}
