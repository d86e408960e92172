#if PostgreSQL
import Foundation
import SwormRows
import Testing

@testable import SwormPostgres

@Suite("Closures, classes, kinds and lifetimes in decoding results", .needsServer)
struct DecodeLifeTests {
    final class Token {
        let tally: Counter
        let text: String
        init(_ tally: Counter, _ text: String) {
            (self.tally, self.text) = (tally, text)
            tally.add()
        }
        deinit { tally.add(-1) }
    }
    final class Model {
        var id = 0
        var name = ""
        let token: Token
        init(_ tally: Counter) { token = Token(tally, "model") }
    }
    struct Holder { var id = 0; var name = ""; var token: Token?; var data = Data() }

    private let database: TestDatabase
    private var connection: PostgresConnection { database.connection }
    /// The number of objects alive.
    private let tally = Counter()
    init() throws { database = try TestDatabase() }

    private func holderPlan() -> RowPlan<Holder> {
        let tally = tally
        return RowPlan(
            ops: [op(0, \Holder.id), op(1, \Holder.name), op(2, \Holder.data)],
            customs: [
                .init(column: 1) { holder, view in
                    let name = try view.string()
                    if name.hasSuffix("stop") { throw view.issue(expected: "a name that goes on") }
                    holder.token = Token(tally, name)
                }
            ]
        ) { Holder() }
    }

    @Test func `closures set fields without an offset`() throws {
        do {
            let sql = "SELECT n, 'a rather long name ' || n, '\\x00'::bytea FROM generate_series(1, 40) AS n"
            let rows = try connection.run(sql).decode(holderPlan())
            #expect(rows.map(\.id) == Array(1...40))
            #expect(rows.last?.token?.text == "a rather long name 40")
            #expect(tally.value == 40)
        }
        #expect(tally.value == 0)
    }

