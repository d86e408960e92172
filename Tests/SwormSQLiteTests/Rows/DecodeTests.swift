import Foundation
import Testing

@testable import SwormRows
@testable import SwormSQLite

@Suite("Structs from rows")
struct DecodeTests {
    struct All: Sendable, Equatable {
        var bool = false
        var int = 0
        var int16: Int16 = 0
        var int32: Int32 = 0
        var int64: Int64 = 0
        var float: Float = 0
        var double = 0.0
        var decimal = Decimal.zero
        var date = Date(timeIntervalSinceReferenceDate: 0)
        var string = "default"
        var data = Data()
        var uuid = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
        var url = URL(fileURLWithPath: "/")
    }

    struct Maybe: Sendable, Equatable {
        var bool: Bool? = true
        var int: Int? = 1
        var int16: Int16? = 1
        var int32: Int32? = 1
        var int64: Int64? = 1
        var float: Float? = 1
        var double: Double? = 1
        var decimal: Decimal? = 1
        var date: Date? = Date(timeIntervalSinceReferenceDate: 1)
        var string: String? = "a text longer than fifteen bytes"
        var data: Data? = Data(repeating: 1, count: 100)
        var uuid: UUID? = UUID()
        var url: URL? = URL(fileURLWithPath: "/somewhere")
    }

    let connection: Connection
    init() throws { connection = try memory() }

    static let allOps: [RowOp] = [
        op(0, \All.bool), op(1, \All.int), op(2, \All.int16), op(3, \All.int32), op(4, \All.int64), op(5, \All.float),
        op(6, \All.double), op(7, \All.decimal), op(8, \All.date), op(9, \All.string), op(10, \All.data),
        op(11, \All.uuid), op(12, \All.url),
    ]
    static let maybeOps: [RowOp] = [
        op(0, \Maybe.bool), op(1, \Maybe.int), op(2, \Maybe.int16), op(3, \Maybe.int32), op(4, \Maybe.int64),
        op(5, \Maybe.float), op(6, \Maybe.double), op(7, \Maybe.decimal), op(8, \Maybe.date), op(9, \Maybe.string),
        op(10, \Maybe.data), op(11, \Maybe.uuid), op(12, \Maybe.url),
    ]
    static let values = """
        SELECT 1, -9223372036854775808, -32768, 2147483647, 9223372036854775807, 0.1, 2.5, '12.50', 1000,
            'é' || char(0) || 'text', x'0102', x'00112233445566778899AABBCCDDEEFF', 'https://example.org/a?b=c'
        """
    static let nulls = "SELECT " + Array(repeating: "NULL", count: 13).joined(separator: ", ")

    func decode<T>(_ sql: String, _ plan: RowPlan<T>, limit: Int? = nil) throws -> [T] {
        var statement = try connection.statement(sql)
        return try statement.decode(plan, limit: limit)
    }

    @Test func `every kind of field is set`() throws {
        let rows = try decode(Self.values, RowPlan(ops: Self.allOps, template: All()))
        var expected = All()
        expected.bool = true
        expected.int = .min
        expected.int16 = .min
        expected.int32 = .max
        expected.int64 = .max
        expected.float = 0.1
        expected.double = 2.5
        expected.decimal = try #require(Decimal(string: "12.5"))
        expected.date = Date(timeIntervalSinceReferenceDate: 1000)
        expected.string = "é\0text"
        expected.data = Data([1, 2])
        expected.uuid = try #require(UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF"))
        expected.url = try #require(URL(string: "https://example.org/a?b=c"))
        #expect(rows == [expected])
    }

    @Test func `every kind of optional is set, to a value and to nil`() throws {
        let plan = RowPlan(ops: Self.maybeOps, template: Maybe())
        let rows = try decode(Self.values + " UNION ALL " + Self.nulls, plan)
        #expect(rows.count == 2)
        let full = try #require(rows.first)
        #expect(full.bool == true)
        #expect(full.int == .min)
        #expect(full.int16 == .min)
        #expect(full.int32 == .max)
        #expect(full.int64 == .max)
        #expect(full.float == 0.1)
        #expect(full.double == 2.5)
        #expect(full.decimal == Decimal(string: "12.5"))
        #expect(full.date == Date(timeIntervalSinceReferenceDate: 1000))
        #expect(full.string == "é\0text")
        #expect(full.data == Data([1, 2]))
        #expect(full.uuid == UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF"))
        #expect(full.url == URL(string: "https://example.org/a?b=c"))
        let empty = Maybe(
            bool: nil, int: nil, int16: nil, int32: nil, int64: nil, float: nil, double: nil, decimal: nil, date: nil,
            string: nil, data: nil, uuid: nil, url: nil)
        #expect(rows.last == empty)
    }

