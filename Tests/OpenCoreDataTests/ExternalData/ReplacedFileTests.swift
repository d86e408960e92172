import Foundation
import SwormPredicates
import SwormSQLite
import Testing

@testable import OpenCoreData
@testable import SwormStore
import SwormRows

@Suite("Replaced files of external data")
struct ReplacedFileTests {
    private let model = LibraryModel.model

    private func content(_ number: Int) -> Data { Data(repeating: UInt8(truncatingIfNeeded: number), count: 110_000) }

    private func book(_ store: SQLiteStore, _ number: Int) throws -> RowID {
        try store.insert(LibraryModel.book, ["cover": .data(content(number))])
    }

    @Test func `a reader on another connection keeps its bytes until its view ends`() throws {
        let folder = try StoreFolder()
        let (store, other) = (try folder.open(), try folder.open())
        let row = try book(store, 0)
        let view = try other.beginSession()
        try store.setCovers([(row, content(1)), (row, nil), (row, content(2))])
        store.removeUnusedExternalData()
        #expect(folder.externalFiles.count == 3)
        #expect(try view.cover(row) == content(0))
        view.end()
        #expect(folder.externalFiles.count == 3)
        store.removeUnusedExternalData()
        #expect(folder.externalFiles.count == 1)
        #expect(try other.reading { try $0.cover(row) } == content(2))
    }

    /// Such a reader holds another lock than one of an older state in the log.
    @Test func `so does one that reads the database file alone`() throws {
        let folder = try StoreFolder()
        let (store, other) = (try folder.open(), try folder.open())
        let row = try book(store, 0)
        try folder.raw().checkpoint(.truncate)
        let view = try other.beginSession()
        try store.setCovers([(row, content(1)), (row, content(2))])
        store.removeUnusedExternalData()
        #expect(try view.cover(row) == content(0))
        #expect(folder.externalFiles.count == 3)
        view.end()
        store.removeUnusedExternalData()
        #expect(folder.externalFiles.count == 1)
    }

    @Test func `a reader of the newest state loses nothing either`() throws {
        let folder = try StoreFolder()
        let (store, other) = (try folder.open { $0.externalData.attemptInterval = .zero }, try folder.open())
        let row = try book(store, 0)
        let old = try other.beginSession()
        try store.setCovers([(row, content(1))])
        try folder.raw().checkpoint(.passive)
        let new = try other.beginSession()
        old.end()
        // What the new one reads is in the log, which must not begin anew under it.
        store.removeUnusedExternalData()
        #expect(try new.cover(row) == content(1))
        new.end()
        store.removeUnusedExternalData()
        #expect(folder.externalFiles.count == 1)
    }

