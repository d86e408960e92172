import CSwormSQLite
import Foundation

extension Connection {
    static func open(_ location: Location, options: Options) throws -> OpaquePointer {
        var flags = SQLITE_OPEN_NOMUTEX
        let name: String
        switch location {
        case .memory:
            name = ":memory:"
            flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MEMORY
        case .file(let path):
            guard !path.isEmpty, !path.utf8.contains(0) else {
                throw SQLiteError(
                    code: SQLITE_CANTOPEN, message: "a database path must not be empty or contain a NUL character")
            }
            switch options.access {
            case .readOnly: flags |= SQLITE_OPEN_READONLY
            case .readWrite: flags |= SQLITE_OPEN_READWRITE
            case .readWriteCreate: flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
            }
            if options.isImmutable {
                flags |= SQLITE_OPEN_URI
                name = immutableName(ofFile: path)
            } else {
                name = plainName(ofFile: path)
            }
        }
        var pointer: OpaquePointer?
        let code = sqlite3_open_v2(name, &pointer, flags, options.fileSystem)
        guard code == SQLITE_OK, let pointer else {
            // SQLite returns a connection even if it cannot open the file, because the connection holds the error
            // message.
            let extended = pointer.map { sqlite3_extended_errcode($0) } ?? code
            let reason = SQLiteError(extended, on: pointer)
            sqlite3_close_v2(pointer)
            throw openingFailure(reason, at: location)
        }
        return pointer
    }

    /// Returns the error with the path in its message, and without SQL that the caller did not write.
    static func openingFailure(_ error: any Error, at location: Location) -> any Error {
        guard let error = error as? SQLiteError, case .file(let path) = location else { return error }
        var isFolder: ObjCBool = false
        // In read-only mode, SQLite opens a folder and then fails to read it.
        if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue {
            return SQLiteError(code: SQLITE_CANTOPEN, message: "a folder is not a database: '\(path)'")
        }
        return SQLiteError(code: error.extendedCode, message: "\(error.message): \(path)")
    }

    static func configure(_ pointer: OpaquePointer, options: Options) throws {
        sqlite3_extended_result_codes(pointer, 1)
        // A file may contain views and triggers of unknown origin. They may only call SQLite's harmless functions.
        try execute("PRAGMA trusted_schema = OFF", on: pointer)
        try execute("PRAGMA cell_size_check = ON", on: pointer)
        // This mode also covers the shared memory of a WAL only if it is set before the first access.
        if options.isExclusive { try execute("PRAGMA locking_mode = EXCLUSIVE", on: pointer) }
        // The next two statements load the schema, so a file that is not a database is detected here.
        let size = max(0, min(options.cacheSizeKiB, Int(Int32.max)))
        try execute("PRAGMA cache_size = \(size == 0 ? 1 : -size)", on: pointer)
        try execute("PRAGMA synchronous = \(options.synchronous.rawValue)", on: pointer)
        try execute("PRAGMA schema_version", on: pointer)
    }

    static func execute(_ sql: String, on pointer: OpaquePointer) throws {
        guard !sql.utf8.contains(0) else {
            throw SQLiteError(code: SQLITE_MISUSE, message: "an SQL string must not contain a NUL character", sql: sql)
        }
        try sql.withCString { text in
            var rest: UnsafePointer<CChar>? = text
            while let start = rest, start.pointee != 0 {
                var statement: OpaquePointer?
                var code = sqlite3_prepare_v3(pointer, start, -1, 0, &statement, &rest)
                guard code == SQLITE_OK else { throw SQLiteError(code, on: pointer, sql: String(cString: start)) }
                // Comments and blank text do not compile to a statement.
                guard let statement else { continue }
                defer { sqlite3_finalize(statement) }
                repeat { code = sqlite3_step(statement) } while code == SQLITE_ROW
                guard code == SQLITE_DONE else {
                    let failed = sqlite3_sql(statement).map { String(cString: $0) }
                    throw SQLiteError(
                        code, on: pointer, sql: failed?.trimmingCharacters(in: .whitespacesAndNewlines))
                }
            }
        }
    }

    /// Returns a name that SQLite interprets as a path, even if it starts like one of SQLite's special names.
    private static func plainName(ofFile path: String) -> String {
        path.hasPrefix(":") || path.hasPrefix("file:") ? "./" + path : path
    }

    private static func immutableName(ofFile path: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var bytes = Array((path.hasPrefix("/") ? "file://" : "file:").utf8)
        for byte in path.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."), UInt8(ascii: "-"),
                UInt8(ascii: "_"):
                bytes.append(byte)
            default:
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self) + "?immutable=1"
    }
}
