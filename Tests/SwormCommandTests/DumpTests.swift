import Foundation
@testable import OpenCoreData
import SwormPredicates
import TestSupport
import Testing

@testable import SwormCommand
@testable import SwormStore

@Suite("dump, import and diff")
struct DumpTests {
    private func workshop() throws -> Workshop {
        let workshop = try Workshop()
        try workshop.makeStore()
        return workshop
    }

    /// Dumps a store, makes another one of the dump, and expects no difference.
    private func roundTrip(_ store: String, _ model: String, in workshop: Workshop) throws -> String {
        let dump = Run(["dump", store, "--model", model])
        #expect(dump.code == .ok, "\(dump.err)")
        try Data(dump.out.utf8).write(to: workshop.url("dump.ndjson"))
        let copy = workshop.file("New.sqlite")
        let imported = Run(["import", workshop.file("dump.ndjson"), copy, "--model", model])
        #expect(imported.code == .ok, "\(imported.err)")
        let diff = Run(["diff", store, copy, "--model", model])
        #expect(diff.out == "no differences\n" && diff.code == .ok, "\(diff.out)")
        let again = Run(["dump", copy, "--model", model])
        // The new store has an identifier of its own; everything behind the first line is the same.
        #expect(again.lines.dropFirst() == dump.lines.dropFirst())
        return copy
    }

    @Test func `a dump that is imported again has no differences and no issues`() throws {
        let workshop = try workshop()
        let copy = try roundTrip(workshop.storePath, workshop.modelPath, in: workshop)
        #expect(workshop.run("verify", store: copy).out == "no faults\n")
        // A store that was imported carries its model.
        #expect(Run(["model", copy, "--json"]).out == Run(["model", workshop.modelPath, "--json"]).out)
        #expect(Run(["verify", copy]).out == "no faults\n")
        #expect(try workshop.contents().keys.filter { $0.contains(".sworm-") } == [])
        #expect(try workshop.contents().keys.contains { $0.hasPrefix(".New_SUPPORT/_EXTERNAL_DATA/") })
    }

    @Test(
        .enabled(if: Fixtures.folder != nil, Comment(rawValue: Fixtures.missing)), arguments: FixtureStores.all)
    func `stores that Apple's framework wrote come back from their dumps`(store: FixtureStores.Store) throws {
        let workshop = try Workshop()
        let copy = try roundTrip(store.url.path, store.model.path, in: workshop)
        // What breaks a rule does so in the new store, too.
        let verified = Run(["verify", copy, "--model", store.model.path]).lines.filter { $0.hasPrefix("fault: ") }
        let kinds = Set(try store.issues().map(\.kind))
        #expect(Set(verified.compactMap { $0.split(separator: "[").last.map { String($0.dropLast()) } }) == kinds)
    }

    @Test func `more objects than one save takes are restored, including those with forward links`() throws {
        let workshop = try Workshop()
        let store = try workshop.openStore()
        var request = SaveRequest()
        let book = try #require(store.model.entity(named: "Book"))
        guard case .relationship(let sequel)? = book.slot(named: "sequel") else { return }
        for key in 1...21_000 {
            var toOnes = book.relationships.map { _ in RowID?.none }
            toOnes[sequel] = .init(entity: book.number, key: Int64(21_001 - key))
            request.insertions.append(
                .init(
                    row: .init(entity: book.number, key: Int64(key)),
                    attributes: book.attributes.map { $0.name == "title" ? .string("\(key)") : .null }, toOnes: toOnes))
        }
        try store.save(request)
        store.close()
        let copy = try roundTrip(workshop.storePath, workshop.modelPath, in: workshop)
        #expect(workshop.run("verify", store: copy).out == "no faults\n")
    }

