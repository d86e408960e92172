public import Foundation
import SwormStore

extension NSManagedObjectModel {
    /// The version hashes of the model's entities by their names.
    public var entityVersionHashesByName: [String: Data] {
        storeHashes
            ?? Dictionary(
                VersionHash.entities(entities).map { ($0.name ?? "", $1) }, uniquingKeysWith: { first, _ in first })
    }

    /// The checksum of the model's version hashes, as Base64.
    public var versionChecksum: String { VersionHash.checksum(of: entityVersionHashesByName) }

    /// The digest of the model's entity names and version hashes, as stored in a store's metadata, as Base64.
    package var versionHashesDigest: String { VersionHash.digest(of: entityVersionHashesByName) }

    /// Returns whether a store was written with the entities of a configuration in this version.
    ///
    /// - Parameters:
    ///   - configuration: The configuration's name; nil for all entities.
    ///   - metadata: The store's metadata.
    /// - Returns: Whether both have the same entities with the same version hashes.
    public func isConfiguration(withName configuration: String?, compatibleWithStoreMetadata metadata: [String: Any])
        -> Bool
    {
        guard let hashes = metadata[StoreMetadataKey.versionHashes] as? [String: Data],
            let members = entities(forConfigurationName: configuration)
        else { return false }
        let own = entityVersionHashesByName
        let names = Set(members.compactMap(\.name))
        return own.filter { names.contains($0.key) } == hashes
    }
}
