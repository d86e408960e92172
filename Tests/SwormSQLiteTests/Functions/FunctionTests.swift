import Foundation
import Testing

@testable import SwormRows
@testable import SwormSQLite

@Suite("Functions and collations")
struct FunctionTests {
    struct Refusal: Error, CustomStringConvertible { var description: String { "no letters here" } }
    final class Pattern { let text: String; init(_ text: String) { self.text = text } }
    final class Counter { var count = 0 }

    let connection: Connection
    init() throws { connection = try memory() }

    @Test func `a function reads its arguments and returns every kind`() throws {
        try connection.addFunction("echo", argumentCount: 1, deterministic: true) { call in
            switch call.type(0) {
            case .null: .null
            case .integer: .integer(call.int64(0))
            case .real: .real(call.double(0))
            case .text: .text(call.text(0) ?? "?")
            case .blob: .blob(call.blob(0) ?? [9])
            }
        }
        for value in ["NULL", "-9223372036854775808", "1.5", "'é'", "''", "x'0102'", "x''"] {
            var statement = try connection.statement(
                "SELECT echo(\(value)) IS \(value), typeof(echo(\(value))) = typeof(\(value))")
            #expect(try statement.step())
            #expect(statement.int(0) == 1, "\(value)")
            #expect(statement.int(1) == 1, "\(value)")
        }
        let long = String(repeating: "long ", count: 50_000)
        var statement = try connection.statement("SELECT echo(?) = ?1")
        try statement.bind(long, at: 1)
        #expect(try statement.step())
        #expect(statement.int(0) == 1)
    }

    @Test func `a function of any count sees how many arguments there are`() throws {
        try connection.addFunction("total", argumentCount: -1, deterministic: true) { call in
            var sum: Int64 = 0
            for index in 0..<call.argumentCount { sum += call.int64(index) }
            // Beyond the last one there is nothing, and nothing breaks.
            return .bool(sum == 6 && call.isNull(call.argumentCount) && call.isNull(-1) && call.text(99) == nil)
        }
        #expect(try connection.integer("SELECT total(1, 2, 3)") == 1)
        #expect(try connection.integer("SELECT total()") == 0)
    }

    @Test func `an error that a function throws is the statement's error`() throws {
        try connection.addFunction("letters", argumentCount: 1, deterministic: true) { _ in throw Refusal() }
        let error = sqliteError { _ = try connection.integer("SELECT letters(1)") }
        #expect(error?.message == "no letters here")
        #expect(error?.code == SQLiteError.error)
        try connection.addFunction("stop", argumentCount: 0, deterministic: false) { _ in
            throw SQLiteError(code: SQLiteError.interrupt, message: "stopped")
        }
        let stopped = sqliteError { _ = try connection.integer("SELECT stop()") }
        #expect(stopped?.isInterrupt == true)
        #expect(stopped?.message == "stopped")
    }

    @Test func `a value that is made from a bound argument is kept while the statement runs`() throws {
        try connection.execute("CREATE TABLE t (a); INSERT INTO t VALUES ('apple'), ('pear'), ('apricot'), (NULL)")
        let made = Counter()
        try connection.addFunction("begins", argumentCount: 2, deterministic: true) { call in
            let pattern = call.cached(forArgument: 1) {
                made.count += 1
                return Pattern(call.text(1) ?? "")
            }
            return call.withText(0) { text in
                guard let text else { return .null }
                return .bool(text.starts(with: pattern.text.utf8))
            }
        }
        for _ in 0..<2 {
            var statement = try connection.statement("SELECT count(*) FROM t WHERE begins(a, ?)")
            try statement.bind("ap", at: 1)
            #expect(try statement.step())
            #expect(statement.int(0) == 2)
            statement.reset()
            try statement.bind("pe", at: 1)
            #expect(try statement.step())
            #expect(statement.int(0) == 1)
        }
        #expect(made.count == 4)
        made.count = 0
        // An argument that changes is made anew for each row; everything begins with the nothing of NULL.
        #expect(try connection.integer("SELECT count(*) FROM t WHERE begins('x', a)") == 1)
        #expect(made.count == 4)
    }

