import Foundation
import Testing

@testable import SwormRows
@testable import SwormSQLite

@Suite("Closures, classes and lifetimes in decoding")
struct DecodeLifeTests {
    /// Counts the objects alive.
    final class Tally: @unchecked Sendable {
        // The tests of a tally run on one thread.
        var alive = 0
    }
    final class Token {
        let tally: Tally
        let text: String
        init(_ tally: Tally, _ text: String) {
            self.tally = tally
            self.text = text
            tally.alive += 1
        }
        deinit { tally.alive -= 1 }
    }
    final class Model {
        var id = 0
        var name = ""
        let token: Token
        init(_ tally: Tally) { token = Token(tally, "model") }
    }
    struct Holder { var id = 0; var name = ""; var token: Token?; var data = Data() }

    let connection: Connection
    let tally = Tally()
    init() throws { connection = try memory() }

    func count(_ last: Int) -> String {
        "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < \(last))"
    }

    func holderPlan() -> RowPlan<Holder> {
        let tally = tally
        return RowPlan(
            ops: [DecodeTests.op(0, \Holder.id), DecodeTests.op(1, \Holder.name), DecodeTests.op(2, \Holder.data)],
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
            var statement = try connection.statement(count(40) + " SELECT n, 'a rather long name ' || n, x'00' FROM c")
            let rows = try statement.decode(holderPlan())
            #expect(rows.map(\.id) == Array(1...40))
            #expect(rows.last?.token?.text == "a rather long name 40")
            #expect(tally.alive == 40)
        }
        #expect(tally.alive == 0)
    }

    @Test(arguments: ["'a rather long name stop'", "NULL", "5", "CAST(x'FF' AS TEXT)"])
    func `a decode that fails half way leaks nothing`(bad: String) throws {
        let sql =
            count(40)
            + " SELECT n, CASE n WHEN 30 THEN \(bad) ELSE 'a rather long name ' || n END, zeroblob(100) FROM c"
        let plan = holderPlan()
        for streams in [false, true] {
            var issue: DecodingFailure?
            do {
                var statement = try connection.statement(sql)
                if streams { try statement.forEach(plan) { _ = $0.move() } } else { _ = try statement.decode(plan) }
            } catch let error as DecodingFailure { issue = error }
            #expect(issue?.rowID == 30)
            #expect(issue?.column == 1)
            #expect(tally.alive == 0)
        }
    }

