import Foundation
import SwormPredicates
import SwormSQLite
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("Statements by the shapes of requests")
struct StatementShapeTests {
    private let model = LibraryModel.model
    private let titleAndYear = [1, 2]

    private func filledStore(_ folder: StoreFolder) throws -> SQLiteStore {
        let store = try folder.open()
        var request = SaveRequest()
        for number in 0..<40 {
            request.insert(
                model[LibraryModel.book], key: Int64(-1 - number),
                [
                    "title": number % 7 == 0 ? .null : .string("t\(number % 10)"),
                    "year": number % 5 == 0 ? .null : .int(Int64(number)),
                ])
        }
        try store.save(request)
        return store
    }

    private func key(_ name: String) -> ExpressionTree { .path([name]) }

    private func compare(_ name: String, _ comparator: QueryComparator, _ value: AttributeValue) -> PredicateTree {
        .comparison(Comparison(key(name), by: comparator, with: .value(value)))
    }

    private func request(
        _ predicate: PredicateTree?, limit: Int = 0, offset: Int = 0, sorts: [FetchSpecification.Sort] = []
    ) -> FetchSpecification {
        var request = FetchSpecification(entity: LibraryModel.book)
        request.predicate = predicate
        request.limit = limit
        request.offset = offset
        request.sorts = sorts
        return request
    }

    private func keys(_ statement: consuming Statement) throws -> [Int64] {
        var keys: [Int64] = []
        while try statement.step() { keys.append(statement.int64(0)) }
        return keys
    }

    /// What the request finds by way of the shapes, and when it is compiled for itself.
    private func answers(
        _ request: FetchSpecification, _ shapes: StatementShapes, _ compiler: SQLCompiler, _ connection: Connection
    ) throws -> (byShape: [Int64], compiled: [Int64]) {
        let byShape = try keys(
            try shapes.values(request, attributes: titleAndYear, by: compiler, on: connection))
        let compiled = try compiler.values(request, attributes: titleAndYear)
        var statement = try connection.statement(compiled.sql)
        try statement.bind(compiled.bindings)
        return (byShape, try keys(statement))
    }

    private func withCompiler(_ body: (StatementShapes, SQLCompiler, Connection) throws -> Void) throws {
        let folder = try StoreFolder()
        let store = try filledStore(folder)
        defer { store.close() }
        let connection = try folder.raw()
        try StoreFunctions.register(on: connection)
        let compiler = SQLCompiler(
            model: model, layout: StoreLayout(model: model), storeIdentifier: store.identifier)
        try body(StatementShapes(), compiler, connection)
    }

    @Test func `the second request of a shape binds its own constants, limit and offset`() throws {
        try withCompiler { shapes, compiler, connection in
            let found = try ([3, 17, 17, 39, -1] as [Int64]).map { year in
                let request = request(compare("year", .greaterOrEqual, .int(year)), limit: Int(year) + 2, offset: 1)
                let answers = try answers(request, shapes, compiler, connection)
                #expect(answers.byShape == answers.compiled)
                return answers.byShape
            }
            #expect(Set(found.map(\.count)).count > 2)
        }
    }

    @Test func `equal constants at two positions stay separate`() throws {
        try withCompiler { shapes, compiler, connection in
            for (low, high, title) in [(5, 5, "t5"), (5, 30, "t6"), (30, 5, "t6"), (0, 40, "t2")] {
                let tree = PredicateTree.and([
                    compare("year", .greater, .int(Int64(low))),
                    .or([compare("year", .less, .int(Int64(high))), compare("title", .equal, .string(title))]),
                    .not(compare("title", .notEqual, .string(title))),
                ])
                let answers = try answers(request(tree), shapes, compiler, connection)
                #expect(answers.byShape == answers.compiled)
            }
        }
    }

