import Foundation
@testable import OpenCoreData
import Testing

@testable import SwormCommand

@Suite("query, count and inspect")
struct QueryTests {
    private func workshop() throws -> Workshop {
        let workshop = try Workshop()
        try workshop.makeStore()
        return workshop
    }

    @Test func `CSV quotes values as RFC 4180 requires, and distinguishes an empty string from a missing one`() throws {
        let run = try workshop().run("query", "Author", "--columns", "name,profile.text,born", "--format", "csv")
        #expect(
            run.out
                == "name,profile.text,born\r\nLeo,Wrote much.,2023-03-08T20:26:40.125Z\r\n\"Anna, \"\"the\"\" best\nof all\",,\r\n日本の作家 👩‍👩‍👧,,\r\n"
        )
        #expect(run.code == .ok)
        let titles = try workshop().run("query", "Book", "--columns", "title,rating", "--format", "csv")
        #expect(titles.out == "title,rating\r\nWar and Peace,4.5\r\nAnna Karenina,\r\n\"\",\r\nTintin,\r\n")
    }

    @Test func `JSON has the values in their types`() throws {
        let workshop = try workshop()
        let run = workshop.run("query", "Book", "--where", "year == 1869", "--format", "json")
        let row = try #require((try run.json() as? [[String: Any]])?.first)
        #expect(row["self"] as? String == "Book/p1")
        #expect(row["title"] as? String == "War and Peace")
        #expect(row["year"] as? Int == 1869)
        #expect(row["isRead"] as? Bool == true)
        #expect(row["id"] as? String == "173EF017-8551-4F2A-9A51-0123456789AB")
        #expect(row["price"] as? Double == 12.3)
        #expect(row["author"] as? String == "Author/p1")
        #expect((row["cover"] as? [String: Any])?["bytes"] as? Int == 3)
        let base64 = workshop.run("query", "Book", "--columns", "cover", "--blobs", "base64", "--format", "ndjson")
        #expect(base64.lines.count == 5)
        #expect(base64.lines[0] == "{\"cover\":\"AQID\"}")
        #expect(base64.lines[1].contains(Data(repeating: 7, count: 150_000).base64EncodedString()))
        #expect(base64.lines[2] == "{\"cover\":null}")
    }

    @Test func `values that no model allows are shown as they are`() throws {
        let workshop = try workshop()
        try workshop.execute(
            """
            UPDATE ZBOOK SET ZTITLE = CAST(x'41FF42' AS TEXT), ZYEAR = 'soon', ZISREAD = 7, ZID = x'01', ZAUTHOR = 99,
                ZPRICE = '1.000000000000000000000000000000001m' WHERE Z_PK = 1;
            UPDATE ZAUTHOR SET ZBORN = 1e300 WHERE Z_PK = 1
            """)
        let json = workshop.run("query", "Book", "--limit", "1", "--columns", "title,year,isRead,author", "--json")
        let row = try #require((try json.json() as? [[String: Any]])?.first)
        #expect(row["title"] as? String == "A\u{FFFD}B")
        #expect(row["year"] as? String == "soon")
        #expect(row["isRead"] as? Int == 7)
        #expect(row["author"] as? String == "?/p99")
        let price = workshop.run("query", "Book", "--limit", "1", "--columns", "price", "--format", "ndjson")
        #expect(price.out == "{\"price\":1.000000000000000000000000000000001}\n")
        #expect(workshop.run("query", "Author", "--columns", "born", "--format", "csv").out.contains("1e+300"))
        for format in ["table", "csv", "ndjson"] {
            #expect(workshop.run("query", "Book", "--format", format).code == .ok)
        }
        #expect(workshop.run("dump").code == .ok)
    }

    @Test func `an empty answer is still JSON`() throws {
        let run = try workshop().run("query", "Book", "--limit", "0", "--json")
        #expect(run.out == "[]\n")
    }

    @Test func `rows are sorted, limited and skipped`() throws {
        let run = try workshop().run(
            "query", "Book", "--sort", "-author.name,year", "--offset", "1", "--limit", "2", "--columns", "title",
            "--format", "ndjson")
        #expect(run.out == "{\"title\":\"War and Peace\"}\n{\"title\":\"Anna Karenina\"}\n")
    }

    @Test func `columns can be expressions and counts`() throws {
        let run = try workshop().run(
            "query", "Author", "--columns", "uppercase:(name),books.@count", "--where", "books.@count > 1", "--format",
            "csv")
        #expect(run.out == "uppercase:(name),books.@count\r\nLEO,2\r\n")
    }

    @Test func `a table is aligned for wide characters and fits its width`() throws {
        let workshop = try workshop()
        for width in [40, 80] {
            let run = workshop.run("query", "Author", "--columns", "name,born,self", width: width)
            #expect(run.lines.allSatisfy { DisplayWidth.of($0) <= width })
            let ends = run.lines.filter { $0.contains("Author/p") }.map { line in
                DisplayWidth.of(String(line.prefix(upTo: line.range(of: "Author/p")?.lowerBound ?? line.startIndex)))
            }
            #expect(Set(ends).count == 1 && ends.count == 3)
        }
        let narrow = workshop.run("query", "Book", width: 60)
        #expect(narrow.lines.allSatisfy { DisplayWidth.of($0) <= 60 })
        #expect(narrow.out.contains("title"))
    }

    @Test func `objects of sub-entities are found, and counted`() throws {
        let workshop = try workshop()
        #expect(workshop.run("count", "Book").out == "4\n")
        #expect(workshop.run("count", "comic").out == "1\n")
        #expect(workshop.run("count", "Book", "--where", "author.name == 'Leo'", "--json").out.contains("\"count\": 2"))
    }

    @Test func `names that are not there are reported with the nearest`() throws {
        let workshop = try workshop()
        let entity = workshop.run("count", "Boook")
        #expect(entity.code == .failure)
        #expect(entity.err == "error: the model has no entity 'Boook'\nhint: did you mean 'Book'?\n")
        #expect(workshop.run("query", "Book", "--where", "titel == 'x'").err.contains("did you mean 'title'?"))
        #expect(workshop.run("query", "Book", "--columns", "yaer").err.contains("did you mean 'year'?"))
        #expect(workshop.run("query", "Book", "--where", "title ==").err.hasPrefix("error: the condition"))
        #expect(Run(["count", workshop.storePath, "Book"]).out == workshop.run("count", "Book").out)
        try workshop.write(
            LibraryXML.text.replacingOccurrences(of: "Tag", with: "Mark"), model: "Other")
        let other = Run(["count", workshop.storePath, "Book", "--model", workshop.file("Other.xcdatamodel")])
        #expect(other.err.contains("none of the versions"))
    }

    @Test func `unknown columns and sort keys are rejected`() throws {
        let workshop = try workshop()
        for words in [["--sort", ","], ["--sort", ""], ["--columns", "title,"], ["--columns", ","]] {
            let run = Run(["query", workshop.storePath, "Book"] + words)
            #expect(run.code == .usage)
            #expect(run.err.contains("empty"))
        }
        for column in ["..", ".a", "a.", "title..author"] {
            let run = workshop.run("query", "Book", "--columns", column)
            #expect(run.code == .failure)
            #expect(run.err.contains("the column '\(column)' is not a path") && run.err.contains("hint: "))
        }
        for key in ["-", "-author.", "--year", "."] {
            #expect(Run(["query", workshop.storePath, "Book", "--sort=\(key)"]).code == .failure, "\(key)")
        }
        for form in [["--json"], ["--format", "ndjson"]] {
            let twice = Run(["query", workshop.storePath, "Book", "--columns", "title,year, title"] + form)
            #expect(twice.code == .usage)
            #expect(twice.err.contains("'title' appears twice"))
        }
        #expect(workshop.run("query", "Book", "--columns", "title,title", "--format", "csv").code == .ok)
    }

    @Test func `an invalid condition is reported with a way out`() throws {
        let workshop = try workshop()
        for (text, hint) in [
            ("title == $x", "write the value itself"), ("tags == 3", "ANY books.year"),
            ("title == 3", "write strings and UUIDs in quotes"), ("year == 'a'", "and numbers without"),
        ] {
            let run = workshop.run("count", "Book", "--where", text)
            #expect(run.code == .failure)
            #expect(run.err.contains("hint: ") && run.err.contains(hint), "\(run.err)")
        }
        #expect(workshop.run("query", "Book", "--sort", "tags").err.contains("books.@count"))
    }

    @Test func `inspect reports entities, history, sizes and hashes, with a model and without`() throws {
        let workshop = try workshop()
        let plain = Run(["inspect", workshop.storePath])
        #expect(plain.code == .ok)
        #expect(plain.out.contains("  Comic"))
        #expect(plain.out.contains("iOS 26"))
        #expect(plain.out.contains("1 transactions, 13 changes"))
        #expect(plain.out.contains("1 files, 146.5 KiB"))
        let json = try #require(try workshop.run("inspect", "--json").json() as? [String: Any])
        let entities = try #require(json["entities"] as? [[String: Any]])
        #expect(
            entities.map { $0["name"] as? String } == [
                "Author", "Book", "Comic", "Item", "Poster", "Profile", "Shelf", "Tag",
            ])
        #expect(entities.map { $0["count"] as? Int } == [3, 3, 1, 0, 2, 1, 1, 2])
        #expect(entities[3]["isAbstract"] as? Bool == true)
        #expect((json["warnings"] as? [String]) == [])
        #expect(workshop.run("inspect").out.contains("Author.books ->> Book (ordered), inverse author"))
    }

    @Test func `inspect warns of irregularities`() throws {
        let workshop = try workshop()
        try workshop.execute(
            """
            UPDATE Z_PRIMARYKEY SET Z_MAX = 1 WHERE Z_NAME = 'Author';
            UPDATE Z_PRIMARYKEY SET Z_NAME = 'Label' WHERE Z_NAME = 'Tag';
            CREATE TABLE ANSCKEVENT (Z_PK INTEGER PRIMARY KEY); CREATE TABLE EXTRA (X)
            """)
        let out = workshop.run("inspect", width: 200).out
        for part in ["Z_MAX is 1", "still has its former name Label", "mirrored to CloudKit", "the table EXTRA"] {
            #expect(out.contains(part), "\(part)")
        }
    }

    @Test func `a closed output ends the tool quietly`() throws {
        let workshop = try workshop()
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        close(ends[0])
        signal(SIGPIPE, SIG_IGN)
        let console = Console(out: ByteSink(descriptor: ends[1]), err: ByteSink())
        #expect(
            SwormTool.run(["query", workshop.storePath, "Book", "--model", workshop.modelPath], console: console) == .ok
        )
        #expect(console.err.text == "")
        close(ends[1])
    }

    @Test func `a store with leftover shared memory, and its log, are not modified`() throws {
        let workshop = try Workshop()
        let store = try workshop.openStore()
        try store.save(LibraryXML.content(store.model))
        try workshop.copyStore(to: "Left", with: ["", "-wal", "-shm"])
        store.close()
        let before = try workshop.contents()
        let path = workshop.file("Left.sqlite")
        #expect(workshop.run("count", "Book", store: path).out == "4\n")
        #expect(workshop.run("verify", store: path).out == "no faults\n")
        var after = try workshop.contents()
        // Which is what the help says.
        #expect(Run(["--help"]).out.contains("recreates it from the -wal"))
        after["Left.sqlite-shm"] = before["Left.sqlite-shm"]
        #expect(after == before)
    }

    @Test func `read-only commands change no byte, also of a store with a log`() throws {
        let workshop = try Workshop()
        let store = try workshop.openStore()
        try store.save(LibraryXML.content(store.model))
        // The state after a process was killed: the log exists, and no connection has the store open.
        try workshop.copyStore(to: "Left", with: ["", "-wal"])
        store.close()
        let before = try workshop.contents()
        #expect(before["Left.sqlite-wal"]?.isEmpty == false)
        for path in [workshop.storePath, workshop.file("Left.sqlite")] {
            #expect(workshop.run("inspect", store: path).code == .ok)
            #expect(workshop.run("query", "Book", store: path).lines.count > 4)
            #expect(workshop.run("count", "Book", store: path).out == "4\n")
            #expect(workshop.run("verify", store: path).out == "no faults\n")
        }
        #expect(try workshop.contents() == before)
    }
}
