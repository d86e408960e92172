package import Foundation

/// The metadata of a store: its identifier and the property list stored with it.
///
/// The list is stored as the bytes from the file, so that keys of other programs are written back unchanged.
package struct StoreMetadata: Sendable, Hashable {
    package enum Key {
        static let type = "NSStoreType"
        static let identifier = "NSStoreUUID"
        package static let frameworkVersion = "NSPersistenceFrameworkVersion"
        package static let versionHashes = "NSStoreModelVersionHashes"
        static let versionHashesVersion = "NSStoreModelVersionHashesVersion"
        package static let versionIdentifiers = "NSStoreModelVersionIdentifiers"
        static let autoVacuumLevel = "_NSAutoVacuumLevel"
        static let digest = "NSStoreModelVersionHashesDigest"
        package static let checksum = "NSStoreModelVersionChecksumKey"
        static let ancillaryHashes = "_NSStoreAncillaryModelVersionHashesMetadataKey"
        static let maximumFrameworkVersion = "NSPersistenceMaximumFrameworkVersion"
        /// The positions of the named consumers of the history. Several processes change them concurrently.
        package static let changeConsumers = "SwormChangeConsumers"
    }

    /// The keys that belong to the framework. An application's own metadata cannot replace them.
    package static let frameworkKeys: Set<String> = [
        Key.type, Key.identifier, Key.frameworkVersion, Key.versionHashes, Key.versionHashesVersion,
        Key.versionIdentifiers, Key.autoVacuumLevel, Key.digest, Key.checksum, Key.ancillaryHashes,
        Key.maximumFrameworkVersion,
    ]

    static let sqliteType = "SQLite"
    static let inMemoryType = "InMemory"
    static let postgresType = "PostgreSQL"
    /// The framework version that identifies the format of the files that this library writes.
    static let writtenFrameworkVersion = 1522

    /// The UUID string, in uppercase.
    package let identifier: String
    /// The dictionary as a binary property list.
    private(set) var propertyList: Data
    /// The version hashes of the model that the store was written with, by entity name.
    package let versionHashes: [String: Data]

    /// Reads the metadata of a file.
    ///
    /// - Parameter path: The path of the file, for the error message.
    /// - Throws: ``CoreDataError`` if the bytes are not a dictionary.
    init(identifier: String, propertyList: Data, path: String? = nil) throws {
        let dictionary = try Self.dictionary(propertyList, path: path)
        self.identifier = identifier
        self.propertyList = propertyList
        versionHashes = dictionary[Key.versionHashes] as? [String: Data] ?? [:]
    }

    /// Returns the metadata of a file that has none.
    static func silent(_ identifier: String) throws -> StoreMetadata {
        try StoreMetadata(identifier: identifier, propertyList: try bytes([:]))
    }

    /// Creates the metadata of a new store. Equal stores have equal bytes.
    init(newStoreOf type: String, model: CompiledModel, identifier: UUID = UUID()) {
        self.identifier = identifier.uuidString
        versionHashes = model.versionHashes
        var dictionary: [String: PropertyListValue] = [
            Key.type: .string(type),
            Key.frameworkVersion: .int(Int64(Self.writtenFrameworkVersion)),
            Key.versionHashes: .dictionary(model.versionHashes.mapValues { .data($0) }),
            Key.versionHashesVersion: .int(3),
            Key.versionIdentifiers: .array(model.versionIdentifiers.map { .string($0) }),
            Key.digest: .string(VersionHash.digest(of: model.versionHashes)),
            Key.checksum: .string(VersionHash.checksum(of: model.versionHashes)),
        ]
        if type == Self.sqliteType { dictionary[Key.autoVacuumLevel] = .string("2") }
        propertyList = BinaryPropertyListWriter.data(.dictionary(dictionary))
    }

    /// The whole dictionary with the identifier, as Core Data returns it.
    package var dictionary: [String: Any] {
        // The bytes were read successfully before, so this cannot fail; an empty dictionary would do no harm.
        var dictionary = (try? Self.dictionary(propertyList)) ?? [:]
        dictionary[Key.identifier] = identifier
        return dictionary
    }

    /// Returns the metadata with the application's keys replaced.
    ///
    /// - Throws: ``CoreDataError`` with the key of a value that no property list can represent.
    func replacingApplicationKeys(with new: [String: Any]) throws -> StoreMetadata {
        var result = try Self.dictionary(propertyList).filter { Self.isReserved($0.key) }
        for (key, value) in new where !Self.isReserved(key) {
            guard PropertyListSerialization.propertyList(value, isValidFor: .binary) else {
                throw CoreDataError(
                    NSPersistentStoreSaveError,
                    "The metadata value for '\(key)' cannot be stored. Use strings, numbers, dates, data, and arrays and dictionaries of these.",
                    key: key)
            }
            result[key] = value
        }
        return try replacing(result)
    }

    /// Returns whether a key belongs to the framework, or to its mirroring.
    private static func isReserved(_ key: String) -> Bool {
        frameworkKeys.contains(key) || MirroringNames.isOwn(metadataKey: key)
    }

    /// Returns the metadata with one of the application's values replaced, or removed if it is nil.
    ///
    /// - Throws: ``CoreDataError`` with the key if a property list cannot represent the value.
    func replacing(_ value: Any?, forKey key: String) throws -> StoreMetadata {
        var values = dictionary
        values[key] = value
        return try replacingApplicationKeys(with: values)
    }

    private func replacing(_ dictionary: [String: Any]) throws -> StoreMetadata {
        var copy = self
        copy.propertyList = try Self.bytes(dictionary)
        do {
            // A store cannot be opened if its metadata exceeds the limits for reading.
            _ = try PropertyList.dictionary(copy.propertyList)
        } catch {
            throw CoreDataError(
                NSPersistentStoreSaveError,
                "The metadata cannot be stored, because it could not be read back: \(error).",
                cause: error)
        }
        return copy
    }

    /// Returns the metadata of the store after its migration. Keys that do not concern the model are unchanged.
    ///
    /// - Parameter isMirrored: Whether Core Data mirrors the store. Like its own migration, the result then requests a
    ///   fetch of every zone, because the server may have values of the new properties.
    func migrated(to model: CompiledModel, isMirrored: Bool = false) throws -> StoreMetadata {
        var dictionary = try Self.dictionary(propertyList)
        if isMirrored { dictionary[MirroringNames.zoneFetchAfterMigration] = [String: Any]() }
        for (key, value) in StoreMetadata(newStoreOf: Self.sqliteType, model: model).dictionary
        where key != Key.identifier {
            dictionary[key] = value
        }
        return try StoreMetadata(identifier: identifier, propertyList: try Self.bytes(dictionary))
    }

    /// Returns the metadata of a new store with the same content.
    ///
    /// - Parameter type: The type of the new store.
    func renewed(as type: String) throws -> StoreMetadata {
        var dictionary = try Self.dictionary(propertyList)
        if dictionary[Key.type] as? String != type {
            dictionary[Key.type] = type
            dictionary[Key.autoVacuumLevel] = type == Self.sqliteType ? "2" : nil
        }
        return try StoreMetadata(identifier: UUID().uuidString, propertyList: try Self.bytes(dictionary))
    }

    private static func dictionary(_ bytes: Data, path: String? = nil) throws -> [String: Any] {
        let owner = path.map { "The metadata of the store '\($0)'" } ?? "The metadata of the store"
        do {
            if let dictionary = try PropertyList.dictionary(bytes) { return dictionary }
        } catch {
            throw CoreDataError(
                NSPersistentStoreIncompatibleSchemaError,
                "\(owner) (Z_PLIST in the table Z_METADATA) is damaged. It is not a property list: \(error).",
                cause: error)
        }
        throw CoreDataError(
            NSPersistentStoreIncompatibleSchemaError,
            "\(owner) (Z_PLIST in the table Z_METADATA) is damaged. It is a property list, but not a dictionary.")
    }

    private static func bytes(_ dictionary: [String: Any]) throws -> Data {
        do {
            return try PropertyListSerialization.data(fromPropertyList: dictionary, format: .binary, options: 0)
        } catch {
            throw CoreDataError(NSPersistentStoreSaveError, "The store's metadata cannot be written.", cause: error)
        }
    }
}
