import Foundation
@testable import OpenCoreData
import SwormSQLite
import Testing

@testable import SwormCommand

@Suite("migrate")
struct MigrateTests {
    /// A workshop with the store, and a model that differs from its own in what is replaced.
    private func workshop(_ changes: (old: String, new: String)...) throws -> Workshop {
        let workshop = try Workshop()
        try workshop.makeStore(keepsModel: true)
        var text = LibraryXML.text
        for change in changes {
            #expect(text.contains(change.old))
            text = text.replacingOccurrences(of: change.old, with: change.new)
        }
        try workshop.write(text, model: "New")
        return workshop
    }

    private func migrate(_ workshop: Workshop, _ words: String...) -> Run {
        Run(["migrate", workshop.storePath, "--model", workshop.file("New.xcdatamodel")] + words)
    }

    private static let rating =
        #"<attribute name="rating" optional="YES" attributeType="Float" usesScalarValueType="YES"/>"#
    private static let born =
        #"<attribute name="born" optional="YES" attributeType="Date" usesScalarValueType="NO"/>"#
    private static let label = #"<entity name="Shelf" representedClassName="Shelf">"#

    @Test func `a store is migrated, and the result for each entity is reported`() throws {
        let workshop = try workshop(
            (Self.rating, ""), (Self.label, #"<entity name="Board" representedClassName="Board" elementID="Shelf">"#))
        let run = migrate(workshop)
        #expect(run.code == .ok, "\(run.err)")
        #expect(run.err == "")
        #expect(run.lines.contains("Shelf -> Board: 1"))
        #expect(run.lines.contains("Book: 3"))
        #expect(run.out.contains("migrated to New.xcdatamodel, "))
        let model = workshop.file("New.xcdatamodel")
        #expect(Run(["verify", workshop.storePath, "--model", model]).out == "no faults\n")
        #expect(Run(["count", workshop.storePath, "Board"]).out == "1\n")
        #expect(try workshop.contents().keys.filter { $0.contains("migrating") } == [])
        // As a run leaves it that was killed when all was done.
        try FileManager.default.createDirectory(
            atPath: workshop.file(".Library.sqlite.migrating"), withIntermediateDirectories: true)
        let again = migrate(workshop)
        #expect(again.code == .ok)
        #expect(!FileManager.default.fileExists(atPath: workshop.file(".Library.sqlite.migrating")))
        #expect(again.out == "nothing to do: the store already has that model\n")
    }

    @Test func `a store of the model already gets the indexes that it does not have`() throws {
        let workshop = try workshop(
            (
                #"<fetchIndex name="byYear">"#,
                #"<fetchIndex name="byTitle"><fetchIndexElement property="title" type="Binary" order="ascending"/></fetchIndex><fetchIndex name="byYear">"#
            ))
        let rehearsal = migrate(workshop, "--dry-run")
        #expect(rehearsal.code == .ok)
        #expect(
            rehearsal.lines.contains(
                "missing indexes that would be created: Z_Book_title, Z_Book_byTitle, Z_Comic_title"))
        let plan = try #require(try migrate(workshop, "--dry-run", "--json").json() as? [String: Any])
        #expect((plan["indexes"] as? [String])?.count == 3)
        #expect(plan["changedIndexes"] as? [String] == [])
        let run = migrate(workshop)
        #expect(run.code == .ok, "\(run.err)")
        #expect(
            run.out
                == "the store already has that model\nmissing indexes created: Z_Book_title, Z_Book_byTitle, Z_Comic_title\n"
        )
        let answer = try #require(try migrate(workshop, "--json").json() as? [String: Any])
        #expect(answer["indexes"] as? [String] == [])
        #expect(answer["migrated"] as? Bool == false)
        #expect(migrate(workshop).out == "nothing to do: the store already has that model\n")
        #expect(Run(["verify", workshop.storePath]).out == "no faults\n")
    }

    @Test func `the answer as JSON`() throws {
        let workshop = try workshop((Self.born, ""))
        let answer = try #require(try migrate(workshop, "--json").json() as? [String: Any])
        #expect(answer["migrated"] as? Bool == true)
        #expect(answer["model"] as? String == "New.xcdatamodel")
        let entities = try #require(answer["entities"] as? [[String: Any]])
        #expect(entities.contains { $0["source"] as? String == "Author" && $0["count"] as? Int == 3 })
        let again = try #require(try migrate(workshop, "--json").json() as? [String: Any])
        #expect(again["migrated"] as? Bool == false)
    }

    @Test func `the new model may be that of another store`() throws {
        let workshop = try workshop((Self.born, ""))
        let other = workshop.file("Other.sqlite")
        try FileManager.default.copyItem(atPath: workshop.storePath, toPath: other)
        #expect(Run(["migrate", other, "--model", workshop.file("New.xcdatamodel")]).code == .ok)
        let run = Run(["migrate", workshop.storePath, "--model", other])
        #expect(run.code == .ok, "\(run.err)")
        #expect(run.out.contains("migrated to Other.sqlite, "))
        try workshop.execute("DELETE FROM Z_MODELCACHE", on: "Other.sqlite")
        let refused = Run(["migrate", workshop.storePath, "--model", other])
        #expect(refused.code == .failure)
        #expect(refused.err.contains("no copy of the model") && refused.err.contains("hint: use the model itself"))
    }

