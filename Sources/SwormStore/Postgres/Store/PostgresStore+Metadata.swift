#if PostgreSQL
import Foundation
import SwormPostgres
import SwormRows

extension PostgresStore {
    package func updateMetadata(forKey key: String, _ change: (Any?) throws -> Any?) throws {
        try requireWritable()
        let token = InterruptToken()
        let lease = lease(try take(for: "save", token), isWriting: true)
        defer { lease.end() }
        let connection = try lease.beginUse()
        defer { lease.endUse() }
        try translating("save", token: token) {
            // The lock lets the transaction read what was committed last.
            try connection.begin(TransactionOptions(.readCommitted))
            guard let current = try storedMetadata(connection, isLocked: true) else {
                throw CoreDataError(NSPersistentStoreSaveError, "The store has no metadata to change.")
            }
            let new = try current.replacing(try change(current.dictionary[key]), forKey: key)
            try connection.commit(after: [try statement(writing: new)])
        }
    }

    /// Throws an error if the store cannot be written.
    func requireWritable() throws {
        guard let readOnlyReason else { return }
        throw CoreDataError(
            CocoaError.Code.fileWriteNoPermission.rawValue, "Cannot write: \(readOnlyReason).", condition: .readOnly)
    }

    /// Reads the metadata in the transaction of a connection, or returns nil if the store has none.
    ///
    /// - Parameter isLocked: Whether no other transaction may change them before the end of this one.
    func storedMetadata(_ connection: PostgresConnection, isLocked: Bool = false) throws -> StoreMetadata? {
        let result = try connection.run(
            "SELECT \"metadata\" FROM \(schema.prefix)\"_sworm\"\(isLocked ? " FOR NO KEY UPDATE" : "")")
        guard result.rowCount > 0, let bytes = try result.data(0, column: 0) else { return nil }
        return try StoreMetadata(identifier: identifier, propertyList: bytes, path: place)
    }

    /// Writes new metadata in the transaction of a connection. If they do not change the positions of consumers, those of
    /// the store are kept, and so is always the framework's part, because other programs may have changed them since the
    /// metadata were read.
    ///
    /// - Returns: The metadata that were written.
    @discardableResult
    func write(_ new: StoreMetadata, on connection: PostgresConnection) throws -> StoreMetadata {
        let key = StoreMetadata.Key.changeConsumers
        func positions(_ metadata: StoreMetadata?) -> NSDictionary? {
            (metadata?.dictionary[key] as? [String: Any]).map { $0 as NSDictionary }
        }
        var written = new
        let present = try storedMetadata(connection, isLocked: true)
        if positions(new) == positions(writtenMetadata), positions(present) != positions(new) {
            written = try new.replacing(present?.dictionary[key], forKey: key)
        }
        if let present, present.versionHashes != new.versionHashes {
            written = try present.replacingApplicationKeys(with: written.dictionary)
        }
        if written != new { adopt(written, insteadOf: new) }
        try connection.run(try statement(writing: written))
        return written
    }

    private func statement(writing metadata: StoreMetadata) throws -> SQLStatement {
        let parameters = Parameters()
        guard parameters.append(metadata.propertyList) else {
            throw CoreDataError(NSPersistentStoreSaveError, "The metadata are too long for the server.")
        }
        return SQLStatement("UPDATE \(schema.prefix)\"_sworm\" SET \"metadata\" = $1", with: parameters)
    }
}
#endif
