import Foundation
import SwormSQLite

/// The tables in which Core Data tracks the mirroring of a store to CloudKit, as they are in a file.
///
/// Core Data changes these tables in place from one version to the next, so every column is looked up by its name. A fact
/// whose column is missing is unknown.
package struct MirroringTables: Sendable {
    /// A table that is read. The raw value is its name without the prefix of its generation.
    enum Kind: String, CaseIterable, Sendable {
        case record = "RECORDMETADATA"
        case event = "EVENT"
        case entry = "METADATAENTRY"
        case database = "DATABASEMETADATA"
        case zone = "RECORDZONEMETADATA"
        case relationship = "MIRROREDRELATIONSHIP"
        case moveReceipt = "RECORDZONEMOVERECEIPT"
        case zoneQuery = "RECORDZONEQUERY"
        case analyzerState = "HISTORYANALYZERSTATE"
        case systemFields = "RECORDMETADATASYSTEMFIELDSASSET"
    }

    /// The names of all tables, without their prefix.
    private static let known: Set<String> = [
        "DATABASEMETADATA", "EVENT", "EXPORTEDOBJECT", "EXPORTMETADATA", "EXPORTOPERATION", "HISTORYANALYZERSTATE",
        "IMPORTOPERATION", "IMPORTPENDINGRELATIONSHIP", "METADATAENTRY", "MIRROREDRELATIONSHIP",
        "MIRROREDRELATIONSHIPSYSTEMFIELDSASSET", "RECORDMETADATA", "RECORDMETADATAENCODEDRECORDASSET",
        "RECORDMETADATASYSTEMFIELDSASSET", "RECORDZONEMETADATA", "RECORDZONEMETADATAENCODEDSHAREASSET",
        "RECORDZONEMOVERECEIPT", "RECORDZONEQUERY",
    ]
    private static let prefix = "ANSCK"
    /// The prefix of the first generation, which is also that of an entity's table. Therefore, only known names count.
    private static let formerPrefix = "ZNSCK"

    /// The columns of each table, by the table's name.
    let columns: [String: Set<String>]

    /// Reads the tables of a file.
    ///
    /// - Returns: Nil if the store is not mirrored.
    init?(_ connection: StoreConnection) throws {
        var columns: [String: Set<String>] = [:]
        try connection.rows(
            """
            SELECT t.name, c.name FROM sqlite_master AS t JOIN pragma_table_info(t.name) AS c \
            WHERE t.type = 'table' AND t.sql NOT LIKE 'CREATE VIRTUAL%' AND substr(t.name, 2, 4) = 'NSCK'
            """
        ) { row in
            guard let table = row.text(0), Self.contains(table), let column = row.text(1) else { return }
            columns[table, default: []].insert(column)
        }
        guard !columns.isEmpty else { return nil }
        self.columns = columns
    }

    /// Returns the first of the tables of the mirroring; nil if the store is not mirrored. Only the schema is read, so a
    /// store without valid metadata has an answer as well.
    static func first(on connection: StoreConnection) throws -> String? {
        var first: String?
        try connection.rows(
            """
            SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' \
            AND substr(name, 2, 4) = 'NSCK' ORDER BY name
            """
        ) { row in
            if first == nil, let table = row.text(0), contains(table) { first = table }
        }
        return first
    }

    /// Returns the first of the tables of the mirroring in a file that may be damaged otherwise; nil if the store is not
    /// mirrored, or its schema cannot be read because the file is damaged. The file is not changed.
    ///
    /// - Throws: ``CoreDataError`` if the file cannot be read for another reason.
    package static func first(in files: StoreFiles) throws -> String? {
        guard let stamp = FileStamp(path: files.main), stamp.size > 0 else { return nil }
        do {
            return try CoreDataError.translating(while: "open", path: files.main) { () throws -> String? in
                let access = try ReadOnlyAccess(files: files, isWatched: false)
                return try withExtendedLifetime(access) {
                    try first(on: StoreConnection(access.connect(timeout: 0, cacheSizeKiB: 64)))
                }
            }
        } catch let error as CoreDataError where error.errorCode == CocoaError.Code.fileReadCorruptFile.rawValue {
            return nil
        }
    }

    /// Returns whether a table is one of the mirroring's.
    package static func contains(_ table: String) -> Bool {
        table.hasPrefix(prefix)
            || (table.hasPrefix(formerPrefix) && known.contains(String(table.dropFirst(formerPrefix.count))))
    }

    /// Returns the name of a table, quoted for SQL; nil if the file does not have the table with all these columns.
    func table(_ kind: Kind, with needed: [String] = []) -> String? {
        guard let name = name(kind), let present = columns[name], present.isSuperset(of: needed) else { return nil }
        return SQLName.alwaysQuoted(name)
    }

    /// Returns whether a table has a column.
    func has(_ column: String, in kind: Kind) -> Bool { table(kind, with: [column]) != nil }

    /// Returns the name of a table; nil if the file does not have it.
    func name(_ kind: Kind) -> String? {
        [Self.prefix, Self.formerPrefix].map { $0 + kind.rawValue }.first { columns[$0] != nil }
    }
}
