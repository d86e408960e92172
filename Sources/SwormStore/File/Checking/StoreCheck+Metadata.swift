import Foundation
import SwormSQLite

extension StoreCheck {
    /// Checks the metadata of the store and the records of its entities.
    func checkMetadata(_ metadata: StoreMetadata) throws {
        let rows = try connection.integer("SELECT count(*) FROM Z_METADATA") ?? 0
        if rows != 1 { issues.append(StoreIssue(.metadata, "Z_METADATA has \(rows) rows instead of one")) }
        if UUID(uuidString: metadata.identifier) == nil {
            issues.append(
                StoreIssue(.metadata, "the store's identifier is not a UUID: \(metadata.identifier.prefix(40))"))
        }
        let dictionary = metadata.dictionary
        let stated = [
            (StoreMetadata.Key.digest, VersionHash.digest(of: metadata.versionHashes)),
            (StoreMetadata.Key.checksum, VersionHash.checksum(of: metadata.versionHashes)),
        ]
        // Both were introduced later than the hashes, so an old store has neither.
        for (key, expected) in stated {
            guard let found = dictionary[key], found as? String != expected else { continue }
            issues.append(StoreIssue(.digest, "\(key) does not match the version hashes"))
        }
        var records: [Int64: (name: String?, superentity: Int64)] = [:]
        try connection.rows("SELECT Z_ENT, Z_NAME, Z_SUPER FROM Z_PRIMARYKEY") {
            records[$0.int64(0)] = ($0.text(1), $0.int64(2))
        }
        for entity in model.entities {
            guard let record = records[Int64(entity.number)] else {
                // A root without a record also has no highest key, which is reported elsewhere.
                if entity.number != entity.root {
                    issues.append(
                        StoreIssue(.entityRecord, "\(entity.name): no row in Z_PRIMARYKEY", entity: entity.name))
                }
                continue
            }
            if record.superentity != Int64(entity.superentity ?? 0) {
                issues.append(
                    StoreIssue(
                        .entityRecord,
                        "\(entity.name): Z_SUPER is \(record.superentity), and should be \(entity.superentity ?? 0)",
                        entity: entity.name))
            }
            if record.name != entity.name {
                issues.append(
                    StoreIssue(
                        .staleName, "\(entity.name): Z_PRIMARYKEY has the name \(record.name ?? "NULL")",
                        severity: .warning, entity: entity.name))
            }
        }
    }
}
