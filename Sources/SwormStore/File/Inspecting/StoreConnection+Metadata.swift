import Foundation
import SwormSQLite

extension StoreConnection {
    /// Writes the metadata of the store, except for the positions of consumers, which other processes may have changed
    /// since the metadata were read.
    func write(_ metadata: StoreMetadata) throws {
        let key = StoreMetadata.Key.changeConsumers
        let consumers = try metadataValue(forKey: key)
        let isChanged = consumers != nil || metadata.dictionary[key] != nil
        try writeAll(isChanged ? metadata.replacing(consumers, forKey: key) : metadata)
    }

    func writeAll(_ metadata: StoreMetadata) throws {
        try run("UPDATE Z_METADATA SET Z_PLIST = ?", binding: [.blob(metadata.propertyList)])
    }

    /// Returns a value of the metadata in the file.
    func metadataValue(forKey key: String) throws -> Any? {
        guard let bytes = try metadataBytes() else { return nil }
        return try StoreMetadata(identifier: "", propertyList: bytes).dictionary[key]
    }

    func metadataBytes() throws -> Data? {
        var bytes: Data?
        try rows("SELECT Z_PLIST FROM Z_METADATA LIMIT 1") { row in
            if case .blob(let data) = row.storedValue(0) { bytes = data }
        }
        return bytes
    }
}