    @Test(arguments: ["'a rather long name stop'", "NULL"])
    func `a decode that fails half way leaks nothing`(bad: String) throws {
        let sql = """
            SELECT n, CASE n WHEN 30 THEN \(bad) ELSE 'a rather long name ' || n END, decode(repeat('00', 100), 'hex')
            FROM generate_series(1, 40) AS n
            """
        for streams in [false, true] {
            let result = try connection.run(sql)
            let issue = #expect(throws: DecodingFailure.self) {
                if streams {
                    try result.forEach(holderPlan()) { _ = $0.move() }
                } else {
                    _ = try result.decode(holderPlan())
                }
            }
            #expect(issue?.rowID == 30 && issue?.column == 1)
            #expect(tally.value == 0)
        }
    }

    @Test func `each row of a class is an object of its own, also when one fails`() throws {
        let tally = tally
        let plan = RowPlan<Model>(
            ops: [],
            customs: [
                .init(column: 0) { model, view in model.id = try view.int() },
                .init(column: 1) { model, view in model.name = try view.string() },
            ]
        ) { Model(tally) }
        do {
            let models = try connection.run("SELECT n, 'name ' || n FROM generate_series(1, 20) AS n").decode(plan)
            #expect(models.map(\.id) == Array(1...20))
            #expect(Set(models.map(ObjectIdentifier.init)).count == 20)
            #expect(tally.value == 20)
        }
        #expect(tally.value == 0)
        let failing = try connection.run("SELECT n, CASE WHEN n < 15 THEN 'x' END FROM generate_series(1, 20) AS n")
        #expect(throws: DecodingFailure.self) { try failing.decode(plan) }
        #expect(tally.value == 0)
    }

    @Test func `fields written before the one that fails are released, and the array keeps the rows before it`() throws
    {
        struct Row: Sendable {
            var name = ""; var data = Data(); var more: Data?; var url: URL?; var note: String?; var id = 0
        }
        let plan = RowPlan(
            ops: [
                op(1, \Row.name), op(2, \Row.data), op(2, \Row.more), op(3, \Row.url), op(4, \Row.note), op(0, \Row.id),
            ],
            template: Row())
        guard case .bytes = plan.layout.start else {
            Issue.record("the fields cover the struct")
            return
        }
        let result = try connection.run(
            """
            SELECT CASE WHEN n < 3 THEN n END, 'a name that needs the heap', decode(repeat('07', 100), 'hex'),
                'https://example.org', 'a note that needs the heap' FROM generate_series(1, 5) AS n
            """)
        var rows: [Row] = []
        #expect(throws: DecodingFailure.self) { try result.decode(plan, into: &rows) }
        #expect(rows.map(\.id) == [1, 2])
    }

    @Test func `the body of forEach may use the connection, and ends it by an error`() throws {
        struct Stop: Error {}
        struct Row: Sendable { var id = 0 }
        let plan = RowPlan(ops: [op(0, \Row.id)], template: Row())
        var sum = 0
        let result = try connection.run("SELECT generate_series(1, 5)")
        #expect(throws: Stop.self) {
            try result.forEach(plan) { row in
                let row = row.move()
                sum += Int(try connection.integer("SELECT $1 * 2", integers(Int64(row.id))) ?? 0)
                if row.id == 4 { throw Stop() }
            }
        }
        #expect(sum == 20)
    }

    @Test func `a column view reads every type, checked`() throws {
        struct Row: Sendable { var text = "" }
        let views: [@Sendable (borrowing ColumnView) throws -> String] = [
            { "\(try $0.bool())" }, { "\(try $0.int())" }, { "\(try $0.int16())" }, { "\(try $0.int32())" },
            { "\(try $0.int64())" }, { "\(try $0.float())" }, { "\(try $0.double())" }, { "\(try $0.decimal())" },
            { "\(try $0.decimal())" }, { "\(try $0.date().timeIntervalSinceReferenceDate)" }, { try $0.string() },
            { "\(try $0.data().count)" }, { try $0.uuid().uuidString }, { try $0.url().absoluteString },
            { "\(try $0.withBlob { $0.count })" }, { "\($0.type) \($0.isNull)" },
        ]
        let values = [
            "true", "2", "3::int2", "4", "5::int8", "0.5::real", "1.25::float8", "7.50", "-8::numeric",
            "timestamptz '2001-01-01 00:00:08Z'", "'text'", "'\\x0102'::bytea",
            "uuid '00000000-0000-0000-0000-000000000000'",
            "'a:b'", "'\\x01'::bytea", "NULL",
        ]
        let customs: [RowPlan<Row>.Custom] = views.enumerated().map { index, read in
            .init(column: Int32(index)) { row, view in row.text += try read(view) + ";" }
        }
        let result = try connection.run("SELECT " + values.joined(separator: ", "))
        let row = try #require(try result.decode(RowPlan(ops: [], customs: customs, template: Row())).first)
        #expect(
            row.text
                == "true;2;3;4;5;0.5;1.25;7.5;-8;8.0;text;2;00000000-0000-0000-0000-000000000000;a:b;1;null true;")
        for (index, custom) in customs.enumerated() where index < 15 {
            let plan = RowPlan<Row>(ops: [], customs: [.init(column: 0, apply: custom.apply)], template: Row())
            for value in ["NULL", "'{}'::jsonb", "timestamptz 'infinity'"] {
                let result = try connection.run("SELECT \(value)")
                #expect(throws: DecodingFailure.self, "\(index) \(value)") { try result.decode(plan) }
            }
        }
    }

    @Test func `rows of several kinds are read by the plans of their kinds`() throws {
        struct Book: Sendable { var id: Int64 = 0; var title = "" }
        struct Author: Sendable { var id: Int64 = 0; var year: Int? }
        enum Either: Sendable { case book(Book), author(Author) }
        func variant<Part>(_ plan: RowPlan<Part>, _ make: @escaping @Sendable (Part) -> Either) -> RowVariants.Variant {
            RowVariants.Variant(plan) { source, target in
                let part = source.assumingMemoryBound(to: Part.self).move()
                target.initializeMemory(as: Either.self, to: make(part))
            }
        }
        let variants = RowVariants(
            [
                variant(RowPlan(ops: [op(0, \Book.id), op(2, \Book.title)], template: Book())) { .book($0) },
                variant(RowPlan(ops: [op(0, \Author.id), op(3, \Author.year)], template: Author())) { .author($0) },
            ], by: 1, from: 5, indices: [0, -1, 1])
        let plan = RowPlan<Either>(ops: [], variants: variants) { .book(Book()) }
        let rows = try connection.run(
            """
            SELECT n::int8, CASE n % 2 WHEN 0 THEN 5 ELSE 7 END, CASE n % 2 WHEN 0 THEN 'a title of some length ' || n END,
                CASE n % 2 WHEN 1 THEN n + 1900 END FROM generate_series(1, 30) AS n
            """
        ).decode(plan)
        for (index, row) in rows.enumerated() {
            switch row {
            case .book(let book):
                #expect(book.title == "a title of some length \(index + 1)" && book.id == Int64(index + 1))
            case .author(let author): #expect(author.year == 1901 + index && index % 2 == 0)
            }
        }
        #expect(rows.count == 30)
        let unknown = try connection.run("SELECT 9::int8, 6, 'x', 1")
        let issue = #expect(throws: UnknownRowKind.self) { try unknown.decode(plan) }
        #expect(issue?.number == 6 && issue?.rowID == 9)
        let null = try connection.run("SELECT 9::int8, NULL::int, 'x', 1")
        #expect(throws: DecodingFailure.self) { try null.decode(plan) }
    }
}
#endif
