import Foundation
import SwormSQLite

extension StoreConnection {
    func write(_ metadata: StoreMetadata) throws {
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