    @Test func `values of composite and derived attributes come back`() throws {
        let workshop = try Workshop()
        try workshop.write(
            """
            <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
                <entity name="House">
                    <composite name="address" optional="YES">
                        <attribute name="city" optional="YES" attributeType="String"/>
                    </composite>
                    <attribute name="changed" optional="YES" attributeType="Date" derived="YES" derivationExpression="now()"/>
                </entity>
            </model>
            """, model: "House")
        let model = workshop.file("House.xcdatamodel")
        let house = try NSManagedObjectModel.load(contentsOf: URL(fileURLWithPath: model)).compiled()
        let store = try SQLiteStore.open(url: workshop.url("House.sqlite"), model: house)
        var request = SaveRequest()
        request.insertions.append(
            .init(
                row: .init(entity: 1, key: 1),
                attributes: house[1].attributes.map { $0.name == "address.city" ? .string("Rome") : .null }, toOnes: [])
        )
        try store.save(request)
        store.close()
        try workshop.execute("UPDATE ZHOUSE SET ZCHANGED = 12.5", on: "House.sqlite")
        let copy = try roundTrip(workshop.file("House.sqlite"), model, in: workshop)
        let run = Run(["query", copy, "House", "--model", model, "--format", "ndjson"])
        #expect(
            run.out == "{\"self\":\"House/p1\",\"address.city\":\"Rome\",\"changed\":\"2001-01-01T00:00:12.500Z\"}\n")
    }

    @Test func `metadata of the application come along`() throws {
        let workshop = try workshop()
        let store = try workshop.openStore()
        try store.setMetadata(["app": "kept", "number": 3])
        try store.save(SaveRequest())
        store.close()
        let copy = try roundTrip(workshop.storePath, workshop.modelPath, in: workshop)
        #expect(try SQLiteStore.metadata(of: URL(fileURLWithPath: copy))["app"] as? String == "kept")
    }

    @Test func `no store is made with a model that was inferred from another one`() throws {
        let workshop = try Workshop()
        try workshop.makeStore()
        let dump = workshop.file("dump.ndjson")
        try Data(workshop.run("dump").out.utf8).write(to: workshop.url("dump.ndjson"))
        let new = workshop.file("New.sqlite")
        // The store has no copy of its model.
        let run = Run(["import", dump, new, "--model", workshop.storePath])
        #expect(run.code == .failure)
        #expect(run.err.contains("inferred") && run.err.contains("hint:"))
        #expect(try workshop.contents().keys.allSatisfy { !$0.hasPrefix("New") && !$0.hasPrefix(".sworm") })
        #expect(Run(["import", dump, new, "--model", workshop.modelPath]).code == .ok)
    }

    @Test func `a file that is not a dump, or a dump without data, is rejected and leaves no store`() throws {
        let workshop = try workshop()
        let target = workshop.file("New.sqlite")
        func refused(_ text: String) throws -> String {
            try Data(text.utf8).write(to: workshop.url("bad.ndjson"))
            let run = Run(["import", workshop.file("bad.ndjson"), target, "--model", workshop.modelPath])
            #expect(run.code == .failure)
            #expect(!FileManager.default.fileExists(atPath: target))
            #expect(try workshop.contents().keys.filter { $0.contains(".sworm-") } == [])
            return run.err
        }
        #expect(try refused("").contains("is not a dump"))
        #expect(try refused("{}\n").contains("is not a dump"))
        #expect(try refused(workshop.run("dump", "--blobs", "hash").out).contains("only hashes"))
        let dump = workshop.run("dump").out
        #expect(try refused(dump + "{\"id\":\"Boook/p1\"}\n").contains("'Boook'"))
        #expect(try refused(dump + "nonsense\n").contains("line 16"))
        #expect(try refused(dump.replacingOccurrences(of: "1869", with: "\"soon\"")).contains("'year'"))
        #expect(workshop.run("import", workshop.storePath, store: workshop.file("bad.ndjson")).code == .failure)
    }

    @Test func `added, removed and changed objects are reported, with old and new values`() throws {
        let workshop = try workshop()
        for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: workshop.storePath + suffix) {
            try FileManager.default.copyItem(
                atPath: workshop.storePath + suffix, toPath: workshop.file("B.sqlite") + suffix)
        }
        try FileManager.default.copyItem(
            atPath: workshop.file(".Library_SUPPORT"), toPath: workshop.file(".B_SUPPORT"))
        try workshop.execute(
            """
            UPDATE ZBOOK SET ZYEAR = 1870, ZAUTHOR = 3, Z_FOK_AUTHOR = 9000 WHERE Z_PK = 1; DELETE FROM ZTAG WHERE Z_PK = 1;
            DELETE FROM Z_2TAGS WHERE Z_8TAGS = 1; INSERT INTO ZSHELF (Z_PK, Z_ENT, Z_OPT, ZLABEL) VALUES (2, 7, 1, 'new')
            """, on: "B.sqlite")
        let run = workshop.run("diff", workshop.file("B.sqlite"))
        #expect(run.code == .found)
        for part in [
            "~ Book/p1\n", "    year: 1869 -> 1870\n", "    author: Author/p1 -> Author/p3\n",
            "    tags: Tag/p1, Tag/p2 -> Tag/p2\n", "- Tag/p1\n", "+ Shelf/p2\n    label: \"new\"\n",
            "    books: Book/p1, Book/p2 -> Book/p2\n", "1 added, 1 removed, 3 changed\n",
        ] {
            #expect(run.out.contains(part), "\(part) in \(run.out)")
        }
        let json = try #require(
            try workshop.run("diff", workshop.file("B.sqlite"), "--json").json() as? [[String: Any]])
        #expect(json.count == 5)
        #expect(workshop.run("diff", workshop.file("B.sqlite"), "--entity", "Profile").code == .ok)
        #expect(workshop.run("diff", workshop.file("B.sqlite"), "--key", "nme").err.contains("did you mean 'name'?"))
        let unknown = workshop.run("diff", workshop.file("B.sqlite"), "--key", "name,whatever").err
        #expect(unknown.contains("no entity has the attribute 'whatever'"))
        #expect(unknown.contains("hint: the attributes are: born, cover, id,"))
    }

    @Test func `stores that were filled apart are compared by unique values`() throws {
        let workshop = try Workshop()
        for (name, keys) in [("A.sqlite", [1, 2, 3] as [Int64]), ("B.sqlite", [7, 5, 6])] {
            let store = try workshop.openStore(name)
            var request = SaveRequest()
            let author = try #require(store.model.entity(named: "Author"))
            let profile = try #require(store.model.entity(named: "Profile"))
            for (index, key) in keys.enumerated() {
                let text = index == 1 && name == "B.sqlite" ? "other" : "\(index)"
                request.insertions.append(
                    .init(
                        row: .init(entity: author.number, key: key),
                        attributes: author.attributes.map { $0.name == "name" ? .string("author \(index)") : .null },
                        toOnes: author.relationships.map {
                            $0.name == "profile" ? .init(entity: profile.number, key: key) : nil
                        }))
                request.insertions.append(
                    .init(
                        row: .init(entity: profile.number, key: key),
                        attributes: profile.attributes.map { _ in .string(text) },
                        toOnes: profile.relationships.map { _ in .init(entity: author.number, key: key) }))
            }
            try store.save(request)
            store.close()
        }
        let (a, b) = (workshop.file("A.sqlite"), workshop.file("B.sqlite"))
        #expect(workshop.run("diff", b, "--entity", "Author", store: a).code == .found)
        #expect(workshop.run("diff", b, "--key", "name,text", store: a).code == .failure)
        let byText = workshop.run("diff", b, "--key", "text", "--entity", "Profile", store: a)
        #expect(byText.out.contains("- Profile[text=\"1\"]") && byText.out.contains("+ Profile[text=\"other\"]"))
        let unique = workshop.run("diff", b, "--match", "unique", "--entity", "Author", store: a)
        #expect(unique.out.contains("3 changed"), "\(unique.out)")
        #expect(unique.out.contains("~ Author[name=\"author 0\"]"))
    }
}