    @Test func `NULL in a non-optional field is an error, for every kind`() throws {
        for (column, op) in Self.allOps.enumerated() {
            let issue = issue(of: Self.nulls, RowPlan(ops: [op], template: All()))
            #expect(issue?.column == column)
            #expect(issue?.found == "NULL")
            #expect(issue?.expected == op.kind.expectation)
        }
    }

    @Test func `another storage class is an error, for every kind and its optional`() throws {
        let wrong: [FieldKind: [String]] = [
            .bool: ["'1'", "1.0", "x'01'"], .int: ["'12abc'", "1.5", "x'01'"], .int64: ["'1'", "2.0"],
            .int16: ["32768", "-32769", "'1'"], .int32: ["2147483648", "-2147483649", "1.5"],
            .float: ["'1.5'", "x''"], .double: ["'1.5'", "x'00'"], .date: ["'2001-01-01'", "x'00'"],
            .decimal: ["'1,5'", "x'01'", "9e999"], .string: ["1", "1.5", "x'61'", "CAST(x'61FF' AS TEXT)"],
            .data: ["'a'", "1"],
            .uuid: ["'00112233-4455-6677-8899-AABBCCDDEEFF'", "x'00'", "zeroblob(17)", "1", "x''"],
            .url: ["x'61'", "1", "''", "'http://[broken'"],
        ]
        for (place, op) in Self.allOps.enumerated() {
            for sql in try #require(wrong[op.kind]) {
                var first = op
                first.column = 1
                var second = Self.maybeOps[place]
                second.column = 1
                let query = "SELECT 5, \(sql)"
                let issue = issue(of: query, RowPlan(ops: [first], template: All()))
                #expect(issue?.column == 1, "\(op.kind) \(sql)")
                #expect(issue?.rowID == 5)
                let optional = self.issue(of: query, RowPlan(ops: [second], template: Maybe()))
                #expect(optional?.expected == op.kind.expectation + " or NULL", "\(op.kind) \(sql)")
            }
        }
    }

    @Test func `numbers widen where nothing is lost`() throws {
        let plan = RowPlan(
            ops: [Self.op(0, \All.double), Self.op(1, \All.decimal), Self.op(2, \All.float), Self.op(3, \All.date)],
            template: All())
        let row = try #require(try decode("SELECT 3, 0.1, 16777217, -5", plan).first)
        #expect(row.double == 3)
        #expect(row.decimal == Decimal(string: "0.1"))
        #expect(row.float == 16_777_216)
        #expect(row.date == Date(timeIntervalSinceReferenceDate: -5))
        let small = try decode("SELECT 0, 0, 0, 0 UNION ALL SELECT 0.0, 0.0, 0.0, 0.0", plan)
        #expect(small.allSatisfy { $0.double == 0 && $0.decimal == 0 })
    }

    @Test func `zero, the empty string and an empty blob are values`() throws {
        let plan = RowPlan(
            ops: [Self.op(0, \Maybe.int), Self.op(1, \Maybe.string), Self.op(2, \Maybe.data), Self.op(3, \Maybe.bool)],
            template: Maybe())
        let row = try #require(try decode("SELECT 0, '', x'', 0", plan).first)
        #expect(row.int == 0)
        #expect(row.string == "")
        #expect(row.data == Data())
        #expect(row.bool == false)
    }

    @Test(arguments: [0, 1, 7, 8, 9, 23, 24, 25, 511, 512, 1500, 5000])
    func `any number of rows is read, whole or in parts`(count: Int) throws {
        struct Row: Sendable, Equatable { var id = 0; var name = "" }
        let plan = RowPlan(ops: [Self.op(0, \Row.id), Self.op(1, \Row.name)], template: Row())
        let sql = """
            WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < \(max(1, count)))
            SELECT n, printf('the name of row number %d', n) FROM c WHERE \(count > 0 ? 1 : 0)
            """
        let expected = (0..<count).map { Row(id: $0 + 1, name: "the name of row number \($0 + 1)") }
        #expect(try decode(sql, plan) == expected)
        #expect(try decode(sql, plan, limit: 10) == Array(expected.prefix(10)))
        var statement = try connection.statement(sql)
        var parts: [Row] = []
        while statement.isDone == false {
            let part = try statement.decode(plan, limit: 9)
            #expect(part.count <= 9)
            parts += part
        }
        #expect(parts == expected)
        #expect(try statement.decode(plan).isEmpty)
        var seen: [Row] = []
        statement.reset()
        try statement.forEach(plan) { seen.append($0.move()) }
        #expect(seen == expected)
        seen = []
        statement.reset()
        while !statement.isDone { try statement.forEach(plan, limit: 9) { seen.append($0.move()) } }
        #expect(seen == expected)
    }

    @Test func `nested properties are reached by their offset`() throws {
        struct Inner: Sendable { var pad: UInt8 = 3; var text = "inner"; var number: Int16? = 4 }
        struct Outer: Sendable { var flag = true; var inner = Inner(); var pair = (1, "two") }
        let plan = RowPlan(
            ops: [
                Self.op(0, \Outer.inner.text), Self.op(1, \Outer.inner.number), Self.op(2, \Outer.pair.1),
                Self.op(3, \Outer.pair.0),
            ], template: Outer())
        let row = try #require(try decode("SELECT 'new', NULL, 'three', 9", plan).first)
        #expect(row.flag)
        #expect(row.inner.pad == 3)
        #expect(row.inner.text == "new")
        #expect(row.inner.number == nil)
        #expect(row.pair == (9, "three"))
    }

    @Test func `properties without a column keep the values of init`() throws {
        struct Row: Sendable {
            var tiny: UInt16 = 77; var id = 0; var tags = ["a", "b"]; var note = "long enough for the heap"
        }
        let plan = RowPlan(ops: [Self.op(0, \Row.id)], template: Row())
        let rows = try decode("SELECT 1 UNION ALL SELECT 2", plan)
        #expect(rows.map(\.id) == [1, 2])
        #expect(rows.allSatisfy { $0.tags == ["a", "b"] && $0.note == "long enough for the heap" && $0.tiny == 77 })
        struct Plain: Sendable {
            var id = 0
            var tiny: UInt16 = 77
            var last: UInt8 = 5
        }
        let plain = RowPlan(ops: [Self.op(0, \Plain.id)], template: Plain())
        guard case .bytes = plain.layout.start else {
            Issue.record("a struct of plain gaps starts from bytes")
            return
        }
        #expect(
            try decode("SELECT 1 UNION ALL SELECT 2", plain).map { [Int($0.tiny), $0.id, Int($0.last)] } == [
                [77, 1, 5], [77, 2, 5],
            ])
        struct Empty: Sendable {}
        #expect(try decode("SELECT 1 UNION ALL SELECT 2", RowPlan(ops: [], template: Empty())).count == 2)
    }

    @Test func `two columns for one property are both read, and the last one stays`() throws {
        struct Row: Sendable { var name = "" }
        let plan = RowPlan(ops: [Self.op(0, \Row.name), Self.op(1, \Row.name)], template: Row())
        let row = try decode("SELECT 'a text longer than fifteen bytes', 'another text of some length'", plan)
        #expect(row.first?.name == "another text of some length")
    }

    @Test func `a plan that points outside its type is rejected`() {
        let plans = [
            RowPlan(ops: [RowOp(column: 0, kind: .int, offset: MemoryLayout<All>.size)], template: All()),
            RowPlan(ops: [RowOp(column: 0, kind: .int, offset: -8)], template: All()),
            RowPlan(ops: [RowOp(column: 0, kind: .custom, offset: 0)], template: All()),
            RowPlan(ops: [RowOp(column: 0, kind: .string, offset: 8, isExternal: true)], template: All()),
        ]
        for plan in plans {
            #expect(sqliteError { _ = try decode("SELECT 1", plan) }?.code == SQLiteError.misuse)
            #expect(
                sqliteError {
                    var statement = try connection.statement("SELECT 1")
                    try statement.forEach(plan) { _ = $0.move() }
                }?.code == SQLiteError.misuse)
        }
    }

    @Test func `an error of SQLite in the middle is thrown`() throws {
        try connection.addFunction("fail_at", argumentCount: 1, deterministic: false) { call in
            if call.int64(0) == 30 { throw SQLiteError(code: SQLiteError.ioError, message: "broken disk") }
            return .integer(call.int64(0))
        }
        let sql = "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT fail_at(n) FROM c"
        let plan = RowPlan(ops: [Self.op(0, \All.int)], template: All())
        #expect(sqliteError { _ = try decode(sql, plan) }?.message == "broken disk")
        #expect(try decode(sql, plan, limit: 29).count == 29)
        var count = 0
        let streamed = sqliteError {
            var statement = try connection.statement(sql)
            try statement.forEach(plan) {
                _ = $0.move(); count += 1
            }
        }
        #expect(streamed?.code == SQLiteError.ioError)
        #expect(count == 29)
    }

    func issue<T>(of sql: String, _ plan: RowPlan<T>) -> DecodingFailure? {
        do {
            _ = try decode(sql, plan)
            return nil
        } catch {
            return error as? DecodingFailure
        }
    }

    static func op<T, V>(_ column: Int32, _ path: WritableKeyPath<T, V>) -> RowOp {
        RowOp(column: column, kind: FieldKind(V.self), offset: MemoryLayout<T>.offset(of: path) ?? -1)
    }
}
