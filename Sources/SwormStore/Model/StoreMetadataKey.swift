/// The keys of a store's metadata that identify the version of its model.
package enum StoreMetadataKey {
    package static let versionHashes = "NSStoreModelVersionHashes"
    static let versionHashesDigest = "NSStoreModelVersionHashesDigest"
    static let versionChecksum = "NSStoreModelVersionChecksumKey"
    static let versionIdentifiers = "NSStoreModelVersionIdentifiers"
}
