import CBenchSQLite
import Foundation
import Synchronization

/// Counts the statements that SQLite runs in this process, on any connection.
enum StatementCounter {
    /// The number of statements that select from tables of some names, in whatever case, while a closure runs. Only
    /// connections that are opened in it count.
    static func count(naming tables: [String], _ work: () throws -> Void) throws -> Int {
        texts.withLock { $0 = [] }
        // SQLite calls it with three arguments, although its type has none.
        let attach = unsafeBitCast(traceConnection, to: (@convention(c) () -> Void).self)
        guard sqlite3_auto_extension(attach) == SQLITE_OK else { throw Failure("SQLite traces nothing here.") }
        defer { sqlite3_cancel_auto_extension(attach) }
        try work()
        return texts.withLock { texts in
            texts.count { text in
                let words = text.lowercased().split { !$0.isLetter && $0 != "_" }
                return words.first.map { $0 == "select" || $0 == "with" } ?? false
                    && words.contains { tables.contains(String($0)) }
            }
        }
    }
}

private let texts = Mutex<[String]>([])

private let traceConnection:
    @convention(c) (OpaquePointer?, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, UnsafeRawPointer?) -> Int32 =
        { connection, _, _ in
            sqlite3_trace_v2(
                connection, UInt32(SQLITE_TRACE_STMT),
                { _, _, _, text in
                    if let text {
                        let text = String(cString: text.assumingMemoryBound(to: CChar.self))
                        texts.withLock { $0.append(text) }
                    }
                    return 0
                }, nil)
        }
