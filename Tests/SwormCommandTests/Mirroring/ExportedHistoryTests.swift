import Foundation
import SwormSQLite
import TestSupport
import Testing

@testable import SwormCommand
@testable import SwormStore

@Suite("histories that a mirroring has exported")
struct ExportedHistoryTests {
    private static let withoutHistory =
        "DROP TABLE ACHANGE; DROP TABLE ATRANSACTION; DROP TABLE ATRANSACTIONSTRING; DELETE FROM Z_PRIMARYKEY WHERE Z_ENT BETWEEN 16001 AND 16003"

    /// Expects that a store is not opened for writing.
    private func expectError(_ workshop: Workshop, parts: [String]) throws {
        let before = try workshop.raw().lines("SELECT name, sql FROM sqlite_master ORDER BY name")
        let error = try #require(throws: CoreDataError.self) { try workshop.insertTags(1) }
        for part in parts + ["mirrored to CloudKit", "restore the store from a backup", "open it read-only"] {
            #expect(error.message.contains(part), "\(part) in \(error.message)")
        }
        #expect(try workshop.raw().lines("SELECT name, sql FROM sqlite_master ORDER BY name") == before)
        #expect(try workshop.raw().lines("SELECT count(*) FROM ZTAG") == ["2"])
    }

    @Test func `a store that has lost the tables of its history is not written`() throws {
        let workshop = try Workshop()
        try workshop.makeExportedStore()
        try workshop.execute(Self.withoutHistory)
        let missing = "the tables of the history are missing"
        try expectError(workshop, parts: [missing, "the transactions up to number 1"])
        // The token names the store by its identifier, so it cannot be read for another one.
        try workshop.execute("UPDATE Z_METADATA SET Z_UUID = '00000000-0000-0000-0000-000000000000'")
        try expectError(workshop, parts: [missing, "an unknown number of transactions"])
    }

    @Test func `a store whose next transaction would have an exported number is not written`() throws {
        let workshop = try Workshop()
        try workshop.makeExportedStore()
        try workshop.exportHistory(upTo: 2)
        try expectError(workshop, parts: ["the transactions up to number 2", "the next number would be 2"])
        try workshop.exportHistory(upTo: 1)
        try workshop.execute("DELETE FROM ATRANSACTION; UPDATE Z_PRIMARYKEY SET Z_MAX = 0 WHERE Z_NAME = 'TRANSACTION'")
        try expectError(workshop, parts: ["the next number would be 1"])
        // The highest number that was assigned is enough.
        try workshop.execute("UPDATE Z_PRIMARYKEY SET Z_MAX = 1 WHERE Z_NAME = 'TRANSACTION'")
        try workshop.insertTags(1)
        #expect(try workshop.raw().lines("SELECT Z_PK FROM ATRANSACTION") == ["2"])
    }

    @Test func `a token that is larger than any real one is not read`() {
        func transaction(padding: Int = 0, dictionaries: Int = 1) -> Int64? {
            var writer = KeyedArchiveWriter()
            let number = writer.plain(.int(7))
            let numbers = (0..<dictionaries).map { _ in writer.dictionary([(key: "store", value: number)]) }
            let list = writer.array(numbers)
            let fields: [String: PropertyListValue] = ["storeTokens": list, "padding": .data(Data(count: padding))]
            let token = writer.object(["NSPersistentHistoryToken", "NSObject"], fields: fields)
            return ArchivedHistoryToken.transaction(in: writer.data(root: token), store: "STORE")
        }
        #expect(transaction() == 7)
        #expect(transaction(padding: 20_000) == nil)
        #expect(transaction(dictionaries: 100) == nil)
    }

    @Test func `a store of which nothing was exported gets a history`() throws {
        let workshop = try Workshop()
        try workshop.makeMirroredStore()
        try workshop.execute(Self.withoutHistory)
        try workshop.insertTags(1)
        #expect(try workshop.raw().lines("SELECT Z_PK FROM ATRANSACTION") == ["1"])
    }
}