    @Test func `a view across a hundred replacements and several openings reads every old byte`() throws {
        let folder = try StoreFolder()
        var store = try folder.open()
        let rows = try (0..<5).map { try book(store, $0) }
        let reader = try folder.open()
        let view = try reader.beginSession()
        for number in 0..<100 {
            let changed = number % 4 == 3 ? nil : content(100 + number)
            try store.setCovers([(rows[number % rows.count], changed)])
            if number % 33 == 32 {
                store.close()
                store = try folder.open()
            }
        }
        for (number, row) in rows.enumerated() { #expect(try view.cover(row) == content(number)) }
        #expect(folder.externalFiles.count > 70)
        view.end()
        reader.close()
        store.close()
        // Files that the earlier processes could not remove are marked, so that they need not be old to be removed.
        store = try folder.open()
        let last = try store.reading { session in try rows.map { try session.cover($0) } }
        #expect(last == (95..<100).map { $0 % 4 == 3 ? nil : content(100 + $0) })
        #expect(folder.externalFiles.count == last.compactMap(\.self).count)
        store.close()
        #expect(try StoreVerification.findings(of: folder.url(), model: model) == [])
    }

    @Test func `a checkpoint is tried once in an interval, and when a view ends`() throws {
        let folder = try StoreFolder()
        let clock = ManualClock()
        let store = try folder.open { options in clock.set(&options.externalData) }
        let row = try book(store, 0)
        try store.setCovers([(row, content(1))])
        #expect(folder.externalFiles.count == 1)
        try store.setCovers([(row, content(2))])
        #expect(folder.externalFiles.count == 2)
        clock.advance(by: .milliseconds(999))
        try store.setCovers([(row, content(3))])
        #expect(folder.externalFiles.count == 3)
        clock.advance(by: .milliseconds(1))
        try store.setCovers([(row, content(4))])
        #expect(folder.externalFiles.count == 1)
        let view = try store.beginSession()
        clock.advance(by: .seconds(2))
        try store.setCovers([(row, content(5))])
        #expect(folder.externalFiles.count == 2)
        view.end()
        #expect(folder.externalFiles.count == 1)
        try store.setCovers([(row, content(6))])
        #expect(folder.externalFiles.count == 2)
        store.close()
        #expect(folder.externalFiles.count == 1)
    }

    @Test func `no reader or writer has to wait`() throws {
        let folder = try StoreFolder()
        let store = try folder.open { $0.busyTimeout = 100 }
        let row = try book(store, 0)
        let view = try store.beginSession()
        try store.setCovers([(row, content(1))])
        view.end()
        try store.setCovers([(row, content(2))])
        // One thread at a time uses it.
        nonisolated(unsafe) let raw = try folder.raw()
        try raw.begin(.immediate)
        store.removeUnusedExternalData()
        #expect(folder.externalFiles.count == 2)
        try raw.rollback()
        store.removeUnusedExternalData()
        #expect(folder.externalFiles.count == 1)
        // The timeout is as it was: this waits for the end of the transaction.
        try raw.begin(.immediate)
        let end = Thread {
            usleep(100_000)
            try? raw.rollback()
        }
        end.start()
        try store.setCovers([(row, content(3))])
    }

    @Test(arguments: [Connection.JournalMode.delete, .truncate])
    func `without a log, files are deleted right after the commit, but not under a snapshot of the same thread`(
        mode: Connection.JournalMode
    ) throws {
        let folder = try StoreFolder()
        let store = try folder.open { $0.journalMode = mode }
        let row = try book(store, 0)
        for number in 1..<4 {
            try store.setCovers([(row, content(number))])
            #expect(folder.externalFiles.count == 1)
        }
        let view = try store.beginSession()
        let shape = RowShape(model: model, entity: LibraryModel.book)
        let buffer = try view.rows(withKeys: [row.key], shape: shape)
        try store.setCovers([(row, content(5))])
        let cell = shape.cell(ofAttribute: 0, in: LibraryModel.book)
        #expect(try buffer.withBytes(row: 0, cell: cell) { try view.externalData($0) } == content(3))
        view.end()
        #expect(folder.externalFiles.count == 1)
        store.close()
        #expect(try StoreVerification.findings(of: folder.url(), model: model) == [])
    }

    @Test func `the effects of a part of a transaction on files are undone with it`() throws {
        let folder = try StoreFolder()
        let store = try folder.open { $0.externalData.attemptInterval = .zero }
        let row = try book(store, 0)
        let names = folder.externalFiles
        func set(_ transaction: any StoreTransaction, _ number: Int) throws {
            var request = SaveRequest()
            request.update(row, version: nil, in: model, ["cover": .data(content(number))])
            _ = try transaction.save(request)
        }
        let transaction = try store.beginTransaction()
        let outer = transaction.mark()
        try set(transaction, 1)
        let inner = transaction.mark()
        try set(transaction, 2)
        #expect(try transaction.cover(row) == content(2))
        try transaction.undo(to: inner)
        #expect(try transaction.cover(row) == content(1))
        try transaction.undo(to: outer)
        #expect(try transaction.cover(row) == content(0))
        #expect(folder.externalFiles == names)
        let last = transaction.mark()
        try set(transaction, 3)
        try transaction.release(last)
        try set(transaction, 4)
        try transaction.commit()
        #expect(try store.reading { try $0.cover(row) } == content(4))
        #expect(folder.externalFiles.count == 1)

        let undone = try store.beginTransaction()
        try set(undone, 5)
        undone.end()
        #expect(try store.reading { try $0.cover(row) } == content(4))
        #expect(folder.externalFiles.count == 1)
        store.close()
        #expect(try StoreVerification.findings(of: folder.url(), model: model) == [])
    }

    @Test func `the error of a missing file blames the folder only when that is missing, too`() throws {
        let folder = try StoreFolder()
        let store = try folder.open()
        let row = try book(store, 0)
        let name = try #require(folder.externalFiles.first)
        try FileManager.default.removeItem(atPath: folder.externalPath + "/" + name)
        func message() throws -> String {
            try #require(throws: CoreDataError.self) { try store.reading { _ = try $0.cover(row) } }.message
        }
        #expect(try message().contains("Another transaction") && !message().contains("support folder"))
        try FileManager.default.removeItem(atPath: folder.externalPath)
        #expect(try message().contains("support folder"))
    }
}
