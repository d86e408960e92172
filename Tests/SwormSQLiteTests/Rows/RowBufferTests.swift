import Foundation
import Testing

@testable import SwormRows
@testable import SwormSQLite

@Suite("Row buffers")
struct RowBufferTests {
    let connection: Connection
    init() throws { connection = try memory() }

    func fill(_ sql: String, _ rules: [CellRule], limit: Int? = nil) throws -> RowBuffer {
        var statement = try connection.statement(sql)
        return try RowBuffer.fill(statement: &statement, rules: rules, limit: limit)
    }

    func issue(_ sql: String, _ rules: [CellRule]) -> DecodingFailure? {
        do {
            _ = try fill(sql, rules)
            return nil
        } catch {
            return error as? DecodingFailure
        }
    }

    @Test func `every kind of value is kept`() throws {
        let uuid = try #require(UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF"))
        let buffer = try fill(
            """
            SELECT 1, -9223372036854775808, 2.5, 7, 'é' || char(0) || 'b', '', x'0102', x'',
                x'00112233445566778899AABBCCDDEEFF', NULL, '12.50', 3, 0.1
            """,
            [
                .init(.integer), .init(.integer), .init(.real), .init(.real), .init(.text), .init(.text), .init(.blob),
                .init(.blob), .init(.uuid), .init(.text), .init(.number), .init(.number), .init(.number),
            ])
        #expect(buffer.count == 1)
        #expect(buffer.stride == 13)
        #expect(buffer.int64(row: 0, cell: 1) == .min)
        #expect(buffer.double(row: 0, cell: 2) == 2.5)
        #expect(buffer.tag(row: 0, cell: 3) == .integer)
        #expect(buffer.double(row: 0, cell: 3) == 7)
        #expect(buffer.text(row: 0, cell: 4) == "é\0b")
        #expect(buffer.tag(row: 0, cell: 5) == .text)
        #expect(buffer.text(row: 0, cell: 5) == "")
        #expect(buffer.data(row: 0, cell: 6) == Data([1, 2]))
        #expect(buffer.tag(row: 0, cell: 7) == .blob)
        #expect(!buffer.isNull(row: 0, cell: 7))
        #expect(buffer.uuid(row: 0, cell: 8) == uuid)
        #expect(buffer.isNull(row: 0, cell: 9))
        #expect(buffer.decimal(row: 0, cell: 10) == Decimal(string: "12.5"))
        #expect(buffer.decimal(row: 0, cell: 11) == 3)
        #expect(buffer.decimal(row: 0, cell: 12) == Decimal(string: "0.1"))
        #expect(buffer.byteCount == 4 + 2 + 16 + 5)
    }

    @Test func `a read of another kind gives nothing`() throws {
        let buffer = try fill("SELECT 'text', 5, NULL", [.init(.text), .init(.integer), .init(.any)])
        #expect(buffer.int64(row: 0, cell: 0) == 0)
        #expect(buffer.double(row: 0, cell: 0) == 0)
        #expect(buffer.data(row: 0, cell: 0).isEmpty)
        #expect(buffer.uuid(row: 0, cell: 0) == nil)
        #expect(buffer.text(row: 0, cell: 1) == "")
        #expect(buffer.withBytes(row: 0, cell: 1) { $0.count } == 0)
        #expect(buffer.decimal(row: 0, cell: 2) == nil)
        #expect(buffer.text(row: 0, cell: 2) == "")
    }

    @Test func `any takes all and keeps the storage class`() throws {
        let buffer = try fill(
            "SELECT 1 UNION ALL SELECT 1.5 UNION ALL SELECT 'a' UNION ALL SELECT x'00' UNION ALL SELECT NULL",
            [.init(.any)])
        #expect((0..<5).map { buffer.tag(row: $0, cell: 0) } == [.integer, .real, .text, .blob, .null])
    }

    /// Some that fit into one block, some whose block grows large and is cut down again, and some whose block stays large.
    @Test(arguments: [5000, 40_000, 150_000])
    func `many rows are whole`(count: Int) throws {
        try connection.execute(
            """
            CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, b);
            WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < \(count))
            INSERT INTO t SELECT n, printf('row %d é', n), CASE WHEN n % 3 THEN n * 0.5 END FROM c
            """)
        let buffer = try fill("SELECT id, a, b FROM t ORDER BY id", [.init(.integer), .init(.text), .init(.real)])
        #expect(buffer.count == count)
        let wrong = (0..<count).filter { row in
            let number = row + 1
            let isRight =
                buffer.int64(row: row, cell: 0) == Int64(number) && buffer.text(row: row, cell: 1) == "row \(number) é"
                && buffer.isNull(row: row, cell: 2) == (number % 3 == 0)
            return !isRight || (number % 3 != 0 && buffer.double(row: row, cell: 2) != Double(number) * 0.5)
        }
        #expect(wrong.isEmpty, "\(wrong.prefix(5))")
    }

