import Foundation
@testable import OpenCoreData
import SwormSQLite
import Testing

/// A history at its two ends: no keys that are left, and no transactions that are.
@Suite("The ends of a history")
struct HistoryEndTests {
    @Test(arguments: ["TRANSACTION", "CHANGE", "TRANSACTIONSTRING"])
    func `a history without keys left rejects the save, and nothing of it is written`(_ table: String) throws {
        let library = try HistoryLibrary()
        try library.saveTag("a")
        let raw = try library.folder.raw()
        try raw.execute("UPDATE Z_PRIMARYKEY SET Z_MAX = \(Int64.max) WHERE Z_NAME = '\(table)'")
        let error = coreDataError { try library.saveTag("b", author: "somebody new") }
        #expect(error?.message.contains("no primary keys left in the table 'A\(table)'") == true)
        #expect(try raw.lines("SELECT ZNAME FROM ZTAG") == ["a"])
        #expect(try raw.lines("SELECT count(*) FROM ATRANSACTION") == ["1"])
    }

    /// The deletion asks for no key at all, and still looks at the first one.
    @Test func `a history without keys left cannot be purged, either`() throws {
        let library = try HistoryLibrary()
        try library.saveTag("a")
        let raw = try library.folder.raw()
        try raw.execute("UPDATE Z_PRIMARYKEY SET Z_MAX = \(Int64.max) WHERE Z_NAME = 'TRANSACTION'")
        let error = coreDataError {
            try library.context.execute(NSPersistentHistoryChangeRequest.deleteHistory(before: Date.distantFuture))
        }
        #expect(error?.message.contains("no primary keys left in the table 'ATRANSACTION'") == true)
        #expect(try raw.lines("SELECT count(*) FROM ATRANSACTION") == ["1"])
    }

    @Test func `the last key that there is can be used`() throws {
        let library = try HistoryLibrary()
        try library.folder.raw().execute(
            """
            UPDATE Z_PRIMARYKEY SET Z_MAX = \(Int64.max - 1) WHERE Z_ENT > 16000;
            UPDATE Z_PRIMARYKEY SET Z_MAX = \(Int64.max - 2) WHERE Z_NAME = 'TRANSACTIONSTRING';
            """)
        try library.saveTag("a")
        #expect(
            try library.folder.raw().lines("SELECT Z_PK, ZTRANSACTIONID FROM ACHANGE") == [
                "\(Int64.max)|\(Int64.max)"
            ])
        #expect(coreDataError { try library.saveTag("b") }?.message.contains("no primary keys left") == true)
    }

    @Test func `a token from before the first transaction reports purged transactions as missing`() throws {
        let library = try HistoryLibrary()
        let context = library.context
        let empty = try #require(library.token)
        for name in ["a", "b", "c"] { try library.saveTag(name) }
        #expect(try context.transactions(.fetchHistory(after: empty)).map(\.transactionNumber) == [1, 2, 3])
        let last = try #require(library.token)
        try context.execute(NSPersistentHistoryChangeRequest.deleteHistory(before: last))
        func message() -> String? {
            let error = coreDataError {
                try context.execute(NSPersistentHistoryChangeRequest.fetchHistory(after: empty))
            }
            #expect(error?.errorCode == NSPersistentHistoryTokenExpiredError)
            return error?.message
        }
        #expect(message()?.contains("from 1 to 2 were deleted") == true)
        try context.execute(NSPersistentHistoryChangeRequest.deleteHistory(before: Date.distantFuture))
        #expect(message()?.contains("from 1 to 3 were deleted") == true)
        #expect(try context.transactions(.fetchHistory(after: last)).isEmpty)
    }

    @Test func `a clock that was set back leaves no gap in a history that is purged by date`() throws {
        let library = try HistoryLibrary()
        let context = library.context
        let tokens = try ["a", "b", "c", "d"].map { name in
            try library.saveTag(name)
            return try #require(library.token)
        }
        try library.folder.raw().execute(
            "UPDATE ATRANSACTION SET ZTIMESTAMP = CASE Z_PK WHEN 1 THEN 10 WHEN 2 THEN 90 WHEN 3 THEN 20 ELSE 95 END")
        let moment = Date(timeIntervalSinceReferenceDate: 50)
        try context.execute(NSPersistentHistoryChangeRequest.deleteHistory(before: moment))
        #expect(try context.transactions().map(\.transactionNumber) == [2, 3, 4])
        #expect(try context.transactions(.fetchHistory(after: tokens[0])).map(\.transactionNumber) == [2, 3, 4])
    }

    @Test(.timeLimit(.minutes(1)))
    func `a long history is purged by date in one pass`() throws {
        let library = try HistoryLibrary()
        try library.saveTag("a")
        let raw = try library.folder.raw()
        try raw.execute(
            """
            WITH RECURSIVE n(i) AS (VALUES (2) UNION ALL SELECT i + 1 FROM n WHERE i < 150000)
            INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZTIMESTAMP) SELECT i, 16002, i FROM n
            """)
        let moment = Date(timeIntervalSinceReferenceDate: 149_999)
        try raw.execute("UPDATE ATRANSACTION SET ZTIMESTAMP = 1 WHERE Z_PK = 1")
        try library.context.execute(NSPersistentHistoryChangeRequest.deleteHistory(before: moment))
        #expect(try raw.lines("SELECT Z_PK FROM ATRANSACTION") == ["149999", "150000"])
    }
}
