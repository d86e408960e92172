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
                    try connection.writeAll(current.replacing(value, forKey: key))
                    try open.pool.checkFile()
                }
            }
        }
    }
}
