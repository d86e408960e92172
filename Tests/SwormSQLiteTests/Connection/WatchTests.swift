import Foundation
import Testing

@testable import SwormRows
@testable import SwormSQLite

/// Records the reports to an observer.
private final class Notes: @unchecked Sendable {
    // Each test has its own instance, and uses it on one thread.
    var statements: [RunStatement] = []
    var plans: [(sql: String, steps: [QueryPlanStep])] = []
    var sql: [String] { statements.map(\.sql) }

    func watch(values: Bool = false, plans: Bool = false) -> StatementWatch {
        var reportPlan: (@Sendable (String, [QueryPlanStep]) -> Void)?
        if plans { reportPlan = { self.plans.append((sql: $0, steps: $1)) } }
        return StatementWatch(wantsValues: values, reportPlan: reportPlan) { self.statements.append($0) }
    }
}

@Suite("Watching a connection")
struct WatchTests {
    private func numbers() throws -> Connection {
        let connection = try memory()
        try connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, a); INSERT INTO t (a) VALUES (1), (2), (3)")
        return connection
    }

    @Test func `each statement is reported once, without values and without those of triggers`() throws {
        let connection = try memory()
        try connection.execute(
            "CREATE TABLE t (a); CREATE TABLE log (a); CREATE TRIGGER g AFTER INSERT ON t BEGIN INSERT INTO log VALUES (1); END"
        )
        let notes = Notes()
        connection.watch = notes.watch()
        var statement = try connection.statement("INSERT INTO t VALUES (?)")
        try statement.bind("secret", at: 1)
        try statement.run()
        try statement.run()
        connection.watch = nil
        try statement.run()
        #expect(notes.sql == ["INSERT INTO t VALUES (?)", "INSERT INTO t VALUES (?)"])
        #expect(notes.statements.allSatisfy { $0.sqlWithValues == nil })
        #expect(try connection.integer("SELECT count(*) FROM log") == 3)
    }

    @Test func `values are reported only to observers that request them`() throws {
        let connection = try numbers()
        let (plain, curious) = (Notes(), Notes())
        connection.watch = .all([plain.watch(), curious.watch(values: true)])
        var statement = try connection.statement("SELECT a FROM t WHERE a > ? AND 'x' <> ?")
        try statement.bind(1, at: 1)
        try statement.bind("it's", at: 2)
        while try statement.step() {}
        #expect(plain.statements.map(\.sqlWithValues) == [nil])
        #expect(curious.statements.map(\.sqlWithValues) == ["SELECT a FROM t WHERE a > 1 AND 'x' <> 'it''s'"])
    }

    @Test func `rows and time are measured, also of statements inside one another`() throws {
        let connection = try numbers()
        let notes = Notes()
        connection.watch = notes.watch()
        do {
            var outer = try connection.statement("SELECT id FROM t")
            #expect(try outer.step())
            #expect(try connection.strings("SELECT a FROM t WHERE id < 3").count == 2)
            Thread.sleep(forTimeInterval: 0.02)
            #expect(try outer.step())
            // Left before its end.
        }
        #expect(notes.sql == ["SELECT a FROM t WHERE id < 3", "SELECT id FROM t"])
        #expect(notes.statements.map(\.rows) == [2, 2])
        #expect(notes.statements[1].seconds >= 0.02)
        #expect(notes.statements[0].seconds < notes.statements[1].seconds)
    }

    @Test func `a statement that fails is reported`() throws {
        let connection = try numbers()
        let notes = Notes()
        connection.watch = notes.watch()
        #expect(throws: SQLiteError.self) { try connection.execute("INSERT INTO t (id) VALUES (1)") }
        #expect(notes.sql == ["INSERT INTO t (id) VALUES (1)"])
    }

    @Test func `a statement that began before is not reported, and neither is its end after the observer was removed`()
        throws
    {
        let connection = try numbers()
        let notes = Notes()
        var early = try connection.statement("SELECT id FROM t")
        #expect(try early.step())
        connection.watch = notes.watch()
        early.reset()
        #expect(try early.step())
        connection.watch = nil
        early.reset()
        connection.watch = notes.watch()
        _ = try connection.integer("SELECT 1")
        #expect(notes.sql == ["SELECT 1"])
    }

    @Test func `a plan is reported when a statement is prepared, and is not a statement itself`() throws {
        let connection = try numbers()
        let notes = Notes()
        connection.watch = notes.watch(plans: true)
        for _ in 0..<2 { _ = try connection.strings("SELECT a FROM t ORDER BY a") }
        _ = try connection.integer("PRAGMA user_version")
        #expect(notes.plans.map(\.sql) == ["SELECT a FROM t ORDER BY a"])
        #expect(notes.plans.first?.steps.map(\.line) == ["SCAN t", "USE TEMP B-TREE FOR ORDER BY"])
        #expect(notes.statements.count == 3)
    }

    @Test func `a plan shows which step is part of which`() throws {
        let steps = try numbers().queryPlan(
            of: "SELECT a FROM t WHERE id IN (SELECT max(id) FROM t WHERE id > ?1) OR a = 2")
        #expect(steps.contains { $0.depth == 0 } && steps.contains { $0.depth > 0 })
        #expect(steps.allSatisfy { $0.line.hasSuffix($0.detail) })
    }
}
