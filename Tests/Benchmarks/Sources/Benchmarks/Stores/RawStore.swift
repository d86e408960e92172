import CBenchSQLite
import Foundation

/// A store's file, read and written by hand through SQLite's C interface: what the library is compared with.
///
/// It has the settings that the library uses too: no mutexes, a write-ahead log, 16 MB of page cache.
final class RawStore {
    private let database: OpaquePointer
    /// Prepared statements, kept for their next use.
    private var statements: [String: RawStatement] = [:]

    init(_ url: URL) throws {
        var database: OpaquePointer?
        let code = sqlite3_open_v2(url.path, &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nil)
        guard code == SQLITE_OK, let database else { throw Failure("SQLite cannot open \(url.path): \(code).") }
        self.database = database
        sqlite3_busy_timeout(database, 5000)
        try run("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -16384")
    }

    deinit {
        statements = [:]
        sqlite3_close_v2(database)
    }

    func run(_ sql: String) throws {
        guard sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK else { throw error(sql) }
    }

    func statement(_ sql: String) throws -> RawStatement {
        if let known = statements[sql] { return known }
        var pointer: OpaquePointer?
        guard sqlite3_prepare_v3(database, sql, -1, 0, &pointer, nil) == SQLITE_OK, let pointer else {
            throw error(sql)
        }
        let fresh = RawStatement(pointer)
        statements[sql] = fresh
        return fresh
    }

    func error(_ sql: String) -> Failure { Failure("\(sql): \(String(cString: sqlite3_errmsg(database)))") }

    /// Runs a statement that yields no rows, and makes it ready for its next use.
    @inline(__always)
    func step(_ statement: RawStatement) throws {
        guard sqlite3_step(statement.pointer) == SQLITE_DONE, sqlite3_reset(statement.pointer) == SQLITE_OK else {
            throw error(String(cString: sqlite3_sql(statement.pointer)))
        }
    }

    /// The number of rows that the last statement changed.
    var changes: Int { Int(sqlite3_changes(database)) }

    /// Begins a transaction that reads one state of the file.
    func beginReading() throws { try run("BEGIN; SELECT Z_VERSION FROM Z_METADATA LIMIT 1") }
}

/// Finalizes a prepared statement.
final class RawStatement {
    let pointer: OpaquePointer
    init(_ pointer: OpaquePointer) { self.pointer = pointer }
    deinit { sqlite3_finalize(pointer) }
}

// MARK: Reading

extension RawStore {
    static let columns =
        "ZNUMBER, ZGENRE, ZPLAYS, ZISLOVED, ZRATING, ZCREATED, ZTITLE, ZARTIST, ZALBUM, ZIDENTIFIER, ZNOTE"
    static let selectAll = "SELECT \(columns) FROM ZTRACK"

    static func columnCount(_ statement: OpaquePointer) -> Int32 { sqlite3_column_count(statement) }

    static func real(_ statement: OpaquePointer, _ column: Int32) -> Double { sqlite3_column_double(statement, column) }

    static func number(_ statement: OpaquePointer, _ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }

    @inline(__always)
    static func text(_ statement: OpaquePointer, _ column: Int32) -> String? {
        guard let start = sqlite3_column_text(statement, column) else { return nil }
        return String(
            decoding: UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, column))),
            as: UTF8.self)
    }

    @inline(__always)
    private static func uuid(_ statement: OpaquePointer, _ column: Int32) -> UUID {
        guard let start = sqlite3_column_blob(statement, column), sqlite3_column_bytes(statement, column) == 16 else {
            return UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
        }
        return UUID(uuid: start.loadUnaligned(as: uuid_t.self))
    }

    @inline(__always)
    static func track(_ statement: OpaquePointer) -> Track {
        Track(
            number: sqlite3_column_int64(statement, 0), genre: Int(sqlite3_column_int64(statement, 1)),
            plays: Int(sqlite3_column_int64(statement, 2)), isLoved: sqlite3_column_int64(statement, 3) != 0,
            rating: sqlite3_column_double(statement, 4),
            created: Date(timeIntervalSinceReferenceDate: sqlite3_column_double(statement, 5)),
            title: text(statement, 6) ?? "", artist: text(statement, 7) ?? "", album: text(statement, 8) ?? "",
            identifier: uuid(statement, 9), note: text(statement, 10))
    }

    @inline(__always)
    func forEachRow(_ statement: RawStatement, _ body: (OpaquePointer) -> Void) throws {
        while sqlite3_step(statement.pointer) == SQLITE_ROW { body(statement.pointer) }
        guard sqlite3_reset(statement.pointer) == SQLITE_OK else {
            throw error(String(cString: sqlite3_sql(statement.pointer)))
        }
    }

    /// All rows of a query, as structs.
    func tracks(_ statement: RawStatement) throws -> [Track] {
        var tracks: [Track] = []
        try forEachRow(statement) { tracks.append(Self.track($0)) }
        return tracks
    }

    /// The rows that a query finds for each of many numbers.
    func tracks(_ statement: RawStatement, for numbers: some Sequence<Int64>) throws -> [Track] {
        var tracks: [Track] = []
        for number in numbers {
            sqlite3_bind_int64(statement.pointer, 1, number)
            try forEachRow(statement) { tracks.append(Self.track($0)) }
        }
        return tracks
    }

    /// The number that a query finds for each of many numbers.
    func numbers(_ statement: RawStatement, for numbers: some Sequence<Int64>) throws -> [Int] {
        var found: [Int] = []
        for number in numbers {
            sqlite3_bind_int64(statement.pointer, 1, number)
            try forEachRow(statement) { found.append(Int(sqlite3_column_int64($0, 0))) }
        }
        return found
    }
}