    @Test func `an update of a shape binds its own constants and values`() throws {
        try withCompiler { shapes, compiler, connection in
            let everything = "SELECT Z_PK, Z_OPT, ZTITLE, ZYEAR FROM ZBOOK ORDER BY Z_PK"
            /// The table after an update that is undone.
            func state(after update: () throws -> Void) throws -> [String] {
                try connection.begin(.immediate)
                defer { try? connection.rollback() }
                do { try update() } catch let error as SQLiteError where error.isUniqueViolation { return ["taken"] }
                var rows: [String] = []
                var statement = try connection.statement(everything)
                while try statement.step() {
                    rows.append((0..<4).map { statement.text($0) ?? "NULL" }.joined(separator: " "))
                }
                return rows
            }
            func step(_ statement: consuming Statement) throws { while try statement.step() {} }
            let values: [SQLBinding] = [
                .text("x"), .null, .text("t3"), .text("\u{2}probe 0"), .text("\u{2}probe 1"), .text("\u{1}probe 0"),
                .int64(7), .double(0.5),
            ]
            var found: Set<[String]> = []
            for (index, value) in values.enumerated() {
                for columns in [["ZTITLE"], ["ZTITLE", "ZYEAR"], ["ZYEAR", "ZTITLE"]] {
                    let assignments = columns.enumerated().map { place, column in
                        ColumnAssignment(column: column, value: place == 0 ? value : values[(index + 3) % 8])
                    }
                    for request in [
                        request(compare("year", .equal, .int(Int64(index * 3)))),
                        request(compare("title", .equal, .string("t\(index)"))),
                        request(compare("title", .equal, .string("\u{2}probe 0"))), request(nil),
                    ] {
                        let byShape = try state {
                            try step(shapes.update(request, set: assignments, by: compiler, on: connection))
                        }
                        let compiled = try state {
                            let compiled = try compiler.update(request, set: assignments, leavingEqual: true)
                            var statement = try connection.statement(compiled.sql)
                            try statement.bind(compiled.bindings)
                            try step(statement)
                        }
                        #expect(byShape == compiled)
                        found.insert(byShape)
                    }
                }
            }
            #expect(found.count > 40)
        }
    }

    @Test func `nil, other kinds of values, lists, options and orders are distinguished`() throws {
        try withCompiler { shapes, compiler, connection in
            let trees: [PredicateTree?] = [
                nil, .constant(true), .constant(false), compare("title", .equal, .null),
                compare("title", .notEqual, .null), compare("title", .equal, .string("t3")),
                compare("year", .equal, .int(3)), compare("year", .equal, .double(3)),
                compare("year", .equal, .double(.nan)), compare("year", .less, .bool(true)),
                .comparison(
                    Comparison(key("title"), by: .equal, with: .value(.string("T3")), options: [.caseInsensitive])),
                .comparison(Comparison(key("year"), by: .in, with: .list([.value(.int(3)), .value(.int(4))]))),
                .comparison(Comparison(key("title"), by: .beginsWith, with: .value(.string("t")))),
                .comparison(Comparison(key("year"), by: .equal, with: key("year"))),
                .comparison(Comparison(.path(["tags", "@count"]), by: .equal, with: .value(.int(0)))),
                .comparison(Comparison(.path(["tags", "@count"]), by: .greater, with: .value(.int(0)))),
                .comparison(Comparison(.path(["author", "name"]), by: .equal, with: .value(.string("nobody")))),
            ]
            for _ in 0..<2 {
                for tree in trees {
                    for sorts in [[], [FetchSpecification.Sort(path: ["year"], ascending: false)]] {
                        for limit in [0, 2] {
                            let answers = try answers(
                                request(tree, limit: limit, sorts: sorts), shapes, compiler, connection)
                            #expect(answers.byShape == answers.compiled, "\(String(describing: tree))")
                        }
                    }
                }
            }
        }
    }

    @Test func `random predicates with random constants find the same as when they are compiled`() throws {
        var random = SeededRandom(seed: 20_261_121)
        func tree(_ depth: Int) -> PredicateTree {
            switch depth == 0 ? 3 : random.next() % 5 {
            case 0: return .and([tree(depth - 1), tree(depth - 1)])
            case 1: return .or([tree(depth - 1), tree(depth - 1)])
            case 2: return .not(tree(depth - 1))
            default:
                let comparators: [QueryComparator] = [
                    .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual,
                ]
                let comparator = comparators[Int(random.next() % 6)]
                return random.next() % 2 == 0
                    ? compare("year", comparator, .int(Int64(random.next() % 42)))
                    : compare("title", comparator, .string("t\(random.next() % 11)"))
            }
        }
        try withCompiler { shapes, compiler, connection in
            for _ in 0..<400 {
                let answers = try answers(request(tree(2)), shapes, compiler, connection)
                #expect(answers.byShape == answers.compiled)
            }
        }
    }

