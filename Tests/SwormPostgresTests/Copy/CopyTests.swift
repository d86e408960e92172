#if PostgreSQL
import Foundation
import SwormRows
import TestSupport
import Testing

@testable import SwormPostgres

@Suite("COPY", .needsServer)
struct CopyTests {
    private let database: TestDatabase
    private var connection: PostgresConnection { database.connection }
    init() throws {
        database = try TestDatabase()
        try database.connection.run(
            "CREATE TABLE t (i2 smallint, i4 int, i8 bigint, f4 real, f8 float8, b bool, s text, d bytea, u uuid, t timestamptz, n numeric)"
        )
    }

    private static let types: [PostgresType] = [
        .int2, .int4, .int8, .float4, .float8, .bool, .text, .bytea, .uuid, .timestamptz, .numeric,
    ]

    struct Row: Equatable {
        var i2: Int16? = -2
        var i4: Int32 = .min
        var i8 = Int.max
        var f4: Float = 0.5
        var f8: Double? = 1e300
        var b = true
        var s: String? = "é,\t\n\\N"
        var d = Data([0, 1, 255])
        var u: UUID? = UUID()
        var t = Date(timeIntervalSinceReferenceDate: 12.25)
    }

    private static func ops() throws -> [BindOp] {
        func op<Value>(_ keyPath: KeyPath<Row, Value>, _ width: BindOp.Width = .full) throws -> BindOp {
            BindOp(
                parameter: 0, kind: FieldKind(Value.self), width: width,
                offset: try #require(MemoryLayout<Row>.offset(of: keyPath)))
        }
        return try [
            op(\.i2), op(\.i4), op(\.i8), op(\.f4), op(\.f8), op(\.b), op(\.s), op(\.d), op(\.u), op(\.t),
        ]
    }

    private func write(_ rows: [Row], _ writer: inout CopyWriter) throws {
        let ops = try Self.ops()
        for row in rows {
            try writer.beginRow()
            try withUnsafeBytes(of: row) { bytes in
                let start = try #require(bytes.baseAddress)
                let count = ops.withUnsafeBufferPointer { writer.write($0, of: start) }
                #expect(count == ops.count)
            }
            expect(writer.write(Decimal(string: "12.50") ?? 0))
        }
    }

    @Test func `rows are written from the memory of structs`() throws {
        let rows = (0..<20_000).map { number in
            Row(i8: number, s: number % 3 == 0 ? nil : "row \(number)", u: number % 2 == 0 ? nil : UUID())
        }
        #expect(try connection.copyIn(into: "t", types: Self.types) { try write(rows, &$0) } == 20_000)
        let result = try connection.run("SELECT * FROM t ORDER BY i8")
        #expect(result.rowCount == 20_000)
        for number in [0, 1, 7777, 19_999] {
            let row = rows[number]
            #expect(try result.int64(number, column: 0) == -2)
            #expect(try result.int64(number, column: 1) == Int64(Int32.min))
            #expect(try result.int(number, column: 2) == number)
            #expect(try result.double(number, column: 3) == 0.5)
            #expect(try result.double(number, column: 4) == 1e300)
            #expect(try result.bool(number, column: 5) == true)
            #expect(try result.string(number, column: 6) == row.s)
            #expect(try result.data(number, column: 7) == row.d)
            #expect(try result.uuid(number, column: 8) == row.u)
            #expect(try result.date(number, column: 9) == row.t)
            #expect(try result.decimal(number, column: 10) == Decimal(string: "12.5"))
        }
    }

    @Test func `a value that does not fit is found, and its row can be abandoned`() throws {
        let count = try connection.copyIn(into: "t (i2, s)", types: [.int2, .text]) { writer in
            try writer.beginRow()
            expect(!writer.write(Int64(40_000)))
            expect(writer.write(Int64(-5)))
            expect(!writer.write("a\0"))
            expect(!writer.write(true))
            writer.abandonRow()
            try writer.beginRow()
            expect(writer.writeNull())
            expect(writer.write("kept"))
            expect(!writer.write("too many"))
        }
        #expect(count == 1)
        #expect(try connection.string("SELECT s FROM t WHERE i2 IS NULL") == "kept")
        #expect(try connection.integer("SELECT count(*) FROM t") == 1)
    }

    @Test func `a failure writes no row, and the connection goes on`() throws {
        struct Stop: Error {}
        #expect(throws: Stop.self) {
            try connection.copyIn(into: "t (i8)", types: [.int8]) { writer in
                for number in 0..<50_000 {
                    try writer.beginRow()
                    _ = writer.write(Int64(number))
                }
                throw Stop()
            }
        }
        #expect(
            serverError {
                try connection.copyIn(into: "t (i8, i4)", types: [.int8, .int4]) { writer in
                    try writer.beginRow()
                    _ = writer.write(Int64(1))
                }
            }?.kind == .misuse)
        // A type that is not the column's, and a table that does not exist.
        let wrong = serverError {
            try connection.copyIn(into: "t (i4)", types: [.int8]) { writer in
                try writer.beginRow()
                _ = writer.write(Int64(1))
            }
        }
        #expect(wrong?.kind == .invalidValue)
        #expect(serverError { try connection.copyIn(into: "nowhere", types: []) { _ in } }?.kind == .statement)
        #expect(
            serverError { try connection.copyIn(into: "t", types: []) { _ in try connection.run("SELECT 1") } }?.kind
                == .misuse)
        #expect(try connection.integer("SELECT count(*) FROM t") == 0)
    }

    @Test func `the number of rows is that of the server`() throws {
        try connection.run(
            "CREATE FUNCTION skip() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN IF NEW.i8 % 3 = 0 THEN RETURN NULL; END IF; RETURN NEW; END'"
        )
        try connection.run("CREATE TRIGGER skip BEFORE INSERT ON t FOR EACH ROW EXECUTE FUNCTION skip()")
        let count = try connection.copyIn(into: "t (i8)", types: [.int8]) { writer in
            for number in 1...10 {
                try writer.beginRow()
                _ = writer.write(Int64(number))
            }
        }
        #expect(count == 7)
        #expect(try connection.integer("SELECT count(*) FROM t") == 7)
    }

    @Test func `COPY is a part of its transaction`() throws {
        try connection.run("ALTER TABLE t ADD UNIQUE (i8)")
        func copy(_ numbers: [Int64]) throws {
            try connection.copyIn(into: "t (i8)", types: [.int8]) { writer in
                for number in numbers {
                    try writer.beginRow()
                    _ = writer.write(number)
                }
            }
        }
        try connection.begin(TransactionOptions())
        try copy([1, 2])
        connection.rollback()
        try connection.transaction(TransactionOptions()) {
            try copy([1, 2])
            let error = serverError { try connection.savepoint { try copy([3, 3]) } }
            #expect(error?.kind == .uniqueViolation)
            try copy([4])
        }
        #expect(try connection.integers("SELECT i8 FROM t ORDER BY i8") == [1, 2, 4])
    }

    @Test func `random rows come back by COPY in both directions`() throws {
        var random = seededRandom()
        try connection.run("CREATE TABLE copy (LIKE t)")
        let rows = (0..<3000).map { number in
            Row(
                i2: random.chance(20) ? nil : Int16.random(in: .min ... .max, using: &random), i8: number,
                f8: random.chance(20) ? nil : Double.random(in: -1e9...1e9, using: &random),
                s: random.chance(20) ? nil : String(repeating: "ü", count: random.pick(200)),
                d: Data((0..<random.pick(50)).map { _ in UInt8.random(in: 0...255, using: &random) }))
        }
        try connection.copyIn(into: "t", types: Self.types) { try write(rows, &$0) }
        let other = try database.connect()
        try other.copyIn(into: "copy", types: Self.types) { writer in
            let count = try connection.copyOut(of: "t") { row in
                try writer.beginRow()
                #expect(row.count == Self.types.count)
                for column in 0..<row.count {
                    row.withBytes(column) { bytes in
                        expect(bytes.map { writer.write(form: $0) } ?? writer.writeNull())
                    }
                }
            }
            #expect(count == 3000)
        }
        #expect(try connection.integer("SELECT count(*) FROM (TABLE t EXCEPT TABLE copy) AS d") == 0)
        #expect(try connection.integer("SELECT count(*) FROM copy") == 3000)
    }

    @Test func `an error of the body ends the reading`() throws {
        struct Stop: Error {}
        for isInTransaction in [true, false] {
            if isInTransaction { try connection.begin(TransactionOptions()) }
            #expect(throws: Stop.self) {
                try connection.copyOut(of: "(SELECT generate_series(1, 200000))") { _ in throw Stop() }
            }
            #expect(try connection.integer("SELECT 1::bigint") == 1)
            connection.rollback()
        }
        #expect(try connection.copyOut(of: "(SELECT 1 WHERE false)") { _ in } == 0)
        #expect(serverError { try connection.copyOut(of: "nowhere") { _ in } }?.kind == .statement)
        #expect(
            serverError { try connection.copyOut(of: "(SELECT 1 / (3 - n) FROM generate_series(1, 5) AS n)") { _ in } }?
                .kind == .divisionByZero)
    }
}
#endif