// MARK: Writing

extension RawStore {
    /// The destructor that makes SQLite copy a bound value.
    private static var transient: sqlite3_destructor_type { unsafeBitCast(-1, to: sqlite3_destructor_type.self) }

    @inline(__always)
    static func bind(_ text: String, _ statement: OpaquePointer, _ index: Int32) {
        var text = text
        text.withUTF8 { utf8 in
            _ = utf8.withMemoryRebound(to: CChar.self) {
                sqlite3_bind_text(statement, index, $0.baseAddress, Int32($0.count), transient)
            }
        }
    }

    @inline(__always)
    static func bind(_ track: Track, _ statement: OpaquePointer) {
        sqlite3_bind_int64(statement, 2, track.number)
        sqlite3_bind_int64(statement, 3, Int64(track.genre))
        sqlite3_bind_int64(statement, 4, Int64(track.plays))
        sqlite3_bind_int64(statement, 5, track.isLoved ? 1 : 0)
        sqlite3_bind_double(statement, 6, track.rating)
        sqlite3_bind_double(statement, 7, track.created.timeIntervalSinceReferenceDate)
        bind(track.title, statement, 8)
        bind(track.artist, statement, 9)
        bind(track.album, statement, 10)
        withUnsafeBytes(of: track.identifier.uuid) {
            _ = sqlite3_bind_blob(statement, 11, $0.baseAddress, 16, transient)
        }
        if let note = track.note { bind(note, statement, 12) } else { sqlite3_bind_null(statement, 12) }
    }

    /// Inserts a row with a key, which is the first value.
    static let insertTrack = """
        INSERT INTO ZTRACK (Z_PK, Z_ENT, Z_OPT, \(columns))
        VALUES (?, 1, 1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """

    /// Inserts rows with the keys after one, in one transaction.
    func insert(_ tracks: some Sequence<Track>, after key: Int = 0) throws {
        try run("BEGIN IMMEDIATE")
        let statement = try statement(Self.insertTrack)
        var key = key
        for track in tracks {
            key += 1
            sqlite3_bind_int64(statement.pointer, 1, Int64(key))
            Self.bind(track, statement.pointer)
            try step(statement)
        }
        try run("UPDATE Z_PRIMARYKEY SET Z_MAX = \(key) WHERE Z_ENT = 1; COMMIT")
    }

    /// Inserts rows, or updates those that have their number, in one transaction. New ones get the keys after one.
    func upsert(_ tracks: some Sequence<Track>, after key: Int) throws {
        try run("BEGIN IMMEDIATE")
        let statement = try statement(
            """
            \(Self.insertTrack) ON CONFLICT (ZNUMBER) DO UPDATE SET Z_OPT = Z_OPT + 1,
            ZGENRE = excluded.ZGENRE, ZPLAYS = excluded.ZPLAYS, ZISLOVED = excluded.ZISLOVED,
            ZRATING = excluded.ZRATING, ZCREATED = excluded.ZCREATED, ZTITLE = excluded.ZTITLE,
            ZARTIST = excluded.ZARTIST, ZALBUM = excluded.ZALBUM, ZIDENTIFIER = excluded.ZIDENTIFIER,
            ZNOTE = excluded.ZNOTE
            """)
        var key = key
        for track in tracks {
            key += 1
            sqlite3_bind_int64(statement.pointer, 1, Int64(key))
            Self.bind(track, statement.pointer)
            try step(statement)
        }
        try run("UPDATE Z_PRIMARYKEY SET Z_MAX = \(key) WHERE Z_ENT = 1; COMMIT")
    }

    /// Sets the plays of single tracks, in one transaction.
    func update(_ changes: [Change]) throws {
        try run("BEGIN IMMEDIATE")
        let statement = try statement("UPDATE ZTRACK SET ZPLAYS = ?, Z_OPT = Z_OPT + 1 WHERE Z_PK = ?")
        for change in changes {
            sqlite3_bind_int64(statement.pointer, 1, Int64(change.plays))
            sqlite3_bind_int64(statement.pointer, 2, change.id)
            try step(statement)
        }
        try run("COMMIT")
    }

    /// Runs a statement with one number, in one transaction, and returns the number of rows that it changed.
    func change(_ sql: String, _ number: Int) throws -> Int {
        try run("BEGIN IMMEDIATE")
        let statement = try statement(sql)
        sqlite3_bind_int64(statement.pointer, 1, Int64(number))
        try step(statement)
        let count = changes
        try run("COMMIT")
        return count
    }
}

/// New plays for the row with a primary key.
struct Change {
    var id: Int64
    var plays: Int
}
