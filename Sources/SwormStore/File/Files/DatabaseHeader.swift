import Foundation
import SwormSQLite

/// The first hundred bytes of a database file.
///
/// Use it only for a file that no connection has open in WAL mode (there is no `-shm`): POSIX requires that closing the
/// file here releases the locks that other connections of this process have on it. A file that SQLite does not
/// recognize as a database has no such connections either.
struct DatabaseHeader {
    private let bytes: [UInt8]

    init(_ files: StoreFiles) throws {
        do {
            let handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: files.main))
            defer { try? handle.close() }
            bytes = try Array(handle.read(upToCount: 100) ?? Data())
        } catch {
            throw CoreDataError(
                CocoaError.Code.fileReadNoPermission.rawValue,
                "The store '\(files.main)' cannot be read: \(error.localizedDescription)", cause: error)
        }
    }

    /// Whether the bytes are the header of a database. SQLite reports any other file when it opens it.
    private var isDatabase: Bool { bytes.count == 100 && bytes.starts(with: "SQLite format 3\0".utf8) }

    /// Whether the database is in WAL mode.
    var usesLog: Bool { isDatabase && (bytes[18] == 2 || bytes[19] == 2) }

    /// A description of a value in the header that SQLite cannot handle, or nil if the header is valid or the file does
    /// not start like a database.
    var damage: String? {
        guard isDatabase else { return nil }
        let pageSize = Int(bytes[16]) << 8 | Int(bytes[17])
        // The value 1 represents 65536, which does not fit into two bytes.
        guard pageSize == 1 || (512...32768).contains(pageSize) && pageSize & (pageSize - 1) == 0 else {
            return "the page size \(pageSize) is invalid (bytes 16 and 17)"
        }
        guard bytes[18] <= 2, bytes[19] <= 2 else {
            return "the format versions \(bytes[18]) and \(bytes[19]) are unknown (bytes 18 and 19)"
        }
        guard bytes[21] == 64, bytes[22] == 32, bytes[23] == 32 else {
            return "three bytes that are the same in every database are different (bytes 21 to 23)"
        }
        guard pageSize == 1 || pageSize - Int(bytes[20]) >= 480 else {
            return "it reserves \(bytes[20]) bytes of each page, which is too much (byte 20)"
        }
        return nil
    }

    /// Throws an error if the file is shorter than its header states. There must be no log that could complete it.
    ///
    /// SQLite detects missing pages itself, but not that the end of the last page is missing.
    func refuseTruncation(of files: StoreFiles, size: Int64) throws {
        guard isDatabase else { return }
        let pageSize = Int64(bytes[16]) << 8 | Int64(bytes[17])
        // The number of pages is valid only if it was written together with the last change.
        guard Array(bytes[24..<28]) == Array(bytes[92..<96]) else { return }
        let pages = bytes[28..<32].reduce(Int64(0)) { $0 << 8 | Int64($1) }
        let expected = pages * (pageSize == 1 ? 65536 : pageSize)
        guard size < expected else { return }
        throw CoreDataError(
            CocoaError.Code.fileReadCorruptFile.rawValue,
            "The store '\(files.main)' is truncated: it has \(size) of its \(expected) bytes. Restore it from a backup.",
            cause: SQLiteError(code: SQLiteError.corrupt, message: "the file is shorter than its header says"))
    }
}