    @Test func `kept objects and functions are released`() throws {
        weak var weakPattern: Pattern?
        weak var weakCounter: Counter?
        do {
            let connection = try memory()
            let counter = Counter()
            weakCounter = counter
            try connection.addFunction("once", argumentCount: 1, deterministic: true) { call in
                counter.count += 1
                let pattern = call.cached(forArgument: 0) { Pattern("") }
                weakPattern = pattern
                return .integer(Int64(counter.count))
            }
            #expect(try connection.integer("SELECT once('x')") == 1)
            #expect(weakPattern == nil)
        }
        #expect(weakCounter == nil)
    }

    @Test func `a function that SQLite rejects is an error`() {
        for count in [-2, 200, Int.max] {
            let error = sqliteError {
                try connection.addFunction("bad", argumentCount: count, deterministic: true) { _ in .null }
            }
            #expect(error?.code == SQLiteError.misuse)
        }
    }

    @Test func `a view of the file may not call functions unless they are allowed there`() throws {
        for isAllowed in [false, true] {
            let name = isAllowed ? "open" : "closed"
            try connection.addFunction(name, argumentCount: 0, deterministic: true, allowedInSchema: isAllowed) { _ in
                .integer(3)
            }
            try connection.execute("CREATE VIEW v_\(name) AS SELECT \(name)() AS a")
            #expect(try connection.integer("SELECT \(name)()") == 3)
        }
        #expect(try connection.integer("SELECT a FROM v_open") == 3)
        #expect(sqliteError { _ = try connection.integer("SELECT a FROM v_closed") }?.code == SQLiteError.error)
    }

    private final class Longest: Accumulator {
        var text: String?
        let counter: Counter
        init(_ counter: Counter) {
            self.counter = counter
            counter.count += 1
        }
        deinit { counter.count -= 1 }
        func add(_ call: borrowing FunctionContext) {
            if let new = call.text(0), new.count > (text ?? "").count { text = new }
        }
        func result() -> FunctionResult { text.map { .text($0) } ?? .null }
    }

    @Test func `an aggregate takes each group together, and nothing is left of it`() throws {
        let counter = Counter()
        try connection.addAggregate("longest") { Longest(counter) }
        try connection.execute("CREATE TABLE t (k, a); INSERT INTO t VALUES (1, 'a'), (1, 'bb'), (2, 'ccc'), (3, NULL)")
        let groups = "SELECT IFNULL(longest(a), '-') FROM t GROUP BY k ORDER BY k"
        #expect(try connection.strings(groups) == ["bb", "ccc", "-"])
        #expect(try connection.strings("SELECT IFNULL(longest(a), 'none') FROM t WHERE k > 9") == ["none"])
        #expect(
            sqliteError { _ = try connection.strings("SELECT longest(a), abs(-9223372036854775808) FROM t") } != nil)
        #expect(counter.count == 0)
    }

    @Test func `a collation orders and compares`() throws {
        try connection.addCollation("bylength") { $0.count - $1.count }
        try connection.execute("CREATE TABLE t (a); INSERT INTO t VALUES ('ccc'), (''), ('bb'), ('aaaa')")
        #expect(try connection.strings("SELECT a FROM t ORDER BY a COLLATE bylength") == ["", "bb", "ccc", "aaaa"])
        #expect(try connection.strings("SELECT a FROM t WHERE a = 'xx' COLLATE bylength") == ["bb"])
        #expect(sqliteError { _ = try connection.strings("SELECT a FROM t ORDER BY a COLLATE nothing") } != nil)
    }

    @Test func `a collation in use cannot be replaced, and is released with its connection`() throws {
        weak var weakCounter: Counter?
        do {
            let connection = try memory()
            let counter = Counter()
            weakCounter = counter
            try connection.addCollation("counting") { left, right in
                counter.count += 1
                return left.count - right.count
            }
            try connection.execute("CREATE TABLE t (a); INSERT INTO t VALUES ('a'), ('bb')")
            var statement = try connection.statement("SELECT a FROM t ORDER BY a COLLATE counting")
            #expect(try statement.step())
            #expect(counter.count > 0)
            #expect(sqliteError { try connection.addCollation("counting") { _, _ in 0 } }?.isBusy == true)
        }
        #expect(weakCounter == nil)
    }
}
