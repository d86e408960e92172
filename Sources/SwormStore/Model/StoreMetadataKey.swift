/// The keys of a store's metadata that identify the version of its model.
package enum StoreMetadataKey {
    package static let versionHashes = "NSStoreModelVersionHashes"
    package static let versionHashesDigest = "NSStoreModelVersionHashesDigest"
    package static let versionChecksum = "NSStoreModelVersionChecksumKey"
    package static let versionIdentifiers = "NSStoreModelVersionIdentifiers"
}
