import Foundation
import Testing

@testable import SwormRows
@testable import SwormSQLite

@Suite("Binding and reading values")
struct BindingTests {
    let connection: Connection
    init() throws { connection = try memory() }

    @Test(arguments: [Int64.min, -1, 0, 1, .max])
    func `integers come back`(value: Int64) throws {
        var statement = try connection.statement("SELECT ?, typeof(?1)")
        try statement.bind(value, at: 1)
        #expect(try statement.step())
        #expect(statement.type(0) == .integer)
        #expect(statement.int64(0) == value)
        #expect(statement.text(1) == "integer")
        statement.reset()
        try statement.bind(Int(value), at: 1)
        #expect(try statement.step())
        #expect(statement.int(0) == Int(value))
    }

    @Test(arguments: [
        0.0, -0.0, 1.5, .infinity, -.infinity, .greatestFiniteMagnitude, .leastNonzeroMagnitude, -.pi,
    ])
    func `doubles come back bit by bit`(value: Double) throws {
        var statement = try connection.statement("SELECT ?, typeof(?1)")
        try statement.bind(value, at: 1)
        #expect(try statement.step())
        #expect(statement.double(0).bitPattern == value.bitPattern)
        #expect(statement.text(1) == "real")
    }

    @Test(arguments: [Double.nan, -.nan, .signalingNaN])
    func `NaN is an error, because SQLite would store NULL`(value: Double) throws {
        let statement = try connection.statement("SELECT ?")
        var error: SQLiteError?
        do { try statement.bind(value, at: 1) } catch let caught as SQLiteError { error = caught }
        #expect(error?.code == SQLiteError.mismatch)
        #expect(error?.message.contains("NaN") == true)
    }

    @Test(arguments: [
        "", "a", "ab\0cd", "é", "日本語", "👩‍👩‍👧‍👦", "fifteen bytes!!", "sixteen bytes!!!",
        String(repeating: "ä", count: 500_000),
    ])
    func `strings come back`(value: String) throws {
        var statement = try connection.statement("SELECT ?, typeof(?1), length(CAST(?1 AS BLOB))")
        try statement.bind(value, at: 1)
        #expect(try statement.step())
        #expect(statement.text(0) == value)
        #expect(statement.text(1) == "text")
        #expect(statement.int(2) == value.utf8.count)
        #expect(statement.withText(0) { $0.map { Array($0) } } == Array(value.utf8))
    }

    @Test(arguments: [0, 1, 16, 1 << 20])
    func `blobs come back, and an empty one is not NULL`(count: Int) throws {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        var statement = try connection.statement("SELECT ?, ?, typeof(?1), typeof(?2), NULL")
        try statement.bind(bytes, at: 1)
        try statement.bind(Data(bytes), at: 2)
        #expect(try statement.step())
        #expect(statement.blob(0) == bytes)
        #expect(statement.data(1) == Data(bytes))
        #expect(statement.text(2) == "blob")
        #expect(statement.text(3) == "blob")
        #expect(statement.blob(4) == nil)
        #expect(statement.data(4) == nil)
    }

    @Test func `null, Booleans and UUIDs are stored as such`() throws {
        let uuid = UUID()
        var statement = try connection.statement("SELECT ?1, ?2, ?3, ?4, typeof(?4)")
        try statement.bindNull(at: 1)
        try statement.bind(true, at: 2)
        try statement.bind(false, at: 3)
        try statement.bind(uuid, at: 4)
        #expect(try statement.step())
        #expect(statement.isNull(0) == true)
        #expect(statement.text(0) == nil)
        #expect(statement.int(1) == 1)
        #expect(statement.int(2) == 0)
        let bytes = withUnsafeBytes(of: uuid.uuid) { Array($0) }
        #expect(statement.blob(3) == bytes)
        #expect(statement.text(4) == "blob")
    }

    @Test func `a parameter that does not exist is an error`() throws {
        let statement = try connection.statement("SELECT :a, :b")
        #expect(statement.parameterCount == 2)
        #expect(statement.parameterIndex(":b") == 2)
        #expect(statement.parameterIndex(":c") == nil)
        for index in [0, 3, -1, Int.max, Int.min] {
            var error: SQLiteError?
            do { try statement.bind(1, at: index) } catch let caught as SQLiteError { error = caught }
            #expect(error?.code == SQLiteError.range)
        }
    }

    @Test func `a column that does not exist reads as NULL`() throws {
        var statement = try connection.statement("SELECT 5")
        #expect(try statement.step())
        for column in [1, -1, Int.max] {
            #expect(statement.type(column) == .null)
            #expect(statement.int64(column) == 0)
            #expect(statement.text(column) == nil)
            #expect(statement.blob(column) == nil)
            #expect(statement.columnName(column) == "")
        }
    }

    @Test func `a value above SQLite's limit is rejected with its code`() throws {
        try connection.execute("CREATE TABLE t (a)")
        let error = sqliteError { try connection.execute("INSERT INTO t VALUES (zeroblob(2000000000))") }
        #expect(error?.code == SQLiteError.tooBig)
    }

    @Test func `binding while a statement runs is rejected`() throws {
        var statement = try connection.statement("SELECT ?")
        #expect(try statement.step())
        var error: SQLiteError?
        do { try statement.bind(1, at: 1) } catch let caught as SQLiteError { error = caught }
        #expect(error?.code == SQLiteError.misuse)
        statement.reset()
        try statement.bind(1, at: 1)
    }

    @Test func `bytes that are not UTF-8 are shown repaired`() throws {
        var statement = try connection.statement("SELECT CAST(x'61FF62' AS TEXT)")
        #expect(try statement.step())
        #expect(statement.text(0) == "a\u{FFFD}b")
    }

    @Test func `an error of binding never contains the value`() throws {
        try connection.execute("CREATE TABLE t (a UNIQUE)")
        var statement = try connection.statement("INSERT INTO t VALUES (?)")
        try statement.bind("secret", at: 1)
        try statement.run()
        var error: SQLiteError?
        do { try statement.run() } catch let caught as SQLiteError { error = caught }
        #expect(error?.description.contains("SQLITE_CONSTRAINT_UNIQUE") == true)
        #expect(error?.description.contains("INSERT INTO t VALUES (?)") == true)
        #expect(error?.description.contains("secret") == false)
    }
}
