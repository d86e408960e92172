#if PostgreSQL
import Foundation
import SwormRows
import Testing

@testable import SwormPostgres

@Suite("Row buffers from results", .needsServer)
struct RowBufferTests {
    private let database: TestDatabase
    private var connection: PostgresConnection { database.connection }
    init() throws { database = try TestDatabase() }

    private func buffer(_ sql: String, _ rules: [CellRule]) throws -> RowBuffer {
        try RowBuffer.make(of: [try connection.run(sql)], rules: rules)
    }

    @Test func `every kind of cell is read`() throws {
        let uuid = UUID()
        let buffer = try buffer(
            """
            SELECT 5::int2, true, 1.5::real, timestamptz '2001-01-01 00:00:01Z', 'é text', '\\x0102'::bytea, '\(uuid)'::uuid,
                12.50::numeric, 7::numeric, NULL::text, 3::int8
            """,
            [
                CellRule(.integer), CellRule(.integer), CellRule(.real), CellRule(.real), CellRule(.text),
                CellRule(.blob),
                CellRule(.uuid), CellRule(.number), CellRule(.number), CellRule(.text), CellRule(.real),
            ])
        #expect(buffer.count == 1 && buffer.stride == 11)
        #expect(buffer.int64(row: 0, cell: 0) == 5)
        #expect(buffer.int64(row: 0, cell: 1) == 1)
        #expect(buffer.double(row: 0, cell: 2) == 1.5)
        #expect(buffer.double(row: 0, cell: 3) == 1)
        #expect(buffer.text(row: 0, cell: 4) == "é text")
        #expect(buffer.data(row: 0, cell: 5) == Data([1, 2]))
        #expect(buffer.uuid(row: 0, cell: 6) == uuid)
        #expect(buffer.decimal(row: 0, cell: 7) == Decimal(string: "12.5"))
        #expect(buffer.decimal(row: 0, cell: 8) == 7)
        #expect(buffer.isNull(row: 0, cell: 9))
        #expect(buffer.double(row: 0, cell: 10) == 3)
    }

    @Test(arguments: [0, 1, 1000, 40_000])
    func `portions are put together`(count: Int) throws {
        var portions: [PostgresResult] = []
        try connection.transaction(TransactionOptions()) {
            let cursor = try connection.cursor(
                SQLStatement("SELECT n::int8, 'row ' || n FROM generate_series(1, \(count)) AS n"), portion: 999)
            while let portion = try cursor.next() { portions.append(portion) }
        }
        let buffer = try RowBuffer.make(of: portions, rules: [CellRule(.integer), CellRule(.text)])
        #expect(buffer.count == count)
        for row in 0..<count {
            #expect(buffer.int64(row: row, cell: 0) == Int64(row + 1))
            #expect(buffer.text(row: row, cell: 1) == "row \(row + 1)")
        }
    }

    @Test func `a value that breaks its rule is an error with its row and column`() throws {
        let wrong: [(String, CellRule)] = [
            ("NULL::int", CellRule(.integer, allowsNull: false)), ("'1'", CellRule(.integer)),
            ("1.5", CellRule(.integer)),
            ("1.5::float8", CellRule(.integer)), ("1", CellRule(.text)), ("'a'", CellRule(.blob)),
            ("'\\x01'::bytea", CellRule(.uuid)), ("numeric 'NaN'", CellRule(.number)),
            ("1e400", CellRule(.real)), ("'18446744073709551615'::xid8", CellRule(.integer)),
            ("'x'", CellRule(.number)),
            ("timestamptz 'infinity'", CellRule(.real)), ("'{}'::jsonb", CellRule(.any)), ("'x'", CellRule(.real)),
        ]
        for (sql, rule) in wrong {
            let issue = #expect(throws: DecodingFailure.self, "\(sql)") {
                _ = try buffer("SELECT 9::int8, \(sql)", [CellRule(.integer), rule])
            }
            #expect(issue?.column == 1 && issue?.rowID == 9, "\(sql)")
        }
        #expect(serverError { try buffer("SELECT 1", []) }?.kind == .misuse)
    }

    @Test func `numbers without a sign are integers`() throws {
        let buffer = try buffer("SELECT 4000000000::oid, '7'::xid8", Array(repeating: CellRule(.integer), count: 2))
        #expect(buffer.int64(row: 0, cell: 0) == 4_000_000_000 && buffer.int64(row: 0, cell: 1) == 7)
    }

    @Test func `any value is accepted where the rule says so`() throws {
        let sql = "SELECT 1, true, 1.5::float8, 'x', '\\x01'::bytea, 2.5, gen_random_uuid(), now(), NULL::int"
        let buffer = try buffer(sql, Array(repeating: CellRule(.any), count: 9))
        let tags: [StorageClass] = [.integer, .integer, .real, .text, .blob, .text, .blob, .real, .null]
        #expect((0..<9).map { buffer.tag(row: 0, cell: $0) } == tags)
    }
}
#endif