    @Test func `constants on either side of the bounds of a type find the same rows as compiled constants`() throws {
        try withCompiler { shapes, compiler, connection in
            let years: [Int64] = [.max, .min, 1 << 40, -(1 << 40), 70_000, 40_000, 39, 0, -1]
            for comparator in [QueryComparator.equal, .notEqual, .less, .greaterOrEqual] {
                for year in years + years.reversed() {
                    for value in [AttributeValue.int(year), .double(Double(year)), .double(Double(year) + 0.5)] {
                        let answers = try answers(
                            request(compare("year", comparator, value)), shapes, compiler, connection)
                        #expect(answers.byShape == answers.compiled, "\(comparator) \(value)")
                    }
                }
            }
            for title in ["t3", "", "3", "T3", "%", "t3\0", String(repeating: "t", count: 100_000)] {
                let answers = try answers(
                    request(compare("title", .lessOrEqual, .string(title))), shapes, compiler, connection)
                #expect(answers.byShape == answers.compiled)
            }
        }
    }

    @Test func `a statement that stopped at its limit leaves no read open`() throws {
        try withCompiler { shapes, compiler, connection in
            let request = request(compare("year", .greater, .int(0)), limit: 1)
            for _ in 0..<3 {
                var statement = try shapes.values(request, attributes: titleAndYear, by: compiler, on: connection)
                #expect(try statement.step())
                // The log can't be cut while somebody reads.
                #expect(throws: SQLiteError.self) { try connection.checkpoint(.truncate) }
            }
            #expect(try connection.checkpoint(.truncate).log == 0)
        }
    }

    @Test func `a statement that left the cache, or whose schema has changed, is prepared again`() throws {
        try withCompiler { shapes, compiler, connection in
            for round in 0..<6 {
                let request = request(compare("year", .less, .int(Int64(10 + round))))
                let answers = try answers(request, shapes, compiler, connection)
                #expect(answers.byShape == answers.compiled && !answers.byShape.isEmpty)
                if round % 3 == 0 { connection.dropCachedStatements() }
                if round == 1 { try connection.execute("CREATE INDEX other ON ZBOOK (ZYEAR)") }
                if round == 4 { try connection.execute("DROP INDEX other") }
            }
        }
    }

    @Test func `a statement of a shape can be used while it is in use`() throws {
        try withCompiler { shapes, compiler, connection in
            let request = request(compare("year", .less, .int(20)))
            var outer = try shapes.values(request, attributes: titleAndYear, by: compiler, on: connection)
            #expect(try outer.step())
            let inner = try keys(try shapes.values(request, attributes: titleAndYear, by: compiler, on: connection))
            var count = 1
            while try outer.step() { count += 1 }
            #expect(inner.count == count)
        }
    }

    @Test func `rows, identities and counts have statements of their own`() throws {
        try withCompiler { shapes, compiler, connection in
            let shape = RowShape(model: model, entity: LibraryModel.book)
            for round in 0..<3 {
                let title = "t\(round + 2)"
                for limit in [0, 1, 2] {
                    let request = request(
                        .and([compare("year", .greater, .int(5)), compare("title", .equal, .string(title))]),
                        limit: limit)
                    let (found, compiled) = try answers(request, shapes, compiler, connection)
                    #expect(found == compiled && !found.isEmpty)
                    #expect(try keys(try shapes.rows(request, shape: shape, by: compiler, on: connection)) == compiled)
                    var identities = try shapes.identities(request, by: compiler, on: connection)
                    var second: [Int64] = []
                    while try identities.step() { second.append(identities.int64(1)) }
                    #expect(second == compiled)
                    #expect(
                        try keys(try shapes.count(request, by: compiler, on: connection)) == [Int64(compiled.count)])
                }
            }
        }
    }
}