    @Test func `fields written before the one that fails are released`() throws {
        struct Row: Sendable {
            var name = ""
            var data = Data()
            var more: Data?
            var url: URL?
            var note: String?
            var id = 0
        }
        func external(_ column: Int32, _ kind: FieldKind, _ offset: Int?) throws -> RowOp {
            RowOp(column: column, kind: kind, offset: try #require(offset), isExternal: true)
        }
        let ops = [
            DecodeTests.op(1, \Row.name), try external(2, .data, MemoryLayout<Row>.offset(of: \.data)),
            try external(2, .optionalData, MemoryLayout<Row>.offset(of: \.more)), DecodeTests.op(3, \Row.url),
            DecodeTests.op(4, \Row.note), DecodeTests.op(0, \Row.id),
        ]
        let plan = RowPlan(ops: ops, template: Row())
        guard case .bytes = plan.layout.start else {
            Issue.record("the fields cover the struct")
            return
        }
        let sql =
            count(3) + """
                 SELECT CASE n WHEN 3 THEN 'x' ELSE n END, 'a name that needs the heap', x'02', 'https://example.org',
                    'a note that needs the heap' FROM c
                """
        let tally = tally
        // The data of each field counts while somebody holds it.
        func counted(_ bytes: UnsafeRawBufferPointer) -> Data {
            let memory = UnsafeMutableRawPointer.allocate(byteCount: 100, alignment: 1)
            memory.initializeMemory(as: UInt8.self, repeating: 7, count: 100)
            tally.alive += 1
            return Data(
                bytesNoCopy: memory, count: 100,
                deallocator: .custom { memory, _ in
                    tally.alive -= 1
                    memory.deallocate()
                })
        }
        do {
            var statement = try connection.statement(sql)
            let rows = try statement.decode(plan, limit: 2, external: counted)
            #expect(rows.map(\.more?.count) == [100, 100])
            #expect(tally.alive == 4)
            #expect(throws: DecodingFailure.self) { try decodeRest(&statement, plan, counted) }
            #expect(tally.alive == 4)
            withExtendedLifetime(rows) {}
        }
        #expect(tally.alive == 0)
    }

    func decodeRest<T>(
        _ statement: inout Statement, _ plan: RowPlan<T>, _ external: @escaping Statement.ExternalReader
    ) throws { _ = try statement.decode(plan, external: external) }

    @Test func `each row of a class is an object of its own`() throws {
        let tally = tally
        do {
            let plan = RowPlan<Model>(
                ops: [],
                customs: [
                    .init(column: 0) { model, view in model.id = try view.int() },
                    .init(column: 1) { model, view in model.name = try view.string() },
                ]
            ) { Model(tally) }
            var statement = try connection.statement(count(20) + " SELECT n, 'name ' || n FROM c")
            let models = try statement.decode(plan)
            #expect(models.map(\.id) == Array(1...20))
            #expect(Set(models.map(ObjectIdentifier.init)).count == 20)
            #expect(tally.alive == 20)
            statement.reset()
            var kept: [Model] = []
            try statement.forEach(plan) {
                let row = $0.move(); if row.id % 2 == 0 { kept.append(row) }
            }
            #expect(kept.map(\.name) == (1...10).map { "name \($0 * 2)" })
            #expect(tally.alive == 30)
        }
        #expect(tally.alive == 0)
    }

    @Test func `a failing class decode releases its objects`() throws {
        let tally = tally
        let plan = RowPlan<Model>(
            ops: [], customs: [.init(column: 0) { model, view in model.id = try view.int() }]
        ) { Model(tally) }
        var statement = try connection.statement(count(20) + " SELECT CASE n WHEN 15 THEN 'x' ELSE n END FROM c")
        var failed = false
        do { _ = try statement.decode(plan) } catch { failed = error is DecodingFailure }
        #expect(failed)
        #expect(tally.alive == 0)
    }

    @Test func `a struct may be created for each row`() throws {
        struct Row { var id = 0; var token: Token }
        let tally = tally
        do {
            var statement = try connection.statement(count(3) + " SELECT n FROM c")
            let ops = [DecodeTests.op(0, \Row.id)]
            let own = try statement.decode(RowPlan<Row>(ops: ops, makesEach: true) { Row(token: Token(tally, "")) })
            #expect(Set(own.map { ObjectIdentifier($0.token) }).count == 3)
            statement.reset()
            let shared = try statement.decode(RowPlan<Row>(ops: ops) { Row(token: Token(tally, "")) })
            #expect(Set(shared.map { ObjectIdentifier($0.token) }).count == 1)
            #expect(shared.map(\.id) == [1, 2, 3])
        }
        #expect(tally.alive == 0)
    }

    @Test func `a stream ends when its body throws, and starts each row afresh`() throws {
        struct Stop: Error {}
        struct Row: Sendable { var id = 0; var note = "none" }
        let plan = RowPlan<Row>(
            ops: [DecodeTests.op(0, \Row.id)],
            customs: [.init(column: 1) { row, view in if !view.isNull { row.note = try view.string() } }],
            template: Row())
        var statement = try connection.statement("SELECT 1, 'first' UNION ALL SELECT 2, NULL UNION ALL SELECT 3, 'x'")
        var seen: [String] = []
        var stopped = false
        do {
            try statement.forEach(plan) { place in
                let row = place.move()
                if row.id == 3 { throw Stop() }
                seen.append(row.note)
            }
        } catch { stopped = error is Stop }
        #expect(stopped)
        #expect(seen == ["first", "none"])
    }

    @Test func `the body of a stream may use the connection`() throws {
        struct Row: Sendable { var id = 0 }
        try connection.execute("CREATE TABLE copy (a)")
        let plan = RowPlan(ops: [DecodeTests.op(0, \Row.id)], template: Row())
        var statement = try connection.statement(count(5) + " SELECT n FROM c")
        let connection = connection
        try statement.forEach(plan) { place in
            let row = place.move()
            var insert = try connection.statement("INSERT INTO copy VALUES (?)")
            try insert.bind(row.id, at: 1)
            try insert.run()
        }
        #expect(try connection.integer("SELECT sum(a) FROM copy") == 15)
    }

    @Test func `external columns give inline data, and hand references over`() throws {
        struct Row: Sendable, Equatable { var data = Data(); var other: Data? }
        struct Missing: Error {}
        let ops = [
            RowOp(column: 0, kind: .data, offset: try #require(MemoryLayout<Row>.offset(of: \.data)), isExternal: true),
            RowOp(
                column: 1, kind: .optionalData, offset: try #require(MemoryLayout<Row>.offset(of: \.other)),
                isExternal: true),
        ]
        let plan = RowPlan(ops: ops, template: Row())
        let sql = "SELECT x'01AABB', NULL UNION ALL SELECT x'01', x'02414200'"
        var asked: [[UInt8]] = []
        var statement = try connection.statement(sql)
        let rows = try statement.decode(plan) { bytes in
            asked.append(Array(bytes))
            return Data([9, 9])
        }
        #expect(rows == [Row(data: Data([0xAA, 0xBB]), other: nil), Row(data: Data(), other: Data([9, 9]))])
        #expect(asked == [[2, 0x41, 0x42, 0]])
        statement.reset()
        let issue = try #require(throws: ExternalDataFailure.self) {
            try statementThrowing(plan, sql) { _ in throw Missing() }
        }
        #expect(issue.cause is Missing)
        #expect(throws: DecodingFailure.self) { try statementThrowing(plan, sql, nil) }
        #expect(throws: DecodingFailure.self) { try statementThrowing(plan, "SELECT 'text', NULL") { _ in Data() } }
    }

    func statementThrowing<T>(
        _ plan: RowPlan<T>, _ sql: String, _ external: Statement.ExternalReader?
    ) throws {
        var statement = try connection.statement(sql)
        try statement.forEach(plan, external: external) { _ = $0.move() }
    }

    @Test func `a column view reads every type, checked`() throws {
        struct Row: Sendable { var text = "" }
        let views: [@Sendable (borrowing ColumnView) throws -> String] = [
            { "\(try $0.bool())" }, { "\(try $0.int())" }, { "\(try $0.int16())" }, { "\(try $0.int32())" },
            { "\(try $0.int64())" }, { "\(try $0.float())" }, { "\(try $0.double())" }, { "\(try $0.decimal())" },
            { "\(try $0.date().timeIntervalSinceReferenceDate)" }, { try $0.string() }, { "\(try $0.data().count)" },
            { try $0.uuid().uuidString }, { try $0.url().absoluteString }, { "\(try $0.withBlob { $0.count })" },
            { "\($0.type) \($0.isNull)" },
        ]
        let values = [
            "1", "2", "3", "4", "5", "0.5", "1.25", "'7.5'", "8", "'text'", "x'0102'", "zeroblob(16)", "'a:b'", "x'01'",
            "NULL",
        ]
        let customs: [RowPlan<Row>.Custom] = views.enumerated().map { index, read in
            .init(column: Int32(index)) { row, view in row.text += try read(view) + ";" }
        }
        var statement = try connection.statement("SELECT " + values.joined(separator: ", "))
        let row = try #require(try statement.decode(RowPlan(ops: [], customs: customs, template: Row())).first)
        #expect(
            row.text
                == "true;2;3;4;5;0.5;1.25;7.5;8.0;text;2;00000000-0000-0000-0000-000000000000;a:b;1;null true;")
        for (index, custom) in customs.enumerated() where index < 14 {
            let plan = RowPlan<Row>(ops: [], customs: [.init(column: 0, apply: custom.apply)], template: Row())
            #expect(throws: DecodingFailure.self) { try statementThrowing(plan, "SELECT NULL", nil) }
        }
    }
}
