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

    /// Replaces the application's part of the metadata of a store, which may have been written with any model.
    ///
    /// - Throws: ``CoreDataError`` if there is no store that can be written, or a property list cannot represent a
    ///   value.
    static func setMetadata(_ metadata: [String: Any], of url: URL, options: StoreOptions) throws {
        let files = StoreFiles(url: url, disk: options.disk)
        let inspection = try inspect(files, largestCopy: options.largestInspectionCopy, options: options).inspection
        if let table = inspection.mirroringTable, !options.writesMirroredStores {
            throw CoreDataError(
                NSPersistentStoreOperationError,
                "The metadata of the store '\(files.main)' cannot be set: it is mirrored to CloudKit (it has the table \(table)). To set them anyway, use the option \(SwormWritesMirroredStoresOption)."
            )
        }
        try checkWritable(files)
        try CoreDataError.translating(while: "save", path: files.main) {
            let connection = try connect(files, options: options, access: .readWrite)
            try connection.base.transaction(.immediate) {
                guard let bytes = try connection.metadataBytes() else {
                    throw CoreDataError(NSPersistentStoreSaveError, "The store has no metadata to change.")
                }
                let current = try StoreMetadata(
                    identifier: inspection.metadata.identifier, propertyList: bytes, path: files.main)
                try connection.write(try current.replacingApplicationKeys(with: metadata))
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
