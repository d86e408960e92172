import Foundation
@testable import OpenCoreData
import SwormPredicates
import SwormSQLite
import Testing

@testable import SwormCommand

@Suite("import of unusual dumps")
struct ImportTests {
    private func workshop() throws -> Workshop {
        let workshop = try Workshop()
        try workshop.makeStore()
        return workshop
    }

    /// Changes one piece of a line of a dump, expects that no store is made of it, and gives the words of the error.
    private func refusal(
        of old: String, as new: String, in workshop: Workshop, line: String = "Book/p1"
    ) throws -> String {
        var lines = workshop.run("dump").lines
        let index = try #require(lines.firstIndex { $0.contains("\"id\":\"\(line)\"") })
        try #require(lines[index].contains(old), "\(lines[index])")
        lines[index] = lines[index].replacingOccurrences(of: old, with: new)
        let words = try refusal(of: lines.joined(separator: "\n"), in: workshop)
        // An issue between two objects may be reported for the other one.
        #expect(words.contains("line \(index + 1) of 'odd.ndjson'") || words.contains("Author/p1"), "\(words)")
        return words
    }

    private func refusal(of dump: String, in workshop: Workshop) throws -> String {
        try Data(dump.utf8).write(to: workshop.url("odd.ndjson"))
        let run = Run([
            "import", workshop.file("odd.ndjson"), workshop.file("New.sqlite"), "--model", workshop.modelPath,
        ])
        #expect(run.code == .failure, "\(run.err)")
        #expect(run.err.contains("\nhint: ") && !run.err.contains(".sworm-"), "\(run.err)")
        #expect(try workshop.contents().keys.filter { $0.contains(".sworm-") || $0.contains("New") } == [])
        return run.err
    }

