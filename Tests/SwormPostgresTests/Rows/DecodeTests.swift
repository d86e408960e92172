#if PostgreSQL
import Foundation
import SwormRows
import Testing

@testable import SwormPostgres

/// The mapping of a column to a property.
func op<T, V>(_ column: Int32, _ path: WritableKeyPath<T, V>) -> RowOp {
    RowOp(column: column, kind: FieldKind(V.self), offset: MemoryLayout<T>.offset(of: path) ?? -1)
}

@Suite("Structs from results", .needsServer)
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
    static let types = [
        "bool", "int8", "int2", "int4", "int8", "real", "float8", "numeric", "timestamptz", "text", "bytea", "uuid",
        "text",
    ]
    static let values = """
        SELECT true, (-9223372036854775808)::int8, (-32768)::int2, 2147483647::int4, 9223372036854775807::int8, 0.1::real,
            2.5::float8, 12.50::numeric, timestamptz '2001-01-01 00:16:40Z', 'é text', '\\x0102'::bytea,
            uuid '00112233-4455-6677-8899-AABBCCDDEEFF', 'https://example.org/a?b=c'
        """
    static let nulls = "SELECT " + types.map { "NULL::\($0)" }.joined(separator: ", ")

    private let database: TestDatabase
    private var connection: PostgresConnection { database.connection }
    init() throws { database = try TestDatabase() }

    func decode<T>(_ sql: String, _ plan: RowPlan<T>) throws -> [T] { try connection.run(sql).decode(plan) }

    func issue<T>(of sql: String, _ plan: RowPlan<T>) -> DecodingFailure? {
        do {
            _ = try decode(sql, plan)
            return nil
        } catch {
            return error as? DecodingFailure
        }
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
        expected.string = "é text"
        expected.data = Data([1, 2])
        expected.uuid = try #require(UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF"))
        expected.url = try #require(URL(string: "https://example.org/a?b=c"))
        #expect(rows == [expected])
    }

    @Test func `every kind of optional is set, to a value and to nil`() throws {
        let rows = try decode(Self.values + " UNION ALL " + Self.nulls, RowPlan(ops: Self.maybeOps, template: Maybe()))
        #expect(rows.count == 2)
        let full = try #require(rows.first)
        #expect(full.bool == true && full.int == .min && full.int16 == .min && full.int32 == .max && full.int64 == .max)
        #expect(full.float == 0.1 && full.double == 2.5 && full.decimal == Decimal(string: "12.5"))
        #expect(full.date == Date(timeIntervalSinceReferenceDate: 1000))
        #expect(full.string == "é text" && full.data == Data([1, 2]))
        #expect(full.uuid == UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF"))
        #expect(full.url == URL(string: "https://example.org/a?b=c"))
        let empty = Maybe(
            bool: nil, int: nil, int16: nil, int32: nil, int64: nil, float: nil, double: nil, decimal: nil, date: nil,
            string: nil, data: nil, uuid: nil, url: nil)
        #expect(rows.last == empty)
    }

    @Test func `a column that the result lacks is an error`() throws {
        let result = try connection.run("SELECT 1::bigint")
        let plan = RowPlan(ops: [op(0, \Maybe.int), op(1, \Maybe.string)], template: Maybe())
        let error = try #require(serverError { try result.decode(plan) })
        #expect(error.kind == .misuse && error.message == "a plan reads column 1 of a result that has 1 columns")
        #expect(throws: Never.self) { try connection.run("SELECT 1::bigint WHERE false").decode(plan) }
    }

    @Test func `numbers without a sign are read by every kind of number`() throws {
        let ops = [op(0, \Maybe.int), op(0, \Maybe.double), op(0, \Maybe.decimal), op(0, \Maybe.int32)]
        let small = try #require(decode("SELECT 7::oid", RowPlan(ops: ops, template: Maybe())).first)
        #expect(small.int == 7 && small.double == 7 && small.decimal == 7 && small.int32 == 7)
        let large = try #require(
            decode("SELECT 4000000000::oid", RowPlan(ops: ops.dropLast(), template: Maybe())).first)
        #expect(large.int == 4_000_000_000 && large.double == 4e9 && large.decimal == 4_000_000_000)
        #expect(issue(of: "SELECT 4000000000::oid", RowPlan(ops: ops, template: Maybe()))?.column == 0)
        let huge = "SELECT '18446744073709551615'::xid8"
        #expect(issue(of: huge, RowPlan(ops: ops, template: Maybe()))?.found == "number above 9223372036854775807")
        #expect(issue(of: "SELECT 1e400", RowPlan(ops: [op(0, \Maybe.double)], template: Maybe()))?.column == 0)
    }

    @Test func `NULL in a non-optional field is an error, for every kind`() throws {
        for (column, op) in Self.allOps.enumerated() {
            let issue = issue(of: Self.nulls, RowPlan(ops: [op], template: All()))
            #expect(issue?.column == column)
            #expect(issue?.found == "NULL")
            #expect(issue?.expected == op.kind.expectation)
        }
    }

    @Test func `another type is an error, for every kind and its optional`() throws {
        let wrong: [FieldKind: [String]] = [
            .bool: ["1", "'t'", "1.5::float8"], .int: ["'12'", "1.5::float8", "1::numeric", "true"],
            .int64: ["'1'", "now()"],
            .int16: ["32768", "-32769", "'1'"], .int32: ["2147483648", "-2147483649", "true"],
            .float: ["'1.5'", "1e300::float8", "true"], .double: ["'1.5'", "now()"],
            .date: ["'2001-01-01'", "5", "timestamptz 'infinity'"],
            .decimal: ["'1,5'", "numeric 'NaN'", "numeric 'Infinity'", "1e200", "1e300::float8"],
            .string: ["1", "1.5", "'\\x61'::bytea", "'{}'::jsonb"], .data: ["'a'", "1", "gen_random_uuid()"],
            .uuid: ["'00112233-4455-6677-8899-AABBCCDDEEFF'", "'\\x00'::bytea", "1"],
            .url: ["'\\x61'::bytea", "1", "''", "'http://[broken'"],
        ]
        for (index, op) in Self.allOps.enumerated() {
            for sql in try #require(wrong[op.kind]) {
                var (first, second) = (op, Self.maybeOps[index])
                (first.column, second.column) = (1, 1)
                let issue = issue(of: "SELECT 5, \(sql)", RowPlan(ops: [first], template: All()))
                #expect(issue?.column == 1, "\(op.kind) \(sql)")
                #expect(issue?.rowID == 5)
                let optional = self.issue(of: "SELECT 5, \(sql)", RowPlan(ops: [second], template: Maybe()))
                #expect(optional?.expected == op.kind.expectation + " or NULL", "\(op.kind) \(sql)")
            }
        }
    }

    @Test func `NULL of another type is nil, and a type that cannot be read is named`() throws {
        let plan = RowPlan(ops: [op(0, \Maybe.int)], template: Maybe())
        #expect(try decode("SELECT NULL::text", plan).first?.int == Int?.none)
        #expect(issue(of: "SELECT '{}'::jsonb", plan)?.found == "value of jsonb")
        #expect(issue(of: "SELECT point '(1,2)'", plan)?.found == "value of type 600")
        let date = RowPlan(ops: [op(0, \Maybe.date)], template: Maybe())
        #expect(issue(of: "SELECT timestamptz 'infinity'", date)?.found == "infinite date")
    }

    @Test func `numbers widen where nothing is lost`() throws {
        let plan = RowPlan(
            ops: [op(0, \All.double), op(1, \All.decimal), op(2, \All.float), op(3, \All.date), op(4, \All.int)],
            template: All())
        let sql =
            "SELECT 3::int8, 0.1::float8, 16777217::int4, -5::float8, 7::int2 UNION ALL SELECT 4, 0.2::float8, 1, 0, 8"
        let row = try #require(try decode(sql, plan).first)
        #expect(row.double == 3)
        #expect(row.decimal == Decimal(string: "0.1"))
        #expect(row.float == 16_777_216)
        #expect(row.date == Date(timeIntervalSinceReferenceDate: -5))
        #expect(row.int == 7)
        let sums = try decode(
            "SELECT sum(n), 12::int8, avg(n), 1::float8, count(*) FROM generate_series(1, 4) AS n", plan)
        #expect(sums.first?.double == 10 && sums.first?.float == 2.5 && sums.first?.decimal == 12)
    }

    @Test func `zero, the empty string and empty data are values`() throws {
        let plan = RowPlan(
            ops: [
                op(0, \Maybe.int), op(1, \Maybe.string), op(2, \Maybe.data), op(3, \Maybe.bool), op(4, \Maybe.decimal),
            ],
            template: Maybe())
        let row = try #require(try decode("SELECT 0, '', ''::bytea, false, 0.00", plan).first)
        #expect(row.int == 0 && row.string == "" && row.data == Data() && row.bool == false && row.decimal == 0)
    }

    @Test(arguments: [0, 1, 7, 8, 9, 511, 512, 5000])
    func `any number of rows is read, whole, in portions and one by one`(count: Int) throws {
        struct Row: Sendable, Equatable { var id = 0; var name = "" }
        let plan = RowPlan(ops: [op(0, \Row.id), op(1, \Row.name)], template: Row())
        let sql = "SELECT n, 'the name of row number ' || n FROM generate_series(1, \(count)) AS n"
        let expected = (0..<count).map { Row(id: $0 + 1, name: "the name of row number \($0 + 1)") }
        #expect(try decode(sql, plan) == expected)
        var seen: [Row] = []
        try connection.run(sql).forEach(plan) { seen.append($0.move()) }
        #expect(seen == expected)
        var rows: [Row] = []
        try connection.transaction(TransactionOptions()) {
            let cursor = try connection.cursor(SQLStatement(sql), portion: 9)
            while let portion = try cursor.next() { try portion.decode(plan, into: &rows) }
        }
        #expect(rows == expected)
        let memory = RowMemory(plan.layout)
        for _ in 0..<2 { try connection.run(sql).decode(into: memory) }
        #expect(memory.count == count * 2)
        for index in 0..<memory.count {
            #expect(memory[index].assumingMemoryBound(to: Row.self).pointee == expected[index % max(1, count)])
        }
    }

    @Test func `nested properties, gaps and properties without a column`() throws {
        struct Inner: Sendable { var pad: UInt8 = 3; var text = "inner"; var number: Int16? = 4 }
        struct Outer: Sendable { var flag = true; var inner = Inner(); var pair = (1, "two"); var tags = ["a", "b"] }
        let plan = RowPlan(
            ops: [op(0, \Outer.inner.text), op(1, \Outer.inner.number), op(2, \Outer.pair.1), op(3, \Outer.pair.0)],
            template: Outer())
        let rows = try decode("SELECT 'new', NULL::int2, 'three', 9 UNION ALL SELECT 'old', 5::int2, 'four', 10", plan)
        #expect(rows.map(\.inner.text) == ["new", "old"] && rows.map(\.inner.number) == [nil, 5])
        #expect(rows.allSatisfy { $0.flag && $0.inner.pad == 3 && $0.tags == ["a", "b"] })
        #expect(rows.map(\.pair.0) == [9, 10] && rows.map(\.pair.1) == ["three", "four"])
        struct Empty: Sendable {}
        #expect(try decode("SELECT 1 UNION ALL SELECT 2", RowPlan(ops: [], template: Empty())).count == 2)
    }

    @Test func `a plan that points outside its type, or to a column that does not exist, is an error`() {
        let plans = [
            RowPlan(ops: [RowOp(column: 0, kind: .int, offset: MemoryLayout<All>.size)], template: All()),
            RowPlan(ops: [RowOp(column: 0, kind: .int, offset: -8)], template: All()),
            RowPlan(ops: [RowOp(column: 0, kind: .custom, offset: 0)], template: All()),
        ]
        for plan in plans { #expect(serverError { try decode("SELECT 1", plan) }?.kind == .misuse) }
        for column: Int32 in [1, -1, .max] {
            let plan = RowPlan(ops: [op(column, \All.int)], template: All())
            #expect(serverError { try decode("SELECT 1", plan) }?.kind == .misuse)
        }
    }
}
#endif
