import Foundation
import SwormSQLite
import TestSupport
import SwormRows

/// The content of a store as plain SQL gives it: tables, rows, schema and metadata, without any model.
struct PlainStore {
    enum Cell: Hashable {
        case null
        case integer(Int64)
        case real(Double)
        case text(String)
        case blob(Data)

        var integer: Int64? {
            if case .integer(let value) = self { value } else { nil }
        }
    }

    struct Item: Hashable {
        var type: String
        var name: String
        var table: String
        var sql: String
    }

    typealias Row = [String: Cell]

    /// The columns of each table, in their order.
    private(set) var tables: [String: [String]] = [:]
    private(set) var rows: [String: [Row]] = [:]
    /// What `sqlite_master` says, in its order, without the indexes that SQLite makes by itself.
    private(set) var schema: [Item] = []
    private(set) var pragmas: [String: String] = [:]
    private(set) var identifier = ""
    private(set) var metadata: [String: Any] = [:]
    /// Where external data is.
    var externalData: URL?

    /// Reads a copy, so that SQLite writes nothing beside the file itself.
    init(copyOf url: URL) throws {
        let folder = try StoreFolder()
        let copy = try Fixtures.copy(url, to: folder.url(""))
        let connection = try Connection(.file(path: copy.path))
        let name = url.deletingPathExtension().lastPathComponent
        externalData = url.deletingLastPathComponent().appendingPathComponent(".\(name)_SUPPORT/_EXTERNAL_DATA")
        for line in try Self.read("SELECT type, name, tbl_name, sql FROM sqlite_master", connection) {
            guard case .text(let sql)? = line["sql"], case .text(let type)? = line["type"],
                case .text(let name)? = line["name"], case .text(let table)? = line["tbl_name"]
            else { continue }
            schema.append(Item(type: type, name: name, table: table, sql: sql))
            guard type == "table", !sql.hasPrefix("CREATE VIRTUAL") else { continue }
            let columns = try Self.read("PRAGMA table_info(\"\(name)\")", connection)
            tables[name] = columns.compactMap {
                if case .text(let column)? = $0["name"] { column } else { nil }
            }
            rows[name] = try Self.read("SELECT * FROM \"\(name)\"", connection)
        }
        for pragma in ["integrity_check", "auto_vacuum", "page_size", "user_version", "application_id", "journal_mode"]
        {
            pragmas[pragma] = try connection.lines("PRAGMA \(pragma)").joined(separator: "\n")
        }
        guard let row = rows["Z_METADATA"]?.first else { return }
        if case .text(let text)? = row["Z_UUID"] { identifier = text }
        if case .blob(let data)? = row["Z_PLIST"] {
            let list = try PropertyListSerialization.propertyList(from: data, options: [], format: nil)
            metadata = list as? [String: Any] ?? [:]
        }
    }

    private static func read(_ sql: String, _ connection: Connection) throws -> [Row] {
        var statement = try connection.statement(sql)
        var rows: [Row] = []
        while try statement.step() {
            var row: Row = [:]
            for column in 0..<statement.columnCount {
                row[statement.columnName(column)] =
                    switch statement.type(column) {
                    case .null: .null
                    case .integer: .integer(statement.int64(column))
                    case .real: .real(statement.double(column))
                    case .text: .text(statement.text(column) ?? "")
                    case .blob: .blob(statement.data(column) ?? Data())
                    }
            }
            rows.append(row)
        }
        return rows
    }

    /// The framework's version in the metadata: which era the schema is of.
    var frameworkVersion: Int { metadata["NSPersistenceFrameworkVersion"] as? Int ?? 0 }
}
