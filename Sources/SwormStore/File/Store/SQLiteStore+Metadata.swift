import Foundation
import SwormSQLite

extension SQLiteStore {
    package func updateMetadata(forKey key: String, _ change: (Any?) throws -> Any?) throws {
        let (open, watch) = try writableFiles()
        try translating("save") {
            try open.pool.withWriter(watch: watch) { connection in
                try connection.base.transaction(.immediate) {
                    guard let bytes = try connection.metadataBytes() else {
                        throw CoreDataError(NSPersistentStoreSaveError, "The store has no metadata to change.")
                    }
                    let current = try StoreMetadata(identifier: identifier, propertyList: bytes, path: open.path)
                    let value = try change(current.dictionary[key])
                    try connection.write(current.replacing(value, forKey: key))
                    try open.pool.checkFile()
                }
            }
        }
    }

    /// Writes new metadata. If they do not change the positions of consumers, those of the file are kept, because other
    /// processes may have changed them since the metadata were read.
    func write(_ new: StoreMetadata, on connection: StoreConnection) throws {
        let key = StoreMetadata.Key.changeConsumers
        func positions(_ value: Any?) -> NSDictionary? { (value as? [String: Any]).map { $0 as NSDictionary } }
        let isChanged = positions(new.dictionary[key]) != positions(writtenMetadata.dictionary[key])
        let present = isChanged ? nil : try connection.metadataValue(forKey: key)
        let isOther = !isChanged && positions(present) != positions(new.dictionary[key])
        try connection.write(isOther ? new.replacing(present, forKey: key) : new)
    }
}