    @Test func `a limit reads in parts, and the end is seen`() throws {
        try connection.execute("CREATE TABLE t (a); INSERT INTO t VALUES (1), (2), (3), (4), (5)")
        var statement = try connection.statement("SELECT a FROM t ORDER BY a")
        var parts: [[Int64]] = []
        while statement.isDone == false {
            let part = try RowBuffer.fill(statement: &statement, rules: [.init(.integer)], limit: 2)
            parts.append((0..<part.count).map { part.int64(row: $0, cell: 0) })
        }
        #expect(parts == [[1, 2], [3, 4], [5]])
        #expect(try RowBuffer.fill(statement: &statement, rules: [.init(.integer)], limit: 2).count == 0)
        #expect(try fill("SELECT 1", [.init(.integer)], limit: 0).count == 0)
        #expect(try fill("SELECT 1 WHERE 0", [.init(.integer)]).count == 0)
    }

    @Test(arguments: [
        (CellKind.integer, "'12'", "text", "12"), (.integer, "1.5", "real", "1.5"),
        (.integer, "x'01FF'", "blob of 2 bytes", "01ff"), (.real, "'1.5'", "text", "1.5"), (.text, "5", "integer", "5"),
        (.text, "x'61'", "blob of 1 byte", "61"), (.blob, "'a'", "text", "a"), (.uuid, "x'00'", "blob of 1 byte", "00"),
        (.uuid, "zeroblob(17)", "blob of 17 bytes", String(repeating: "00", count: 17)),
        (.number, "'12abc'", "text", "12abc"),
        (.number, "x''", "blob of 0 bytes", ""), (.number, "9e999", "real", "inf"),
        (.text, "CAST(x'61FF' AS TEXT)", "text that is not valid UTF-8", "a\u{FFFD}"),
        (.any, "CAST(x'F09F98' AS TEXT)", "text that is not valid UTF-8", "\u{FFFD}"),
    ])
    func `a value of the wrong class is an error with row and column`(
        kind: CellKind, sql: String, found: String, excerpt: String
    ) {
        let issue = issue("SELECT 77, \(sql)", [.init(.integer), .init(kind)])
        #expect(issue?.rowID == 77)
        #expect(issue?.column == 1)
        #expect(issue?.found == found)
        #expect(issue?.excerpt == excerpt)
        #expect(issue?.expected == kind.expectation + " or NULL")
    }

    @Test func `NULL is an error if the rule does not allow it`() {
        let rules = [CellRule(.integer), CellRule(.text, allowsNull: false)]
        let issue = issue("SELECT 1, 'a' UNION ALL SELECT 2, NULL", rules)
        #expect(issue == DecodingFailure(column: 1, rowID: 2, found: "NULL", expected: "text", excerpt: ""))
        #expect(issue?.description == "column 1 of row 2: found NULL, expected text")
    }

    @Test func `a long value is truncated in the error`() throws {
        let text = try #require(
            issue("SELECT 1, replace(hex(zeroblob(100000)), '0', 'é')", [.init(.integer), .init(.blob)]))
        #expect(text.excerpt == String(repeating: "é", count: 40) + "…")
        let blob = try #require(issue("SELECT 1, zeroblob(100000)", [.init(.integer), .init(.text)]))
        #expect(blob.excerpt == String(repeating: "00", count: 20) + "…")
    }

    @Test func `rules that do not match the columns are rejected`() {
        #expect(sqliteError { _ = try fill("SELECT 1, 2", [.init(.integer)]) }?.code == SQLiteError.misuse)
    }

    @Test func `an error of SQLite in the middle is thrown`() throws {
        try connection.addFunction("fail_at", argumentCount: 1, deterministic: false) { call in
            if call.int64(0) == 3 { throw SQLiteError(code: SQLiteError.ioError, message: "broken disk") }
            return .integer(call.int64(0))
        }
        let error = sqliteError {
            _ = try fill("SELECT fail_at(column1) FROM (VALUES (1), (2), (3))", [.init(.integer)])
        }
        #expect(error?.message == "broken disk")
    }

    @Test func `bytes compare in the buffer`() throws {
        let buffer = try fill(
            "SELECT 'abc', 'abd', 'ab', '', x'616263', 5",
            [.init(.text), .init(.text), .init(.text), .init(.text), .init(.blob), .init(.integer)])
        #expect(buffer.compareBytes(row: 0, cell: 0, toRow: 0, cell: 1) < 0)
        #expect(buffer.compareBytes(row: 0, cell: 1, toRow: 0, cell: 0) > 0)
        #expect(buffer.compareBytes(row: 0, cell: 0, toRow: 0, cell: 2) > 0)
        #expect(buffer.compareBytes(row: 0, cell: 0, toRow: 0, cell: 4) == 0)
        #expect(buffer.compareBytes(row: 0, cell: 3, toRow: 0, cell: 5) == 0)
        let matches = Array("abc".utf8).withUnsafeBytes { other in
            (0..<4).map { buffer.hasBytes(row: 0, cell: $0, equalTo: other) }
        }
        #expect(matches == [true, false, false, false])
        #expect(Array("ab".utf8).withUnsafeBytes { buffer.compareBytes(row: 0, cell: 2, to: $0) } == 0)
    }

    @Test func `a filled buffer is read by many tasks`() async throws {
        let buffer = try fill("SELECT 'a text longer than fifteen bytes', 4", [.init(.text), .init(.integer)])
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    buffer.text(row: 0, cell: 0) == "a text longer than fifteen bytes"
                        && buffer.int64(row: 0, cell: 1) == 4
                }
            }
            for await isRight in group { #expect(isRight) }
        }
    }
}