    @Test func `a store without a copy of its model must have a version that the model file contains`() throws {
        let workshop = try workshop((Self.born, ""))
        try workshop.execute("DELETE FROM Z_MODELCACHE")
        let before = try workshop.contents()
        let refused = migrate(workshop)
        #expect(refused.code == .failure)
        #expect(refused.err.contains("has no copy of the model that it was written with"))
        #expect(refused.err.contains("hint: use an .xcdatamodeld"))
        #expect(try workshop.contents() == before)
        let bundle = workshop.file("All.xcdatamodeld")
        try FileManager.default.createDirectory(atPath: bundle, withIntermediateDirectories: true)
        for name in ["Library", "New"] {
            try FileManager.default.copyItem(
                atPath: workshop.file("\(name).xcdatamodel"), toPath: bundle + "/\(name).xcdatamodel")
        }
        let current = try PropertyListSerialization.data(
            fromPropertyList: ["_XCCurrentVersionName": "New.xcdatamodel"], format: .xml, options: 0)
        try current.write(to: URL(fileURLWithPath: bundle + "/.xccurrentversion"))
        let run = Run(["migrate", workshop.storePath, "--model", bundle])
        #expect(run.code == .ok, "\(run.err)")
        #expect(Run(["verify", workshop.storePath]).out == "no faults\n")
    }

    @Test func `a migration that cannot be inferred is rejected with the way out, and nothing changes`() throws {
        let workshop = try workshop((Self.born, Self.born.replacingOccurrences(of: #" optional="YES""#, with: "")))
        let before = try workshop.contents()
        let run = migrate(workshop)
        #expect(run.code == .failure)
        #expect(run.err.contains("'Author.born' is now required"))
        #expect(run.err.contains("hint: ") && run.err.contains("--dry-run"))
        #expect(try workshop.contents() == before)
    }

    @Test func `a store that is being written is not migrated`() throws {
        let workshop = try workshop((Self.born, ""))
        let store = try workshop.openStore()
        defer { store.close() }
        let run = migrate(workshop)
        #expect(run.code == .failure)
        #expect(run.err.contains("another connection or process has it open"))
    }

    @Test func `wrong arguments`() throws {
        let workshop = try workshop()
        let missing = Run(["migrate", workshop.storePath])
        #expect(missing.code == .usage)
        #expect(missing.err.contains("hint: use --model NEW"))
        #expect(Run(["migrate", workshop.file("nothing"), "--model", workshop.modelPath]).code == .failure)
        #expect(Run(["migrate", workshop.storePath, "--model", workshop.file("nothing")]).code == .failure)
        let help = Run(["migrate", "--help"])
        #expect(help.code == .ok)
        #expect(help.out.contains("--dry-run") && help.lines.allSatisfy { $0.count <= 80 })
    }

    // MARK: Rehearsals

    @Test func `a rehearsal reports losses, and changes nothing`() throws {
        let workshop = try workshop((Self.rating, ""))
        let before = try workshop.contents()
        let run = migrate(workshop, "--dry-run")
        #expect(run.code == .found, "\(run.err)")
        #expect(run.lines.contains("lost: the values of 'Book.rating', which 1 object has, would be deleted"))
        #expect(run.lines.contains("the store can be migrated"))
        #expect(run.lines.contains("this was a rehearsal: the store is unchanged"))
        #expect(run.lines.contains { $0.hasPrefix("Book ") && $0.hasSuffix("3     3") })
        #expect(try workshop.contents() == before)
    }

    @Test func `a rehearsal without losses is a success`() throws {
        let new = Self.born + #"<attribute name="more" optional="YES" attributeType="String"/>"#
        let workshop = try workshop((Self.born, new))
        let before = try workshop.contents()
        let run = migrate(workshop, "--dry-run")
        #expect(run.code == .ok, "\(run.out) \(run.err)")
        #expect(run.lines.contains("the store can be migrated"))
        #expect(try workshop.contents() == before)
        let same = Run(["migrate", workshop.storePath, "--model", workshop.modelPath, "--dry-run"])
        #expect(same.code == .ok)
        #expect(same.out.contains("already has that model"))
    }

    @Test func `a rehearsal counts the obstacles, as JSON`() throws {
        let required = Self.born.replacingOccurrences(of: #" optional="YES""#, with: "")
        let workshop = try workshop((Self.born, required), (Self.rating, ""))
        let before = try workshop.contents()
        let run = migrate(workshop, "--dry-run", "--json")
        #expect(run.code == .found)
        #expect(try workshop.contents() == before)
        let answer = try #require(try run.json() as? [String: Any])
        #expect(answer["migrates"] as? Bool == false)
        let step = try #require((answer["steps"] as? [[String: Any]])?.first)
        #expect((step["refusals"] as? [String])?.count == 1)
        let findings = try #require(step["findings"] as? [[String: Any]])
        let texts = findings.map {
            "\($0["kind"] ?? "") \($0["entity"] ?? "").\($0["property"] ?? "") \($0["count"] ?? "")"
        }
        #expect(texts == ["missing Author.born 2", "lost Book.rating 1"])
    }

    @Test func `a rehearsal counts values that are not unique`() throws {
        let author = #"<constraint value="name"/>"#
        let workshop = try workshop(
            (author, author + #"</uniquenessConstraint><uniquenessConstraint><constraint value="born"/>"#))
        try workshop.execute("UPDATE ZAUTHOR SET ZBORN = 1")
        let before = try workshop.contents()
        let run = migrate(workshop, "--dry-run")
        #expect(run.code == .found)
        #expect(
            run.lines.contains(
                "refused: 'Author' must be unique by born in the new model, and 1 value is shared by several objects"))
        #expect(run.lines.contains("the store cannot be migrated"))
        #expect(try workshop.contents() == before)
        #expect(migrate(workshop).code == .failure)
        #expect(try workshop.contents() == before)
    }
}
