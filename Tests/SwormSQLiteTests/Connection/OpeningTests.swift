import Foundation
import Testing

@testable import SwormRows
@testable import SwormSQLite

@Suite("Opening a database")
struct OpeningTests {
    let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    @Test func `a missing file is not made unless that is asked for`() throws {
        for access in [Connection.Access.readOnly, .readWrite] {
            let error = sqliteError { _ = try folder.open("missing", .init(access: access)) }
            #expect(error?.code == SQLiteError.cannotOpen)
            #expect(error?.message.contains(folder.file("missing")) == true)
            #expect(!folder.exists("missing"))
        }
        let connection = try folder.open("missing")
        try connection.execute("CREATE TABLE t (a)")
        #expect(folder.exists("missing"))
    }

    @Test(arguments: [Connection.Access.readOnly, .readWrite, .readWriteCreate])
    func `a folder is not a database`(access: Connection.Access) {
        let error = sqliteError { _ = try Connection(.file(path: folder.path), options: .init(access: access)) }
        #expect(error?.code == SQLiteError.cannotOpen)
    }

    @Test(arguments: [Connection.Access.readOnly, .readWrite, .readWriteCreate])
    func `a file of plain text is rejected and not modified`(access: Connection.Access) throws {
        let text = String(repeating: "This is a letter, not a database.\n", count: 100)
        try text.write(toFile: folder.file("letter"), atomically: true, encoding: .utf8)
        let error = sqliteError { _ = try folder.open("letter", .init(access: access)) }
        #expect(error?.code == SQLiteError.notADatabase)
        #expect(error?.isDamage == true)
        #expect(try String(contentsOfFile: folder.file("letter"), encoding: .utf8) == text)
    }

    @Test(arguments: [false, true])
    func `an empty file is an empty database`(isImmutable: Bool) throws {
        try Data().write(to: URL(fileURLWithPath: folder.file()))
        let connection = try folder.open("data.sqlite", .init(access: .readOnly, isImmutable: isImmutable))
        #expect(try connection.integer("SELECT count(*) FROM sqlite_schema") == 0)
        #expect(connection.isReadOnly)
        #expect(try folder.size("data.sqlite") == 0)
    }

    @Test func `a read-only connection reads and cannot write`() throws {
        do {
            let connection = try folder.open()
            #expect(!connection.isReadOnly)
            try connection.execute("CREATE TABLE t (a); INSERT INTO t VALUES (7)")
        }
        let bytes = try Data(contentsOf: URL(fileURLWithPath: folder.file()))
        let connection = try folder.open("data.sqlite", .init(access: .readOnly))
        #expect(connection.isReadOnly)
        #expect(try connection.integer("SELECT a FROM t") == 7)
        let error = sqliteError { try connection.execute("INSERT INTO t VALUES (8)") }
        #expect(error?.code == SQLiteError.readOnly)
        #expect(try Data(contentsOf: URL(fileURLWithPath: folder.file())) == bytes)
    }

    @Test func `an immutable WAL database leaves no side files`() throws {
        do {
            let connection = try folder.open("a b%#?é.sqlite")
            try connection.setJournalMode(.wal)
            try connection.execute("CREATE TABLE t (a); INSERT INTO t VALUES (7)")
        }
        #expect(!folder.exists("a b%#?é.sqlite-wal"))
        let connection = try folder.open("a b%#?é.sqlite", .init(access: .readOnly, isImmutable: true))
        #expect(try connection.integer("SELECT a FROM t") == 7)
        #expect(!folder.exists("a b%#?é.sqlite-wal"))
        #expect(!folder.exists("a b%#?é.sqlite-shm"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 1)
    }

    @Test func `paths that SQLite would read as something else are rejected or taken as paths`() throws {
        #expect(sqliteError { _ = try Connection(.file(path: "")) }?.code == SQLiteError.cannotOpen)
        #expect(sqliteError { _ = try Connection(.file(path: "/tmp/a\0b")) }?.code == SQLiteError.cannotOpen)
        let options = Connection.Options(access: .readOnly)
        for path in [":memory:", "file::memory:"] {
            #expect(
                sqliteError { _ = try Connection(.file(path: path), options: options) }?.code == SQLiteError.cannotOpen)
        }
    }

    @Test func `a memory database belongs to its connection`() throws {
        let first = try Connection(.memory(name: "same"))
        let second = try Connection(.memory(name: "same"))
        try first.execute("CREATE TABLE t (a)")
        #expect(try second.integer("SELECT count(*) FROM sqlite_schema") == 0)
    }

    @Test func `options reach SQLite`() throws {
        let options = Connection.Options(busyTimeout: 1.5, synchronous: .full, cacheSizeKiB: 1234)
        let connection = try folder.open("data.sqlite", options)
        #expect(try connection.integer("PRAGMA synchronous") == 3)
        #expect(try connection.integer("PRAGMA cache_size") == -1234)
        #expect(connection.busyTimeout == 1.5)
        #expect(try connection.integer("PRAGMA trusted_schema") == 0)
        #expect(try folder.open("b", .init(synchronous: .normal)).integer("PRAGMA synchronous") == 1)
        for timeout in [-1, Double.nan, 0] {
            #expect(try folder.open("b", .init(busyTimeout: timeout)).busyTimeout == 0)
        }
        let longest = try folder.open("b", .init(busyTimeout: .infinity))
        #expect(longest.busyTimeout == 1e9)
    }

    @Test func `a truncated database is reported as damage`() throws {
        do {
            let connection = try folder.open()
            try connection.execute("CREATE TABLE t (a); INSERT INTO t VALUES (zeroblob(100000))")
        }
        let bytes = try Data(contentsOf: URL(fileURLWithPath: folder.file()))
        try bytes.prefix(bytes.count / 2).write(to: URL(fileURLWithPath: folder.file("cut")))
        let error = sqliteError {
            let connection = try folder.open("cut", .init(access: .readOnly))
            _ = try connection.integer("SELECT length(CAST(a AS TEXT)) FROM t")
        }
        #expect(error?.isDamage == true)
    }
}
