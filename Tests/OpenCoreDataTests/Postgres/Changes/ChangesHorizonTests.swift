#if PostgreSQL
import Foundation
import SwormPostgres
import SwormPredicates
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("Changes on a server: the horizon", .enabled(if: PostgresServer.isEnabled))
struct ChangesHorizonTests {
    private let model = LibraryModel.model

    private func tag(_ name: String) -> SaveRequest {
        var request = SaveRequest()
        request.author = name
        request.insert(model[LibraryModel.tag], key: -1, ["name": .string(name)])
        return request
    }

    @Test func `an open writer holds the history back, and an open reader does not`() throws {
        let server = try HistoryServer()
        let options = try server.options()
        let (store, other) = (try HistoryServer.open(options), try HistoryServer.open(options))
        try store.save(tag("first"))
        try store.waitForHorizon()
        let start = try store.extent().highest
        let reader = try other.beginSession()
        try reader.fixState()
        try store.save(tag("beside a reader"))
        try store.waitForHorizon()
        let read = try store.history(after: start)
        #expect(read.map(\.author) == ["beside a reader"])
        #expect(try store.extent().highest == read[0].number)
        #expect(try reader.history(after: .transaction(start), includingChanges: true, limit: nil)?.isEmpty == true)
        reader.end()

        let writer = try other.beginTransaction(from: other.beginSession(), nil)
        _ = try writer.save(tag("early"))
        let heard = HeardChanges()
        let end = store.listen(concerning: nil) { heard.note($0) }
        try store.save(tag("late"))
        // The commit is announced, but a reader that went on to it would miss the other one.
        heard.wait { $0.contains { !$0.isEmpty } }
        #expect(try store.history(after: read[0].number).isEmpty)
        #expect(try store.extent().highest == read[0].number)
        #expect(try store.values(LibraryModel.tag, "name").count == 3)
        let before = heard.changes.count
        Thread.sleep(forTimeInterval: 0.3)
        #expect(heard.changes.count == before)
        try writer.commit()
        writer.end()
        // That of the other store of this process, and the news that both can be read.
        heard.wait { $0.count >= before + 2 }
        #expect(heard.changes[before...].filter(\.isEmpty).count == 1)
        #expect(heard.changes.allSatisfy { !$0.isForeign })
        #expect(try store.history(after: read[0].number).map(\.author) == ["early", "late"])
        end()
    }

    @Test func `the token of a save is a position behind which nothing is missed`() throws {
        let server = try HistoryServer()
        let options = try server.options()
        let (store, other) = (try HistoryServer.open(options), try HistoryServer.open(options))
        let alone = try store.save(tag("alone"))
        let number = try #require(alone.historyNumber)
        #expect(try store.history(after: nil).last?.number == number)
        let writer = try other.beginTransaction(from: other.beginSession(), nil)
        let own = try writer.save(tag("early"))
        #expect(own.historyNumber != nil)
        #expect(try store.save(tag("late")).historyNumber == nil)
        try writer.commit()
        writer.end()
        let found = try store.history(after: number)
        #expect(found.map(\.author) == ["early", "late"])
        #expect(own.historyNumber == found[0].number)
        // Several writes of one transaction are one after the other.
        let both = try store.beginTransaction()
        let numbers = try ["a", "b"].map { try both.save(tag($0)).historyNumber }
        try both.commit()
        both.end()
        #expect(try store.history(after: found[1].number).map(\.number) == numbers)
    }

    @Test func `a session reads the history of its state, page by page`() throws {
        let store = try HistoryServer.open(try PostgresStores.options())
        for number in 0..<5 { try store.save(tag("\(number)")) }
        try store.waitForHorizon()
        let session = try store.beginSession()
        try session.fixState()
        for number in 5..<8 { try store.save(tag("\(number)")) }
        var (last, found): (Int64, [String?]) = (0, [])
        while true {
            let page = try #require(
                try session.history(after: .transaction(last), includingChanges: true, limit: 2))
            guard let number = page.last?.number else { break }
            #expect(page.allSatisfy { $0.changes.count == 1 })
            found += page.map(\.author)
            last = number
        }
        #expect(found == (0..<5).map { "\($0)" })
        session.end()
        #expect(try store.waitForHistory(after: last).map(\.author) == ["5", "6", "7"])
        let all = try store.history(after: nil)
        let session2 = try store.beginSession()
        defer { session2.end() }
        let later = try session2.history(after: .date(all[5].timestamp), includingChanges: false, limit: nil)
        #expect(later?.map(\.author) == ["6", "7"])
        #expect(try session2.history(after: .date(.distantFuture), includingChanges: true, limit: nil)?.isEmpty == true)
        #expect(try session2.history(after: .date(.distantPast), includingChanges: true, limit: nil)?.count == 8)
    }
}
#endif
