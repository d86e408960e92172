import Foundation
import SwormSQLite
import Testing
import SwormRows

@Suite("Tokens that stop statements")
struct InterruptTokenTests {
    private let endless = "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT count(*) FROM c"

    private func code(_ body: () throws -> Void) -> Int32? {
        do {
            try body()
            return nil
        } catch {
            return (error as? SQLiteError)?.code
        }
    }

    @Test func `a token that was set before a statement begins stops it`() throws {
        let connection = try Connection(.memory(name: "token"))
        let token = InterruptToken()
        connection.interruption = token
        token.interrupt(.cancelled)
        #expect(code { try connection.execute(endless) } == SQLiteError.interrupt)
        #expect(token.reason == .cancelled)
        token.clear()
        try connection.execute("SELECT 1")
    }

    @Test func `a running statement is stopped from another thread, and by a deadline`() throws {
        let connection = try Connection(.memory(name: "token"))
        let token = InterruptToken()
        connection.interruption = token
        Thread.detachNewThread {
            Thread.sleep(forTimeInterval: 0.03)
            token.interrupt(.suspended)
        }
        #expect(code { try connection.execute(endless) } == SQLiteError.interrupt)
        token.clear()
        token.deadline = .now + .milliseconds(30)
        #expect(code { try connection.execute(endless) } == SQLiteError.interrupt)
        #expect(token.isLate && token.reason == nil)
        token.deadline = nil
        try connection.execute("SELECT 1")
    }

    @Test func `statements that end a transaction are not stopped`() throws {
        let connection = try Connection(.memory(name: "token"))
        let token = InterruptToken()
        connection.interruption = token
        try connection.execute("CREATE TABLE t (n)")
        // A statement that is run again and again counts its steps on.
        for index in 0..<2000 {
            token.clear()
            try connection.begin(.immediate)
            try connection.execute("INSERT INTO t VALUES (\(index))")
            token.interrupt(.cancelled)
            try index.isMultiple(of: 2) ? connection.commit() : connection.rollback()
        }
        token.clear()
        var statement = try connection.statement("SELECT count(*) FROM t")
        #expect(try statement.step())
        #expect(statement.int64(0) == 1000)
    }

    @Test func `a transaction that could not begin is not open`() throws {
        let connection = try Connection(.memory(name: "token"))
        let token = InterruptToken()
        connection.interruption = token
        token.interrupt(.cancelled)
        for _ in 0..<2000 {
            do {
                try connection.begin(.immediate)
                try connection.rollback()
            } catch {
                #expect(!connection.isInTransaction)
            }
        }
        #expect(!connection.isInTransaction)
    }

    @Test func `waiting for a lock ends with the token`() throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("token-\(UUID()).sqlite").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let holder = try Connection(.file(path: path))
        try holder.execute("CREATE TABLE t (n)")
        let waiter = try Connection(.file(path: path), options: .init(busyTimeout: 600))
        let token = InterruptToken()
        waiter.interruption = token
        try holder.begin(.exclusive)
        Thread.detachNewThread {
            Thread.sleep(forTimeInterval: 0.03)
            token.interrupt(.cancelled)
        }
        #expect(code { try waiter.begin(.immediate) } == SQLiteError.busy)
        token.clear()
        token.deadline = .now + .milliseconds(20)
        #expect(code { try waiter.begin(.immediate) } == SQLiteError.busy)
        token.deadline = .now + .seconds(1 << 40)
        try holder.rollback()
        try waiter.begin(.immediate)
        try waiter.rollback()
    }

    @Test func `listeners are called once the token is set, or at once`() {
        let token = InterruptToken()
        // Called on this thread alone.
        nonisolated(unsafe) var calls: [String] = []
        let first = token.addListener { reason in calls.append("first \(reason)") }
        token.interrupt(.cancelled)
        _ = token.addListener { reason in calls.append("second \(reason)") }
        token.removeListener(first)
        // The first reason stays, until it is cleared.
        #expect(!token.interrupt(.suspended) && token.reason == .cancelled)
        token.clear(.suspended)
        #expect(token.reason == .cancelled)
        token.clear(.cancelled)
        #expect(token.interrupt(.suspended) && token.reason == .suspended)
        #expect(calls == ["first cancelled", "second cancelled", "second suspended"])
    }
}
