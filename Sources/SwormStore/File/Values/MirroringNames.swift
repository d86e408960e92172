/// The names that belong to Core Data's mirroring.
enum MirroringNames {
    private static let delegate = "NSCloudKitMirroringDelegate"
    private static let metadata = "PFCloudKit"

    /// The keys of the mirroring's own table of metadata.
    enum Entry {
        /// The archived token of the last transaction that was exported.
        static let historyToken = "NSCloudKitMirroringDelegateLastHistoryTokenKey"
        /// The name of the user's record, which is personal.
        static let userRecord = "NSCloudKitMirroringDelegateCKIdentityRecordNameDefaultsKey"
    }

    /// The key in a store's metadata with which a migration asks the mirroring to fetch every zone again.
    static let zoneFetchAfterMigration = "PFCloudKitMetadataNeedsZoneFetchAfterClientMigrationKey"

    /// Returns whether an author or the name of a context marks transactions of the mirroring itself, such as
    /// `NSCloudKitMirroringDelegate.import`. Such transactions are not uploaded.
    static func isOwn(author name: String) -> Bool { name.hasPrefix(delegate + ".") }

    /// Returns whether a key of a store's metadata is the mirroring's. An application cannot replace its value.
    static func isOwn(metadataKey key: String) -> Bool { key.hasPrefix(metadata) || key.hasPrefix(delegate) }

    /// Returns whether the owner of a zone is the account that is signed in, whoever that is.
    static func isUser(zoneOwner name: String) -> Bool { name == "__defaultOwner__" }
}
