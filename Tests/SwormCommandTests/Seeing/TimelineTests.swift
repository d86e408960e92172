import Foundation
@testable import OpenCoreData
import Testing

@testable import SwormCommand

/// A store with a history of known dates and authors.
private struct DatedStore {
    let workshop: Workshop

    init() throws {
        workshop = try Workshop()
        try workshop.makeStore(keepsModel: true)
        let model = try workshop.model()
        func number(_ name: String) throws -> Int { try #require(model.entity(named: name)).number }
        let (author, book, tag) = (try number("Author"), try number("Book"), try number("Tag"))
        // 2026-06-01 00:00:00 UTC, in seconds since 2001.
        let june = 801_964_800
        let dates = [june, june + 3600 * 11 + 59, june + 86400 * 2, june + 86400 * 2 + 60]
        let authors = ["NULL", "'app'", "'sync'", "'app'"]
        let strings = (1...4).map { "(\($0), 16003, 1, \(["'main'", "'app'", "'sync'", "'LibraryApp'"][$0 - 1]))" }
        let transactions = (0..<4).map { index in
            "(\(index + 1), 16002, \(authors[index]), \(index == 2 ? "'LibrarySync'" : "'LibraryApp'"), \(dates[index]))"
        }
        let changes = [
            (1, 0, author, 1), (1, 0, author, 2), (1, 0, book, 1), (2, 1, book, 1), (2, 1, author, 2), (3, 2, tag, 9),
            (3, 1, book, 1), (4, 2, book, 3),
        ]
        let rows = changes.enumerated().map { index, change in
            "(\(index + 1), 16001, \(change.1), \(change.2), \(change.3), \(change.0))"
        }
        try workshop.execute(
            """
            DELETE FROM ACHANGE; DELETE FROM ATRANSACTION; DELETE FROM ATRANSACTIONSTRING;
            INSERT INTO ATRANSACTIONSTRING (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES \(strings.joined(separator: ", "));
            INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZAUTHOR, ZPROCESSID, ZTIMESTAMP) VALUES \(transactions.joined(separator: ", "));
            INSERT INTO ACHANGE (Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID) VALUES \(rows.joined(separator: ", "));
            """)
    }

    func run(_ words: String...) -> Run { Run(["timeline", workshop.storePath] + words) }
}

@Suite("sworm-tool timeline")
struct TimelineTests {
    private let store: DatedStore

    init() throws { store = try DatedStore() }

    private func cells(_ run: Run) -> [[String]] {
        run.lines.dropFirst(2).filter { !$0.isEmpty }.map { line in
            line.trimmingCharacters(in: .whitespaces).split(separator: #/\s{2,}/#).map(String.init)
        }
    }

    @Test func `changes are counted by day`() {
        let run = store.run()
        #expect(run.code == .ok)
        #expect(
            run.out == """
                day (UTC)   transactions  changes  +  ~  -  authors
                ----------  ------------  -------  -  -  -  --------------  --------------------
                2026-06-01             2        5  3  2     no author, app  ████████████████████
                2026-06-03             2        3     1  2  app, sync       ████████████

                """)
    }

