import Foundation
import Testing

@testable import SwormRows
@testable import SwormSQLite

@Suite("Several connections")
struct ConcurrencyTests {
    let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    @Test func `a writer waits for another as long as the busy timeout says`() throws {
        let first = try folder.open()
        try first.execute("CREATE TABLE t (a)")
        let second = try folder.open("data.sqlite", .init(busyTimeout: 0.2))
        let third = try folder.open("data.sqlite", .init(busyTimeout: 0))
        try first.begin(.immediate)
        let clock = ContinuousClock()
        let start = clock.now
        #expect(sqliteError { try second.begin(.immediate) }?.isBusy == true)
        #expect(clock.now - start >= .milliseconds(150))
        #expect(sqliteError { try third.begin(.immediate) }?.isBusy == true)
        try first.commit()
        try second.transaction(.immediate) { try second.execute("INSERT INTO t VALUES (1)") }
    }

    @Test func `a deferred transaction in WAL keeps its snapshot during writes`() throws {
        let writer = try folder.open()
        try writer.setJournalMode(.wal)
        #expect(try writer.journalMode() == .wal)
        try writer.execute("CREATE TABLE t (a); INSERT INTO t VALUES (1)")
        let reader = try folder.open("data.sqlite", .init(access: .readOnly))
        try reader.begin(.deferred)
        #expect(try reader.integer("SELECT count(*) FROM t") == 1)
        try writer.execute("INSERT INTO t VALUES (2)")
        #expect(try reader.integer("SELECT count(*) FROM t") == 1)
        try reader.commit()
        #expect(try reader.integer("SELECT count(*) FROM t") == 2)
    }

    @Test func `a checkpoint moves the log into the file`() throws {
        let connection = try folder.open()
        try connection.setJournalMode(.wal)
        try connection.execute(
            "PRAGMA wal_autocheckpoint = 0; CREATE TABLE t (a); INSERT INTO t VALUES (zeroblob(50000))")
        let passive = try connection.checkpoint(.passive)
        #expect(passive.log > 10)
        #expect(passive.checkpointed == passive.log)
        try connection.execute("INSERT INTO t VALUES (1)")
        #expect(try folder.size("data.sqlite-wal") > 0)
        for mode in [Connection.CheckpointMode.full, .restart, .truncate] { try connection.checkpoint(mode) }
        #expect(try folder.size("data.sqlite-wal") == 0)
    }

    @Test func `a checkpoint that a reader blocks says busy`() throws {
        let writer = try folder.open("data.sqlite", .init(busyTimeout: 0))
        try writer.setJournalMode(.wal)
        try writer.execute("CREATE TABLE t (a)")
        let reader = try folder.open()
        try reader.begin(.deferred)
        _ = try reader.integer("SELECT count(*) FROM t")
        try writer.execute("INSERT INTO t VALUES (1)")
        #expect(sqliteError { try writer.checkpoint(.truncate) }?.isBusy == true)
        #expect(try writer.checkpoint(.passive).log > 0)
    }

    @Test func `a database without WAL has nothing to checkpoint`() throws {
        let answer = try folder.open().checkpoint(.full)
        #expect(answer.log == -1 && answer.checkpointed == -1)
    }

    @Test func `a journal mode that SQLite rejects is an error`() throws {
        let connection = try memory()
        let error = sqliteError { try connection.setJournalMode(.wal) }
        #expect(error?.message.contains("memory") == true)
        #expect(try connection.journalMode() == .memory)
    }

    @Test func `another thread interrupts a running statement`() throws {
        let connection = try memory()
        let handle = connection.interruptHandle
        try connection.execute("CREATE TABLE t (a)")
        let thread = Thread {
            // The statement may not have begun at the first call, which then does nothing.
            while !Thread.current.isCancelled {
                handle.interrupt()
                Thread.sleep(forTimeInterval: 0.005)
            }
        }
        thread.start()
        let error = sqliteError {
            try connection.execute(
                "INSERT INTO t WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT n FROM c")
        }
        thread.cancel()
        #expect(error?.isInterrupt == true)
        // The last calls of the thread may still come while this runs.
        var count: Int64?
        while count == nil { count = try? connection.integer("SELECT count(*) FROM t") }
        #expect(count == 0)
    }

    @Test func `interrupting a closed connection is harmless`() throws {
        let handle: InterruptHandle
        do {
            let connection = try memory()
            handle = connection.interruptHandle
            handle.interrupt()
            #expect(try connection.integer("SELECT 1") == 1)
        }
        handle.interrupt()
    }

    @Test func `a backup copies everything and reports its progress`() throws {
        let source = try folder.open("a")
        try source.execute("CREATE TABLE t (a); INSERT INTO t VALUES (zeroblob(200000))")
        let target = try folder.open("b")
        try target.execute("CREATE TABLE old (a)")
        var steps: [(Int, Int)] = []
        try source.backup(to: target, pagesPerStep: 10) { steps.append(($0, $1)) }
        #expect(steps.count > 3)
        #expect(steps.last?.0 == 0)
        #expect(steps.allSatisfy { $0.1 == steps.first?.1 })
        #expect(try target.integer("SELECT length(a) FROM t") == 200_000)
        #expect(try target.strings("SELECT name FROM sqlite_schema") == ["t"])
        #expect(try target.string("PRAGMA integrity_check") == "ok")
    }

    @Test func `a backup that is stopped leaves the target as it was`() throws {
        struct Stop: Error {}
        let source = try folder.open("a")
        try source.execute("CREATE TABLE t (a); INSERT INTO t VALUES (zeroblob(200000))")
        let target = try folder.open("b")
        try target.execute("CREATE TABLE old (a); INSERT INTO old VALUES (5)")
        #expect(throws: Stop.self) {
            try source.backup(to: target, pagesPerStep: 5) { remaining, _ in if remaining < 30 { throw Stop() } }
        }
        #expect(try target.integer("SELECT a FROM old") == 5)
        try target.execute("INSERT INTO old VALUES (6)")
    }

    @Test func `a backup onto a locked database says busy`() throws {
        let source = try folder.open("a")
        try source.execute("CREATE TABLE t (a)")
        let target = try folder.open("b", .init(busyTimeout: 0))
        let other = try folder.open("b")
        try other.execute("CREATE TABLE u (a)")
        try other.begin(.exclusive)
        #expect(sqliteError { try source.backup(to: target) }?.isBusy == true)
        try other.rollback()
        try source.backup(to: target)
        #expect(sqliteError { try source.backup(to: source) } != nil)
    }
}