    @Test(arguments: [
        ("\"year\":1869", "\"year\":1869.5", ["Book/p1", "'year'", "1869.5", "Integer 16"]),
        ("\"year\":1869", "\"year\":true", ["Book/p1", "'year'", "true"]),
        ("\"isRead\":true", "\"isRead\":1", ["Book/p1", "'isRead'", "Boolean"]),
        ("\"price\":\"12.3\"", "\"price\":\"12abc\"", ["Book/p1", "'price'", "12abc"]),
        ("\"price\":\"12.3\"", "\"price\":\"NaN\"", ["Book/p1", "'price'", "NaN"]),
        ("\"cover\":\"AQID\"", "\"cover\":\"A!\"", ["Book/p1", "'cover'"]),
        (
            "\"title\":\"War and Peace\"", "\"titel\":\"War and Peace\"",
            ["Book/p1", "'titel'", "did you mean 'title'?"]
        ),
        ("\"year\":1869", "\"year\":1868,\"year\":1869", ["'year' twice"]),
        ("\"year\":1869", "\"\\u0079ear\":1868,\"year\":1869", ["'year' twice"]),
        ("\"relations\":{", "\"attributes\":{},\"relations\":{", ["'attributes' twice"]),
        ("\"price\":\"12.3\"", "\"price\":{\"real\":1,\"real\":2}", ["'real' twice"]),
        ("\"attributes\":{", "\"other\":1,\"attributes\":{", ["Book/p1", "'other'"]),
        ("\"attributes\":{", "\"attributes\":3,\"more\":{", ["Book/p1", "'more'"]),
        ("\"relations\":{", "\"relations\":[],\"entity\":{", ["entity"]),
        ("\"id\":\"Book/p1\"", "\"id\":\"Book/p0\"", ["Book/p0", "positive key"]),
        ("\"id\":\"Book/p1\"", "\"id\":\"Book/p-4\"", ["Book/p-4", "positive key"]),
        ("\"id\":\"Book/p1\"", "\"id\":\"Book/p01\"", ["Book/p01"]),
        ("\"entity\":\"Book\"", "\"entity\":\"Comic\"", ["Comic", "Book/p1"]),
    ])
    func `a value that cannot be imported unchanged is an error with its line and the way out`(
        old: String, new: String, parts: [String]
    ) throws {
        let words = try refusal(of: old, as: new, in: workshop())
        for part in parts { #expect(words.contains(part), "\(part) in \(words)") }
    }

    @Test(arguments: [
        ("\"sequel\":\"Book/p2\"", "\"sequel\":[\"Book/p2\"]", ["'sequel'", "a list"]),
        ("\"sequel\":\"Book/p2\"", "\"sequel\":\"Tag/p1\"", ["'sequel'", "Tag/p1, which is not of the entity Book"]),
        ("\"author\":\"Author/p1\"", "\"author\":null", ["'books'", "'author'", "Book/p1"]),
        ("\"author\":\"Author/p1\"", "\"author\":\"Author/p2\"", ["'books'", "'author'", "Book/p1"]),
        ("\"tags\":[\"Tag/p1\",\"Tag/p2\"]", "\"tags\":null", ["'tags'", "is to-many"]),
        ("\"tags\":[\"Tag/p1\",\"Tag/p2\"]", "\"tags\":\"Tag/p1\"", ["'tags'", "is to-many"]),
        ("\"tags\":[\"Tag/p1\",\"Tag/p2\"]", "\"tags\":[\"Tag/p2\",\"Tag/p2\"]", ["'tags'", "twice"]),
    ])
    func `an unknown relationship, or one that cannot be stored, is rejected with both objects`(
        old: String, new: String, parts: [String]
    ) throws {
        let words = try refusal(of: old, as: new, in: workshop())
        for part in parts { #expect(words.contains(part), "\(part) in \(words)") }
    }

    /// Changes one piece of a line of a dump, and imports it.
    ///
    /// - Returns: The dump of the new store, and what the import warned of.
    private func takenOver(
        _ old: String, as new: String, in workshop: Workshop, line: String = "Book/p1"
    ) throws -> (before: [String], after: [String], warnings: String) {
        var lines = workshop.run("dump").lines
        let index = try #require(lines.firstIndex { $0.contains("\"id\":\"\(line)\"") })
        try #require(lines[index].contains(old), "\(lines[index])")
        lines[index] = lines[index].replacingOccurrences(of: old, with: new)
        try Data(lines.joined(separator: "\n").utf8).write(to: workshop.url("odd.ndjson"))
        let run = Run([
            "import", workshop.file("odd.ndjson"), workshop.file("New.sqlite"), "--model", workshop.modelPath,
        ])
        #expect(run.code == .ok && run.out.contains("imported"), "\(run.err)")
        #expect(run.err.contains("warning: line \(index + 1): ") || run.err.isEmpty, "\(run.err)")
        return (
            Array(lines.dropFirst()), Array(workshop.run("dump", store: workshop.file("New.sqlite")).lines.dropFirst()),
            run.err
        )
    }

    @Test(arguments: [
        ("\"title\":\"War and Peace\"", "\"title\":null", "Book/p1 has no value of 'title'", "required"),
        ("\"sequel\":\"Book/p2\"", "\"sequel\":\"?/p77\"", "'sequel' points to ?/p77", "dangling"),
        (
            "\"tags\":[\"Tag/p1\",\"Tag/p2\"]", "\"tags\":[\"Tag/p1\",\"Tag/p2\",\"?/p9\"]", "'tags' points to ?/p9",
            "dangling"
        ),
    ])
    func `a row that violates a rule of the model is imported unchanged, with a warning`(
        old: String, new: String, warning: String, kind: String
    ) throws {
        let workshop = try workshop()
        let (before, after, warnings) = try takenOver(
            old, as: new, in: workshop, line: "Book/p1")
        #expect(before == after)
        #expect(warnings.contains(warning), "\(warnings)")
        let verified = workshop.run("verify", store: workshop.file("New.sqlite"))
        #expect(verified.out.contains("[\(kind)]"), "\(verified.out)")
    }

    @Test(arguments: [
        ("\"sequel\":\"Book/p2\"", "\"sequel\":\"Book/p77\"", "'sequel' points to Book/p77, which is not in the dump"),
        ("\"sequel\":\"Book/p2\"", "\"sequel\":\"Book/p4\"", "which is not in the dump, but Comic/p4"),
        (
            "\"tags\":[\"Tag/p1\",\"Tag/p2\"]", "\"tags\":[\"Tag/p1\",\"Tag/p2\",\"Tag/p9\"]",
            "'tags' points to Tag/p9, which is not in the dump"
        ),
    ])
    func `a link to an object that is not in the dump is imported, too`(old: String, new: String, warning: String)
        throws
    {
        let workshop = try workshop()
        let warnings = try takenOver(old, as: new, in: workshop).warnings
        #expect(warnings.contains(warning), "\(warnings)")
    }

    @Test func `a link of two rows that only one side names is rejected`() throws {
        let workshop = try workshop()
        let other = try refusal(of: "\"books\":[", as: "\"books\":[\"Book/p3\",", in: workshop, line: "Tag/p1")
        #expect(other.contains("Tag/p1: 'books' names Book/p3, whose 'tags'"), "\(other)")
    }

    @Test func `two objects do not share a member of a relationship without inverse`() throws {
        let workshop = try workshop()
        let lines = workshop.run("dump").lines.filter { !$0.isEmpty }
        let shelf = try #require(lines.first { $0.contains("\"Shelf/p1\"") })
        let words = try refusal(
            of: (lines + [shelf.replacingOccurrences(of: "Shelf/p1", with: "Shelf/p2")]).joined(separator: "\n"),
            in: workshop)
        #expect(words.contains("Shelf/p2: 'posters' names Poster/p1, which belongs to Shelf/p1 in line"), "\(words)")
    }

    @Test func `an id that comes twice, and a key that two entities of a hierarchy have, name both lines`() throws {
        let workshop = try workshop()
        let lines = workshop.run("dump").lines.filter { !$0.isEmpty }
        let first = try #require(lines.firstIndex { $0.contains("\"id\":\"Tag/p1\"") })
        let twice = try refusal(of: (lines + [lines[first]]).joined(separator: "\n"), in: workshop)
        #expect(twice.contains("line \(lines.count + 1) of 'odd.ndjson' is Tag/p1, and line \(first + 1) is Tag/p1"))
        let comic = try refusal(
            of: "\"id\":\"Comic/p4\"", as: "\"id\":\"Comic/p3\"", in: workshop, line: "Comic/p4")
        #expect(comic.contains("is Comic/p3, and line") && comic.contains("is Book/p3"), "\(comic)")
    }

    @Test func `unique values that two objects have name both lines`() throws {
        let words = try refusal(of: "日本の作家 👩‍👩‍👧", as: "Leo", in: workshop(), line: "Author/p3")
        #expect(words.contains("Author/p3 has the same name as Author/p1 in line 2"), "\(words)")
    }

    @Test func `a damaged header and a truncated line are rejected`() throws {
        let workshop = try workshop()
        let dump = workshop.run("dump").out
        #expect(try refusal(of: String(dump.dropLast(5)), in: workshop).contains("not a JSON object"))
        let metadata = dump.replacingOccurrences(of: "\"metadata\":null", with: "\"metadata\":\"AAAA\"")
        #expect(try refusal(of: metadata, in: workshop).contains("header, is damaged"))
    }

    @Test
    func
        `a dump that was truncated between two lines creates no store, and a dump with extra lines after its end does`()
        throws
    {
        let workshop = try Workshop()
        let store = try workshop.openStore()
        let tag = try #require(store.model.entity(named: "Tag"))
        var request = SaveRequest()
        request.insertions = (1...3).map { key in
            .init(
                row: .init(entity: tag.number, key: key),
                attributes: tag.attributes.map { $0.name == "name" ? .string("\(key)") : .null },
                toOnes: tag.relationships.map { _ in nil })
        }
        try store.save(request)
        store.close()
        let lines = workshop.run("dump").lines.filter { !$0.isEmpty }
        try #require(lines.count == 5)
        for count in 1...4 {
            let words = try refusal(of: lines.prefix(count).joined(separator: "\n") + "\n", in: workshop)
            #expect(words.contains("'odd.ndjson' is truncated after line \(count)"), "\(words)")
        }
        let more =
            lines + [
                lines[3].replacingOccurrences(of: "Tag/p3", with: "Tag/p4").replacingOccurrences(
                    of: "\"3\"", with: "\"4\"")
            ]
        try Data(more.joined(separator: "\n").utf8).write(to: workshop.url("more.ndjson"))
        let run = Run([
            "import", workshop.file("more.ndjson"), workshop.file("More.sqlite"), "--model", workshop.modelPath,
        ])
        #expect(run.out == "4 objects imported\n", "\(run.err)")
    }

    @Test func `pairs of which one save takes one object and the next the other come back`() throws {
        let workshop = try Workshop()
        let store = try workshop.openStore()
        var request = SaveRequest()
        let author = try #require(store.model.entity(named: "Author"))
        let profile = try #require(store.model.entity(named: "Profile"))
        for key in 1...Int64(20_500) {
            request.insertions.append(
                .init(
                    row: .init(entity: author.number, key: key),
                    attributes: author.attributes.map { $0.name == "name" ? .string("\(key)") : .null },
                    toOnes: author.relationships.map {
                        $0.name == "profile" ? .init(entity: profile.number, key: key) : nil
                    }))
            request.insertions.append(
                .init(
                    row: .init(entity: profile.number, key: key), attributes: profile.attributes.map { _ in .null },
                    toOnes: profile.relationships.map { _ in .init(entity: author.number, key: key) }))
        }
        try store.save(request)
        store.close()
        let copy = try roundTrip(workshop.storePath, workshop.modelPath, in: workshop)
        #expect(workshop.run("verify", store: copy).out == "no faults\n")
    }

    /// Dumps a store, makes another one of the dump, and expects the same in it.
    private func roundTrip(_ store: String, _ model: String, in workshop: Workshop) throws -> String {
        let dump = Run(["dump", store, "--model", model])
        try Data(dump.out.utf8).write(to: workshop.url("dump.ndjson"))
        let copy = workshop.file("New.sqlite")
        let imported = Run(["import", workshop.file("dump.ndjson"), copy, "--model", model])
        #expect(imported.code == .ok, "\(imported.err)")
        let diff = Run(["diff", store, copy, "--model", model])
        #expect(diff.out == "no differences\n", "\(diff.out)")
        #expect(Run(["dump", copy, "--model", model]).lines.dropFirst() == dump.lines.dropFirst())
        return copy
    }

    // MARK: Values

    private static let oddModel = """
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
            <entity name="Thing">
                <attribute name="amount" optional="YES" attributeType="Decimal"/>
                <attribute name="at" optional="YES" attributeType="Date"/>
                <attribute name="count" optional="YES" attributeType="Integer 64"/>
                <attribute name="home" optional="YES" attributeType="URI"/>
                <attribute name="level" optional="YES" attributeType="Float"/>
                <attribute name="size" optional="YES" attributeType="Double"/>
                <attribute name="text" optional="YES" attributeType="String"/>
                <attribute name="changed" optional="YES" attributeType="Date" derived="YES" derivationExpression="now()"/>
            </entity>
        </model>
        """

    /// A store with one object, whose columns get their content by plain SQL.
    private func odd(_ assignments: String, in workshop: Workshop) throws -> (store: String, model: String) {
        try workshop.write(Self.oddModel, model: "Odd")
        let model = workshop.file("Odd.xcdatamodel")
        let compiled = try NSManagedObjectModel.load(contentsOf: URL(fileURLWithPath: model)).compiled()
        let store = try SQLiteStore.open(url: workshop.url("Odd.sqlite"), model: compiled)
        var request = SaveRequest()
        request.insertions.append(
            .init(
                row: .init(entity: 1, key: 1), attributes: compiled[1].attributes.map { _ in .null }, toOnes: []))
        try store.save(request)
        store.close()
        try workshop.execute("UPDATE ZTHING SET ZCHANGED = 12.5, \(assignments)", on: "Odd.sqlite")
        return (workshop.file("Odd.sqlite"), model)
    }

    @Test(arguments: [
        "ZHOME = ''", "ZHOME = 'a b'", "ZHOME = 'http://[::'", "ZHOME = 'http://ex.org/é'",
        "ZHOME = 'http://ex.org/?q=1'",
        "ZHOME = CAST(X'61FF' AS TEXT)", "ZAMOUNT = 'NaN'", "ZAMOUNT = '12abc'", "ZAMOUNT = 1e200",
        "ZAMOUNT = 9e999", "ZAMOUNT = '12.345678901234567890123456789m'", "ZAMOUNT = '0012.50m'", "ZAMOUNT = 1e19",
        "ZAMOUNT = 0.1", "ZAMOUNT = -3", "ZLEVEL = 1e300", "ZLEVEL = 0.1", "ZLEVEL = 1.5", "ZLEVEL = -9e999",
        "ZSIZE = 9e999", "ZSIZE = 5e-324", "ZSIZE = 1.7976931348623157e308", "ZSIZE = 12345678901234567890123.0",
        "ZSIZE = -0.0", "ZTEXT = 'a' || char(0) || 'b'", "ZTEXT = char(0)", "ZTEXT = ''", "ZTEXT = char(55296)",
        "ZTEXT = CAST(X'61ED A080' AS TEXT)", "ZTEXT = CAST(X'FF00FE' AS TEXT)", "ZTEXT = char(101, 769)",
        "ZTEXT = 'é'",
        "ZTEXT = char(97, 65279, 65279) || X'0A' || char(65279)",
        "ZTEXT = char(65279) || char(8232) || char(127) || char(1114111)", "ZAT = 1e300", "ZAT = -1e300", "ZAT = 9e999",
        "ZAT = 9007199254740993", "ZAT = 9223372036854775807", "ZAT = 0.1", "ZAT = -63114076800.0", "ZAT = 5e-324",
        "ZAT = 252423993600.0", "ZAT = -0.1234567891", "ZAT = -9007199254740993", "ZAT = -9223372036854775807",
        "ZAT = -2475731913145812025", "ZSIZE = -2475731913145812025.0", "ZAMOUNT = -2475731913145812025",
        "ZAMOUNT = -1234567890123456789", "ZCOUNT = -2475731913145812025", "ZCOUNT = -9223372036854775808",
        "ZCOUNT = 9223372036854775807", "ZCOUNT = -1000000000000000000",
    ])
    func `the values of a store are restored byte by byte`(assignment: String) throws {
        let workshop = try Workshop()
        let assignment = assignment.replacingOccurrences(of: "61ED A080", with: "61EDA080")
        let (store, model) = try odd(assignment, in: workshop)
        // No decimal is read from these.
        let isSound = !["'NaN'", "'12abc'", "1e200", "9e999"].map { "ZAMOUNT = " + $0 }.contains(assignment)
        #expect((Run(["verify", store, "--model", model]).out == "no faults\n") == isSound)
        _ = try roundTrip(store, model, in: workshop)
        let column = try #require(assignment.split(separator: " ").first)
        func content(_ name: String) throws -> String {
            let connection = try workshop.raw(name)
            var row = try connection.statement(
                "SELECT typeof(\(column)), hex(\(column)), \(column), ZCHANGED FROM ZTHING")
            #expect(try row.step())
            return "\(row.text(0) ?? "") \(row.text(1) ?? "") \(row.double(2)) \(row.double(3))"
        }
        #expect(try content("New.sqlite") == content("Odd.sqlite"))
    }

    @Test(arguments: [
        ("ZTEXT = X'4142'", "binary data"), ("ZHOME = X'4142'", "binary data"), ("ZSIZE = 'many'", "a string"),
        ("ZAT = 'soon'", "a string"),
    ])
    func `mistyped values that verify reports are imported, with a warning`(assignment: String, words: String) throws {
        let workshop = try Workshop()
        let (store, model) = try odd(assignment, in: workshop)
        let dump = Run(["dump", store, "--model", model])
        try Data(dump.out.utf8).write(to: workshop.url("dump.ndjson"))
        let run = Run(["import", workshop.file("dump.ndjson"), workshop.file("New.sqlite"), "--model", model])
        #expect(run.code == .ok && run.err.contains(words) && run.err.contains("Thing/p1"), "\(run.err)")
        let again = Run(["dump", workshop.file("New.sqlite"), "--model", model])
        #expect(again.out.split(separator: "\n").dropFirst() == dump.out.split(separator: "\n").dropFirst())
    }

    @Test func `numbers beyond their type are imported, with a warning`() throws {
        let workshop = try Workshop()
        try workshop.makeStore(keepsModel: true)
        try workshop.execute("UPDATE ZBOOK SET ZYEAR = 99999 WHERE Z_PK = 1")
        let dump = Run(["dump", workshop.storePath])
        try Data(dump.out.utf8).write(to: workshop.url("dump.ndjson"))
        let run = Run([
            "import", workshop.file("dump.ndjson"), workshop.file("New.sqlite"), "--model", workshop.modelPath,
        ])
        #expect(run.code == .ok && run.err.contains("'year' is 99999, which Integer 16 cannot hold"), "\(run.err)")
        #expect(try workshop.raw("New.sqlite").lines("SELECT ZYEAR FROM ZBOOK WHERE Z_PK = 1") == ["99999"])
    }

    @Test func `rows that are not objects are not dumped, with a warning for each`() throws {
        let workshop = try Workshop()
        try workshop.makeStore(keepsModel: true)
        try workshop.execute(
            """
            INSERT INTO ZTAG (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (-5, (SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = 'Tag'), 1, 'x');
            INSERT INTO ZTAG (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (70, 900, 1, 'y');
            INSERT INTO ZTAG (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (71, NULL, 1, 'z');
            """)
        let dump = Run(["dump", workshop.storePath])
        #expect(dump.code == .ok, "\(dump.err)")
        for key in [-5, 70, 71] {
            #expect(dump.err.contains("Tag/p\(key) is not an object of the model"), "\(dump.err)")
        }
        try Data(dump.out.utf8).write(to: workshop.url("dump.ndjson"))
        let run = Run([
            "import", workshop.file("dump.ndjson"), workshop.file("New.sqlite"), "--model", workshop.modelPath,
        ])
        #expect(run.code == .ok, "\(run.err)")
    }

    @Test func `strings with many byte order marks are read in linear time`() throws {
        let workshop = try Workshop()
        let (store, model) = try odd("ZTEXT = 'a'", in: workshop)
        let dump = Run(["dump", store, "--model", model]).out
        let marks = String(repeating: "\u{FEFF}", count: 100_000)
        try Data(dump.replacing("\"text\":\"a\"", with: "\"text\":\"\(marks)\"").utf8).write(
            to: workshop.url("d.ndjson"))
        let run = Run(["import", workshop.file("d.ndjson"), workshop.file("New.sqlite"), "--model", model])
        #expect(run.code == .ok, "\(run.err)")
        #expect(try workshop.raw("New.sqlite").lines("SELECT length(ZTEXT) FROM ZTHING") == ["100000"])
    }

    @Test func `strings that are written with other characters differ`() throws {
        let workshop = try Workshop()
        let (store, model) = try odd("ZTEXT = char(233)", in: workshop)
        try FileManager.default.copyItem(atPath: store, toPath: workshop.file("Other.sqlite"))
        try workshop.execute("UPDATE ZTHING SET ZTEXT = char(101, 769)", on: "Other.sqlite")
        #expect(Run(["diff", store, workshop.file("Other.sqlite"), "--model", model]).code == .found)
    }

    // MARK: Places

    @Test func `a pipe is read once, with values that no save works out`() throws {
        let workshop = try Workshop()
        let (store, model) = try odd("ZTEXT = 'kept'", in: workshop)
        let dump = Data(Run(["dump", store, "--model", model]).out.utf8)
        let pipe = workshop.file("pipe")
        try #require(mkfifo(pipe, 0o600) == 0)
        let writer = Thread {
            let handle = FileHandle(forWritingAtPath: pipe)
            try? handle?.write(contentsOf: dump)
            try? handle?.close()
        }
        writer.start()
        let run = Run(["import", pipe, workshop.file("New.sqlite"), "--model", model])
        #expect(run.code == .ok, "\(run.err)")
        #expect(Run(["diff", store, workshop.file("New.sqlite"), "--model", model]).out == "no differences\n")
    }

    @Test func `a folder is neither a dump nor a target for a store, and a missing file is reported`() throws {
        let workshop = try workshop()
        let folder = Run(["import", workshop.path, workshop.file("New.sqlite"), "--model", workshop.modelPath])
        #expect(folder.code == .failure && folder.err.contains("is a folder, not a file"), "\(folder.err)")
        let none = Run(["import", workshop.file("none"), workshop.file("New.sqlite"), "--model", workshop.modelPath])
        #expect(none.err.contains("there is no file"), "\(none.err)")
        try Data(workshop.run("dump").out.utf8).write(to: workshop.url("dump.ndjson"))
        for words in [[], ["--force"]] {
            let place = Run(
                ["import", workshop.file("dump.ndjson"), workshop.path, "--model", workshop.modelPath] + words)
            #expect(place.code == .failure && place.err.contains("is a folder\nhint: name the file"), "\(place.err)")
        }
    }

    @Test func `the help describes the model of an import`() {
        let help = Run(["import", "--help"]).out
        #expect(
            help.contains("dumped store, which a dump does not") && help.contains("- for the standard"), "\(help)")
    }
}