    @Test func `changes are counted by hour, author, entity and transaction`() {
        #expect(
            cells(store.run("--by", "hour")).map { $0[0] } == [
                "2026-06-01 00:00", "2026-06-01 11:00", "2026-06-03 00:00",
            ])
        #expect(
            cells(store.run("--by", "author")).map { $0.prefix(3) } == [
                ["no author", "1", "3"], ["app", "2", "3"], ["sync", "1", "2"],
            ])
        #expect(
            cells(store.run("--by", "entity")).map { $0.prefix(3) } == [
                ["Book", "4", "4"], ["Author", "2", "3"], ["Tag", "1", "1"],
            ])
        let transactions = store.run("--by", "transaction")
        #expect(transactions.lines.count { $0.contains("2026-06-0") } == 4)
        #expect(
            Array(cells(transactions).dropFirst()) == [
                ["2", "2026-06-01 11:00:59", "app", "2", "Author ~1, Book ~1"],
                ["3", "2026-06-03 00:00:00", "sync", "2", "Book ~1, Tag -1"],
                ["4", "2026-06-03 00:01:00", "app", "1", "Book -1"],
            ])
    }

    @Test func `a filter selects transactions by time, author and process`() {
        #expect(cells(store.run("--since", "2026-06-02")).map { $0[0] } == ["2026-06-03"])
        #expect(cells(store.run("--until", "2026-06-01")).map { $0.prefix(3) } == [["2026-06-01", "2", "5"]])
        #expect(cells(store.run("--until", "2026-06-01T11:00:59Z")).map { $0.prefix(3) } == [["2026-06-01", "1", "3"]])
        #expect(
            cells(store.run("--since", "2026-06-01T11:00:59Z", "--until", "2026-06-02")).map { $0.prefix(3) } == [
                ["2026-06-01", "1", "2"]
            ])
        #expect(
            cells(store.run("--author", "app")).map { $0.prefix(3) } == [
                ["2026-06-01", "1", "2"], ["2026-06-03", "1", "1"],
            ])
        #expect(cells(store.run("--author", "")).map { $0.prefix(3) } == [["2026-06-01", "1", "3"]])
        #expect(cells(store.run("--process", "LibrarySync")).map { $0.prefix(3) } == [["2026-06-03", "1", "2"]])
        #expect(store.run("--author", "nobody").out.contains("no transactions"))
    }

    @Test func `a filter by entity counts only changes of that entity and of its sub-entities`() {
        #expect(cells(store.run("--entity", "Tag")).map { $0.prefix(3) } == [["2026-06-03", "1", "1"]])
        #expect(
            cells(store.run("--entity", "book", "--by", "author")).map { $0.prefix(3) } == [
                ["app", "2", "2"], ["no author", "1", "1"], ["sync", "1", "1"],
            ])
    }

    @Test func `the changes of an object are shown one by one`() throws {
        let run = store.run("--object", "Book/1")
        #expect(run.lines.count { $0.contains("updated") } == 2)
        #expect(run.lines.count { $0.contains("inserted") } == 1)
        #expect(!run.out.contains("deleted"))
        let json = try #require(try store.run("--object", "Book/1", "--json").json() as? [[String: Any]])
        #expect(json.map { $0["kind"] as? String } == ["inserted", "updated", "updated"])
        #expect(json.map { $0["transaction"] as? Int } == [1, 2, 3])
        #expect(json.map { $0["object"] as? String } == ["Book/1", "Book/1", "Book/1"])
        #expect(json.first?["date"] as? String == "2026-06-01T00:00:00.000Z")
        #expect(store.run("--object", "Book/77").out.contains("no changes"))
    }

    @Test func `JSON has a member for each column`() throws {
        let days = try #require(try store.run("--json").json() as? [[String: Any]])
        #expect(days.map { $0["day"] as? String } == ["2026-06-01", "2026-06-03"])
        #expect(days.map { $0["deleted"] as? Int } == [0, 2])
        let authors = try #require(try store.run("--by", "author", "--json").json() as? [[String: Any]])
        #expect(authors.map { $0["author"] as? String } == [nil, "app", "sync"])
        let transactions = try #require(try store.run("--by", "transaction", "--json").json() as? [[String: Any]])
        #expect(transactions.map { $0["changes"] as? Int } == [3, 2, 2, 1])
        let entities = try #require(transactions[0]["entities"] as? [[String: Any]])
        #expect(entities.map { $0["entity"] as? String } == ["Author", "Book"])
    }

    @Test func `wrong arguments are errors that say what to write`() {
        #expect(store.run("--since", "yesterday").err.contains("30d"))
        #expect(store.run("--since", "2026-13-01").code == .usage)
        #expect(store.run("--by", "week").code == .usage)
        #expect(store.run("--object", "Book").code == .usage)
        #expect(store.run("--object", "Book/1", "--by", "author").code == .usage)
        for span in ["infd", "1e3d", "0x10d", "-3d", "3m", "2026-02-31"] {
            #expect(store.run("--since", span).code == .usage, "\(span)")
        }
        #expect(store.run("--object", "Book/1", "--entity", "Book").code == .usage)
        #expect(store.run("--entity", "Boook").err.contains("did you mean 'Book'?"))
    }

    @Test(arguments: ["89504E47", "01AA", "", "0200112233445566778899AABBCCDDEEFF"])
    func `preserved external data has no marker`(bytes: String) throws {
        let workshop = try Workshop()
        let model = LibraryXML.text.replacing(
            "name=\"cover\" optional=\"YES\"",
            with: "name=\"cover\" optional=\"YES\" preserveAfterDeletion=\"YES\"")
        try workshop.write(model, model: "Library")
        try workshop.makeStore(keepsModel: true)
        let book = try #require(try workshop.model().entity(named: "Book")).number
        try workshop.execute(
            """
            INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZTIMESTAMP) VALUES (9, 16002, 0.5);
            INSERT INTO ACHANGE (Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, ZTOMBSTONE0)
            VALUES (99, 16001, 2, \(book), 7, 9, x'\(bytes)');
            """)
        let run = Run(["timeline", workshop.storePath, "--object", "Book/7"])
        #expect(run.code == .ok, "\(run.err)")
        #expect(run.out.contains("cover: <\(bytes.count / 2) bytes>"), "\(run.out)")
    }

    @Test func `a store without a history is an error`() throws {
        try store.workshop.execute("DROP TABLE ACHANGE; DROP TABLE ATRANSACTION; DROP TABLE ATRANSACTIONSTRING;")
        let run = store.run()
        #expect(run.code == .failure)
        #expect(run.err.contains("keeps no history"))
    }

    @Test func `no file of the store changes`() throws {
        let before = try store.workshop.contents()
        for words in [[], ["--by", "transaction"], ["--object", "Book/1"]] {
            _ = Run(["timeline", store.workshop.storePath] + words)
        }
        #expect(try store.workshop.contents() == before)
    }

    @Test(arguments: [("36h", 129_600.0), ("30d", 2_592_000), ("4w", 2_419_200), ("1.5h", 5400)])
    func `a span is before now`(text: String, seconds: Double) throws {
        let arguments = try Arguments(["s", "--since", text], for: TimelineCommand.command.spec)
        let now = Date(timeIntervalSinceReferenceDate: 800_000_000)
        let found = try TimeOperand.seconds(arguments, option: "since", endsDay: false, now: now)
        #expect(found == 800_000_000 - seconds)
    }
}
