import Foundation
import SwormSQLite

/// The first hundred bytes of a database file.
///
/// Only for a file that nobody has open in WAL mode (there is no `-shm`): closing the file here takes the locks away that
/// other connections of this process have on it, as POSIX has it.
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
                "The store “\(files.main)” cannot be read: \(error.localizedDescription)", cause: error)
        }
    }

    /// False for what is no database too; SQLite says so when it is opened.
    private var isDatabase: Bool { bytes.count == 100 && bytes.starts(with: "SQLite format 3\0".utf8) }

    /// Whether the database is in WAL mode.
    var usesLog: Bool { isDatabase && (bytes[18] == 2 || bytes[19] == 2) }

    /// Refuses a file that is shorter than it says. There must be no log that could complete it.
    ///
    /// SQLite finds missing pages by itself, but not the missing end of the last page.
    func refuseTruncation(of files: StoreFiles, size: Int64) throws {
        guard isDatabase else { return }
        let pageSize = Int64(bytes[16]) << 8 | Int64(bytes[17])
        // The number of pages only counts if it was written together with the last change.
        guard Array(bytes[24..<28]) == Array(bytes[92..<96]) else { return }
        let pages = bytes[28..<32].reduce(Int64(0)) { $0 << 8 | Int64($1) }
        let expected = pages * (pageSize == 1 ? 65536 : pageSize)
        guard size < expected else { return }
        throw CoreDataError(
            CocoaError.Code.fileReadCorruptFile.rawValue,
            "The store “\(files.main)” is cut off: it has \(size) of its \(expected) bytes. Restore it from a copy.",
            cause: SQLiteError(code: SQLiteError.corrupt, message: "the file is shorter than its header says"))
    }
}
