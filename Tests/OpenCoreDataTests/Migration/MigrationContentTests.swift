import Foundation
import SwormSQLite
import Testing

@testable import OpenCoreData
@testable import SwormStore

/// What a store holds beside its objects: files, history, and what other programs have put there.
@Suite("The contents that a migration keeps")
struct MigrationContentTests {
    // MARK: Files

    private func photo(_ external: Bool, _ others: [NSAttributeDescription] = []) -> NSManagedObjectModel {
        let data = Build.attribute("data", .binaryDataAttributeType) { $0.allowsExternalBinaryDataStorage = external }
        return Build.model(Build.entity("Photo", [data, Build.attribute("name")] + others))
    }

    private func photos(_ external: Bool = true) throws -> MigratedStore {
        try MigratedStore(photo(external)) { context in
            try context.make("Photo", ["name": "small", "data": Data([0, 1, 2])])
            for index in 0..<3 {
                try context.make(
                    "Photo", ["name": "large \(index)", "data": Data(repeating: UInt8(index), count: 150_000)])
            }
            try context.make("Photo", ["name": "none"])
        }
    }

    /// The files of external data, each with what shows that it is the same file, not written again.
    private func files(_ store: MigratedStore) -> [String: FileStamp?] {
        let folder = StoreFiles(url: store.url).externalData
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return Dictionary(uniqueKeysWithValues: names.map { ($0, FileStamp(path: folder + "/" + $0)) })
    }

    @Test func `files of external data stay where they are`() throws {
        let store = try photos()
        let before = files(store)
        #expect(before.count == 3)
        try store.migrate(to: photo(true, [Build.attribute("more")]))
        #expect(files(store) == before)
        let renamed = photo(true)
        renamed.entitiesByName["Photo"]?.name = "Image"
        renamed.entities.first?.renamingIdentifier = "Photo"
        renamed.entities.first?.attributesByName["data"]?.renamingIdentifier = "data"
        renamed.entities.first?.attributesByName["data"]?.name = "bytes"
        try store.migrate(to: renamed)
        #expect(files(store) == before)
    }

    @Test func `files that no object has any more are removed`() throws {
        let store = try photos()
        try store.migrate(to: Build.model(Build.entity("Photo", [Build.attribute("name")])))
        #expect(files(store).isEmpty)
        #expect(store.report.removedFiles == 3)
    }

