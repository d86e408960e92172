import Foundation
import SwormSQLite

/// What an application may have added to a store for itself.
enum ForeignContent {
    static func add(to url: URL) throws {
        let plain = try PlainStore(copyOf: url)
        let connection = try Connection(.file(path: url.path))
        try connection.execute("CREATE TABLE APP_NOTES (id INTEGER PRIMARY KEY, note TEXT NOT NULL, extra BLOB)")
        try connection.execute("INSERT INTO APP_NOTES VALUES (7, 'kept', X'00FF'), (9, 'too', NULL)")
        for (table, columns) in plain.tables where columns.contains("Z_OPT") {
            try connection.execute("ALTER TABLE \(table) ADD COLUMN APP_EXTRA VARCHAR DEFAULT 'as it was'")
            try connection.execute("CREATE INDEX APP_\(table)_INDEX ON \(table) (APP_EXTRA)")
        }
        var metadata = plain.metadata
        metadata["AppKey"] = ["nested": [1, 2.5, "three", Data([4])], "date": Date(timeIntervalSinceReferenceDate: 5)]
        let list = try PropertyListSerialization.data(fromPropertyList: metadata, format: .binary, options: 0)
        var statement = try connection.statement("UPDATE Z_METADATA SET Z_PLIST = ?")
        try statement.bind(list, at: 1)
        try statement.run()
    }
}