    @Test func `files stay when the migration fails at its end`() throws {
        struct Cancelled: Error {}
        let store = try photos()
        let before = files(store)
        #expect(throws: Cancelled.self) {
            try store.run(to: Build.model(Build.entity("Photo", [Build.attribute("name")]))) {
                if $0.phase == .replacing { throw Cancelled() }
            }
        }
        #expect(files(store) == before)
    }

    @Test func `content moves out of its files, and may move into files later`() throws {
        let store = try photos()
        try store.migrate(to: photo(false))
        #expect(files(store).isEmpty)
        #expect(try store.lines("SELECT hex(ZDATA) FROM ZPHOTO WHERE ZNAME = 'small'") == ["000102"])
        try store.migrate(to: photo(true))
        #expect(try store.lines("SELECT hex(ZDATA) FROM ZPHOTO WHERE ZNAME = 'small'") == ["01000102"])
    }

    @Test func `content is whole in a store of UTF-16`() throws {
        let contents = [Data([0, 255, 1, 254]), Data([0, 255, 1, 254, 3]), Data()]
        let plain = try MigratedStore(photo(false)) { context in
            for (index, data) in contents.enumerated() {
                try context.make("Photo", ["name": "ü\(index)", "data": data])
            }
        }
        let folder = try StoreFolder()
        try Self.copyWide(plain.url, to: folder.url())
        let store = try MigratedStore(copyOf: folder.url(), model: plain.model)
        #expect(try store.lines("PRAGMA encoding") == ["UTF-16le"])
        try store.run(to: photo(true))
        #expect(
            try store.lines("SELECT ZNAME, hex(ZDATA) FROM ZPHOTO ORDER BY ZNAME") == [
                "ü0|0100FF01FE", "ü1|0100FF01FE03", "ü2|01",
            ])
        try store.write { context in
            let photos = try context.all("Photo").sorted { ($0.text("name") ?? "") < ($1.text("name") ?? "") }
            #expect(photos.map { $0.value(forKey: "data") as? Data } == contents)
        }
    }

    /// Makes a copy of a database that has its text in two bytes.
    private static func copyWide(_ source: URL, to place: URL) throws {
        let (from, to) = (try Connection(.file(path: source.path)), try Connection(.file(path: place.path)))
        try to.execute("PRAGMA encoding = 'UTF-16le'")
        for table in try from.lines("SELECT name FROM sqlite_master WHERE type = 'table'") {
            for sql in try from.lines("SELECT sql FROM sqlite_master WHERE name = '\(table)'") { try to.execute(sql) }
            let columns = try from.lines("SELECT 'quote(\"' || name || '\")' FROM pragma_table_info('\(table)')")
            for row in try from.lines("SELECT \(columns.joined(separator: " || ', ' || ")) FROM \"\(table)\"") {
                try to.execute("INSERT INTO \"\(table)\" VALUES (\(row))")
            }
        }
        for sql in try from.lines("SELECT sql FROM sqlite_master WHERE type <> 'table' AND sql IS NOT NULL") {
            try to.execute(sql)
        }
    }

    @Test func `a file that is not there is reported before anything changes`() throws {
        let store = try photos()
        let folder = StoreFiles(url: store.url).externalData
        let name = try #require(files(store).keys.min())
        try FileManager.default.removeItem(atPath: folder + "/" + name)
        let before = try store.folder.contents()
        let error = try #require(coreDataError { try store.run(to: photo(false)) })
        #expect(error.message.contains(name))
        #expect(error.message.contains("1 value of it cannot be read"))
        #expect(error.message.contains("'Photo.data'"))
        #expect(error.errorCode == NSMigrationError)
        #expect(error.entity == "Photo" && error.key == "data")
        #expect(try store.folder.contents() == before)
        let rehearsal = try MigrationRehearsal(
            of: store.url, from: .init("1", model: store.model), through: [.init("2", model: photo(false))],
            progress: nil
        ).run()
        #expect(rehearsal.steps.map(\.refusals) == [[error.message]])
        // Where the value stays a name of a file, nothing gets worse.
        let report = try store.run(to: photo(true, [Build.attribute("more")]))
        #expect(report.notes.contains { $0.contains("missing file") })
    }

    // MARK: Tables that become one

    @Test func `objects of two tables are merged with all links to them`() throws {
        func model(_ together: Bool) -> NSManagedObjectModel {
            let book = Build.entity("Book", [Build.attribute("title")])
            let film = Build.entity("Film", [Build.attribute("title")])
            let tag = Build.entity("Tag", [Build.attribute("name")])
            let loan = Build.entity("Loan")
            let (films, source) = (Build.toMany("films", film) { $0.isOrdered = true }, Build.toOne("book", book))
            Build.connect(films, source)
            let (tags, tagged) = (Build.toMany("tags", tag), Build.toMany("films", film))
            Build.connect(tags, tagged)
            book.properties.append(films)
            film.properties += [source, tags]
            tag.properties.append(tagged)
            loan.properties.append(Build.toOne("film", film))
            loan.properties.append(Build.toMany("watched", film))
            guard together else { return Build.model(book, film, tag, loan) }
            let work = Build.entity("Work")
            for entity in [book, film] { entity.properties.removeAll { $0.name == "title" } }
            work.properties = [Build.attribute("title")]
            work.isAbstract = true
            work.subentities = [book, film]
            return Build.model(work, book, film, tag, loan)
        }
        let store = try MigratedStore(model(false)) { context in
            let books = try (0..<5).map { try context.make("Book", ["title": "book \($0)"]) }
            let films = try (0..<4).map { try context.make("Film", ["title": "film \($0)"]) }
            let tag = try context.make("Tag", ["name": "tag"])
            books[1].setValue(NSOrderedSet(array: [films[2], films[0]]), forKey: "films")
            tag.setValue(Set(films.prefix(3)), forKey: "films")
            let loan = try context.make("Loan", ["film": films[3]])
            loan.setValue(Set([films[1]]), forKey: "watched")
        }
        // Core Data infers no such mapping.
        let old = try model(false).compiled()
        let new = try model(true).compiled()
        let mapping = ModelMapping(
            entities: old.entities.compactMap { entity in
                new.entity(named: entity.name).map { image in
                    .init(
                        source: entity.name, destination: image.name,
                        attributes: image.attributes.map { .init(source: $0.name, destination: $0.name) },
                        relationships: image.relationships.map { .init(source: $0.name, destination: $0.name) })
                }
            })
        try store.run(to: model(true), mapping: mapping)
        try store.checkFile()
        try store.write { context in
            let book = try #require(try context.all("Book", "title = 'book 1'").first)
            #expect(book.list("films").map { $0.text("title") } == ["film 2", "film 0"])
            let tag = try #require(try context.all("Tag").first)
            #expect(Set(tag.set("films").compactMap { $0.text("title") }) == ["film 0", "film 1", "film 2"])
            let loan = try #require(try context.all("Loan").first)
            #expect(loan.object("film")?.text("title") == "film 3")
            #expect(loan.set("watched").map { $0.text("title") } == ["film 1"])
            let new = try context.make("Film", ["title": "new"])
            try context.obtainPermanentIDs(for: [new])
            #expect(new.objectID.key == 10)
        }
    }

    // MARK: History

    /// With true, the history looks like that of an earlier version of this library, which counted properties by name.
    @Test(arguments: [false, true]) func `a history speaks of the new model`(isEarlier: Bool) throws {
        func model(_ isNew: Bool) -> NSManagedObjectModel {
            func kept(_ name: String) -> NSAttributeDescription {
                Build.attribute(name) { $0.preservesValueInHistoryOnDeletion = true }
            }
            let tag = Build.entity("Tag", [kept("code"), Build.attribute("name"), Build.attribute("kind")])
            let gone = Build.entity("Gone", [Build.attribute("name")])
            guard isNew else { return Build.model(tag, gone) }
            tag.properties += [kept("area"), Build.attribute("another")]
            tag.attributesByName["name"]?.renamingIdentifier = "name"
            tag.attributesByName["name"]?.name = "label"
            return Build.model(tag, Build.entity("Aardvark"))
        }
        let store = try MigratedStore(model(false), options: [NSPersistentHistoryTrackingKey: true]) { context in
            let tag = try context.make("Tag", ["code": "c", "name": "n"])
            try context.make("Gone", ["name": "g"])
            try context.save()
            tag.setValue("m", forKey: "name")
            tag.setValue("z", forKey: "kind")
            try context.save()
            context.delete(tag)
            try context.make("Tag")
            try context.save()
        }
        var token: NSPersistentHistoryToken?
        try store.write { token = $0.persistentStoreCoordinator?.currentPersistentHistoryToken(fromStores: nil) }
        #expect(try store.lines("SELECT DISTINCT ZENTITY FROM ACHANGE ORDER BY 1") == ["1", "2"])
        if isEarlier {
            // From bit 1 on: code kind name. Core Data has no fourth bit.
            try Connection(.file(path: store.url.path)).execute(
                """
                UPDATE ATRANSACTION SET ZBUNDLEIDTS = ZPROCESSIDTS;
                UPDATE ACHANGE SET ZCOLUMNS = x'30' WHERE ZCHANGETYPE = 1;
                """)
        }
        try store.migrate(to: model(true))
        #expect(try store.lines("SELECT DISTINCT ZENTITY FROM ACHANGE") == ["2"])
        #expect(try store.lines("SELECT count(*) FROM ATRANSACTION WHERE ZBUNDLEIDTS = ZPROCESSIDTS") == ["0"])
        try store.write { context in
            let transactions = try context.transactions()
            #expect(transactions.map(\.transactionNumber) == [1, 2, 3])
            let changes = transactions.flatMap { $0.changes ?? [] }
            #expect(Set(changes.map(\.text)) == ["insert Tag/p1", "update Tag/p1", "delete Tag/p1", "insert Tag/p2"])
            let update = try #require(changes.first { $0.changeType == .update })
            #expect(Set(update.updatedProperties?.map(\.name) ?? []) == ["label", "kind"])
            let deletion = try #require(changes.first { $0.changeType == .delete })
            #expect(deletion.tombstone?["code"] as? String == "c")
            #expect(deletion.tombstone?["area"] == nil)
            // What comes behind a token from before is only what was saved since.
            #expect(try context.transactions(.fetchHistory(after: token)).isEmpty)
            try context.make("Tag", ["label": "new"])
            try context.save()
            #expect(try context.transactions(.fetchHistory(after: token)).map(\.transactionNumber) == [4])
        }
    }

    // MARK: What others have put there

    @Test func `views, triggers, indexes and tables of other programs stay, if they still fit`() throws {
        let store = try MigratedStore(GraphLibrary.model()) { try $0.make("Tag", ["name": "a"]) }
        try Connection(.file(path: store.url.path)).execute(
            """
            CREATE TABLE notes (text TEXT); CREATE TABLE log (text TEXT);
            CREATE VIEW tags AS SELECT ZNAME AS name FROM ZTAG;
            CREATE TRIGGER tag_added AFTER INSERT ON ZTAG BEGIN INSERT INTO log VALUES (NEW.ZNAME); END;
            CREATE TRIGGER label_set AFTER UPDATE ON ZSHELF BEGIN INSERT INTO log VALUES (NEW.ZLABEL); END;
            CREATE TRIGGER counted AFTER UPDATE ON ZTAG BEGIN SELECT program_function(NEW.ZNAME); END;
            CREATE INDEX my_names ON ZTAG (ZNAME); CREATE INDEX my_labels ON ZSHELF (ZLABEL);
            """)
        let model = GraphLibrary.model()
        let shelf = try #require(model.entitiesByName["Shelf"])
        shelf.properties = shelf.properties.filter { $0.name != "label" } + [Build.attribute("other")]
        let report = try store.run(to: model)
        #expect(report.notes.count == 2, "\(report.notes)")
        #expect(report.notes.contains { $0.contains("label_set") && $0.contains("ZLABEL") })
        #expect(report.notes.contains { $0.contains("my_labels") })
        let names = "SELECT name FROM sqlite_master WHERE name NOT LIKE 'Z%' AND name NOT LIKE 'sqlite%' ORDER BY 1"
        #expect(try store.lines(names) == ["counted", "log", "my_names", "notes", "tag_added", "tags"])
        #expect(try store.lines("SELECT name FROM tags") == ["a"])
        #expect(try store.lines("SELECT count(*) FROM log") == ["0"])
        try store.write { try $0.make("Tag", ["name": "b"]) }
        #expect(try store.lines("SELECT text FROM log") == ["b"])
    }
}
