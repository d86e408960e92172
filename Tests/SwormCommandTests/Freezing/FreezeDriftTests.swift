import Foundation
@testable import OpenCoreData
import SwormSQLite
import Testing

@testable import SwormCommand

/// A change of the model, and what the check says of it.
struct PlantedDrift: Sendable, CustomTestStringConvertible {
    var old: String
    var new: String
    var line: String
    var testDescription: String { line }

    init(_ old: String, _ new: String, _ line: String) { (self.old, self.new, self.line) = (old, new, line) }
}

@Suite("freeze --check")
struct FreezeDriftTests {
    private static let drifts: [PlantedDrift] = [
        .init(
            #""title" attributeType"#, #""title" optional="YES" attributeType"#,
            "entity Book: attribute title became optional"),
        .init(
            #""born" optional="YES""#, #""born""#, "entity Author: attribute born became required"),
        .init(
            #""year" optional="YES" attributeType="Integer 16""#, #""year" optional="YES" attributeType="Integer 32""#,
            "entity Book: attribute year changed its type from Integer 16 to Integer 32"),
        .init(
            #"defaultValueString="0.0""#, #"defaultValueString="1.5""#,
            "entity Book: attribute price changed its default from 0 to 1.5"),
        .init(
            #"<attribute name="weight" optional="YES" attributeType="Double" usesScalarValueType="YES"/>"#, "",
            "entity Book: attribute weight was removed"),
        .init(
            #"<attribute name="title""#, #"<attribute name="note" attributeType="String"/><attribute name="title""#,
            "entity Book: attribute note was added"),
        .init(
            #"name="rating""#, #"name="stars" elementID="rating""#,
            "entity Book: attribute rating was renamed to stars"),
        .init(
            #"name="isRead""#, #"name="wasRead""#,
            "entity Book: attribute isRead was renamed to wasRead, without a renaming identifier"),
        .init(
            #" allowsExternalBinaryDataStorage="YES""#, "",
            "entity Book: attribute cover may no longer be stored in files"),
        .init(
            #"name="id""#, #"name="id" preserveAfterDeletion="YES""#,
            "entity Book: attribute id is now preserved on deletion"),
        .init(
            #"name="id""#, #"name="id" versionHashModifier="2""#,
            "entity Book: attribute id changed its hash modifier from none to 2"),
        .init(
            #"name="weight""#, #"name="weight" transient="YES""#,
            "entity Book: attribute weight became transient, and is not stored any more"),
        .init(
            #""Integer 16""#, #""Integer 16" minValueString="1""#,
            "entity Book: attribute year changed its validation from none to SELF >= 1"),
        .init(
            #"name="weight" optional="YES""#,
            #"name="weight" optional="YES" derived="YES" derivationExpression="year""#,
            "entity Book: attribute weight changed its derivation from none to year"),
        .init(
            #"deletionRule="Cascade""#, #"deletionRule="Deny""#,
            "entity Author: relationship books changed its delete rule from cascade to deny"),
        .init(
            #"ordered="YES" destinationEntity="Tag""#, #"destinationEntity="Tag""#,
            "entity Book: relationship tags became unordered"),
        .init(
            #""sequel" optional="YES" maxCount="1""#, #""sequel" optional="YES" toMany="YES""#,
            "entity Book: relationship sequel became a relationship to many"),
        .init(
            #""sequel" optional="YES""#, #""sequel""#, "entity Book: relationship sequel became required"),
        .init(
            #"destinationEntity="Poster""#, #"destinationEntity="Item""#,
            "entity Shelf: relationship posters changed its destination from Poster to Item"),
        .init(
            #"toMany="YES" deletionRule="Cascade""#, #"toMany="YES" minCount="1" maxCount="5" deletionRule="Cascade""#,
            "entity Author: relationship books changed its maximum count from 0 to 5"),
        .init(
            #"<relationship name="parodies""#, #"<relationship name="jokes""#,
            "entity Comic: relationship parodies was renamed to jokes, without a renaming identifier"),
        .init(
            #"<constraint value="name"/>"#, #"<constraint value="name"/><constraint value="born"/>"#,
            "entity Author: uniqueness constraint (name) was removed"),
        .init(
            #"<constraint value="name"/>"#, #"<constraint value="name"/><constraint value="born"/>"#,
            "entity Author: uniqueness constraint (name, born) was added"),
        .init(
            #"order="descending""#, #"order="ascending""#,
            "entity Book: index byYear changed from (year descending) to (year)"),
        .init(
            #"<fetchIndex name="byYear">"#, #"<fetchIndex name="years">"#,
            "entity Book: index byYear (year descending) was removed"),
        .init(
            #"name="label" optional="YES" attributeType="String"/>\#n        <relationship"#,
            #"name="label" optional="YES" attributeType="String" indexed="YES"/>\#n        <relationship"#,
            "entity Shelf: index label (label) was added"),
        .init(
            "</model>", #"<entity name="Room"/></model>"#, "entity Room was added"),
        .init(
            #"<entity name="Poster" representedClassName="Poster" parentEntity="Item"/>"#,
            #"<entity name="Poster" representedClassName="Poster"><attribute name="label" optional="YES" attributeType="String"/></entity>"#,
            "entity Poster changed its super-entity from Item to none"),
        .init(
            #"name="Shelf" representedClassName="Shelf""#,
            #"name="Rack" elementID="Shelf" representedClassName="Shelf""#, "entity Shelf was renamed to Rack"),
        .init(
            #"name="Shelf" representedClassName="Shelf""#, #"name="Rack" representedClassName="Rack""#,
            "entity Shelf was renamed to Rack, without a renaming identifier"),
        .init(#" isAbstract="YES""#, "", "entity Item became concrete"),
        .init(
            #"representedClassName="Author""#, #"representedClassName="Writer""#,
            "entity Author changed its class from Author to Writer"),
        .init(
            #"<entity name="Author""#, #"<entity name="Author" versionHashModifier="2""#,
            "entity Author changed its hash modifier from none to 2"),
        .init(
            #"<entity name="Author""#, #"<entity name="Author" versionHashModifier="2""#,
            "entity Author: its version hash changed, so that stores need a migration"),
        .init(
            #"<attribute name="title""#, #"<attribute name="note" attributeType="String"/><attribute name="title""#,
            "entity Comic: its version hash changed, so that stores need a migration, because of its super-entity Book"),
        .init(
            #"userDefinedModelVersionIdentifier="one""#, #"userDefinedModelVersionIdentifier="two""#,
            "the model changed its version identifiers from one to two"),
        .init(
            "</model>", #"<configuration name="Cloud"><memberEntity name="Tag"/></configuration></model>"#,
            "the model: configuration Cloud (Tag) was added"),
        .init(
            #"<uniquenessConstraints>"#, #"<userInfo><entry key="a" value="b"/></userInfo><uniquenessConstraints>"#,
            "entity Author changed its user info from none to a = b"),
    ]

    private func frozen() throws -> Workshop {
        let workshop = try Workshop()
        let run = Run(["freeze", workshop.modelPath, workshop.file("Frozen"), "--name", "1.0"])
        #expect(run.code == .ok, "\(run.err)")
        return workshop
    }

    private func check(_ workshop: Workshop, model: String = "Library") -> Run {
        Run(["freeze", "--check", workshop.file(model + ".xcdatamodel"), workshop.file("Frozen")])
    }

    @Test(arguments: drifts) func `every drift of the current model is named`(drift: PlantedDrift) throws {
        let workshop = try frozen()
        #expect(LibraryXML.text.contains(drift.old))
        try workshop.write(LibraryXML.text.replacing(drift.old, with: drift.new, maxReplacements: 1), model: "Current")
        let run = check(workshop, model: "Current")
        #expect(run.code == .found, "\(run.err)")
        #expect(run.lines.contains("1.0: \(drift.line)"), "\(run.out)")
        let count = run.lines.count - 2
        #expect(run.lines.contains("\(count) difference\(count == 1 ? "" : "s") from what was frozen"))
    }

    @Test func `elements of composite attributes are compared by their paths`() throws {
        let workshop = try Workshop()
        try workshop.write(HouseXML.text, model: "House")
        #expect(
            Run(["freeze", workshop.file("House.xcdatamodel"), workshop.file("Frozen"), "--name", "1.0"]).code == .ok)
        #expect(check(workshop, model: "House").code == .ok, "\(check(workshop, model: "House").out)")
        let changed = HouseXML.text.replacing(#"name="x" optional="YES""#, with: #"name="x""#)
        try workshop.write(changed, model: "House")
        let run = check(workshop, model: "House")
        #expect(run.lines.contains("1.0: entity House: attribute address.place.x became required"), "\(run.out)")
    }

    // MARK: Files

    /// Changes a file of the frozen version as text.
    private func edit(_ name: String, in workshop: Workshop, _ old: String, _ new: String) throws {
        let url = workshop.url("Frozen/" + name)
        let text = try String(contentsOf: url, encoding: .utf8)
        #expect(text.contains(old))
        try Data(text.replacing(old, with: new, maxReplacements: 1).utf8).write(to: url)
    }

    private func expect(_ line: String, in workshop: Workshop) {
        let run = check(workshop)
        #expect(run.code == .found, "\(run.err)")
        #expect(run.lines.contains("1.0: " + line), "\(run.out)")
        let alone = Run(["freeze", "--check", workshop.file("Frozen")])
        #expect(alone.code == .found && alone.lines.contains("1.0: " + line), "\(alone.out)\(alone.err)")
    }

    @Test func `a changed document of the model is named, with what it says now`() throws {
        let workshop = try frozen()
        try edit("1.0.xcdatamodel/contents", in: workshop, #"name="title""#, #"name="title" optional="YES""#)
        expect("1.0.xcdatamodel/contents: entity Book: attribute title became optional", in: workshop)
        try edit("1.0.xcdatamodel/contents", in: workshop, "</model>", "")
        #expect(check(workshop).out.contains("1.0.xcdatamodel/contents: is not a model: "))
        try FileManager.default.removeItem(atPath: workshop.file("Frozen/1.0.xcdatamodel"))
        expect("1.0.xcdatamodel/contents: is missing", in: workshop)
    }

    @Test func `a changed struct or class is named, with its line`() throws {
        let workshop = try frozen()
        try edit("1.0.tables.swift", in: workshop, #".init(\.born, "born")"#, #".init(\.born, "birth")"#)
        expect(
            #"1.0.tables.swift: LibraryV1_0.Author: `.init(\.born, "born"),` became `.init(\.born, "birth"),`"#,
            in: workshop)
        try edit("1.0.schema.swift", in: workshop, "var born: Date?", "var born: Date")
        expect(
            "1.0.schema.swift: LibrarySchemaV1_0.Author: `var born: Date?` became `var born: Date`", in: workshop)
        try edit("1.0.schema.swift", in: workshop, "var text: String?\n", "\n")
        expect("1.0.schema.swift: LibrarySchemaV1_0.Profile: `var text: String?` was removed", in: workshop)
    }

    @Test func `a changed record of hashes is named, with the property`() throws {
        let workshop = try frozen()
        let url = workshop.url("Frozen/1.0.release.json")
        let record = try String(contentsOf: url, encoding: .utf8)
        let before = "attribute, String, required"
        #expect(record.contains(before))
        try edit("1.0.release.json", in: workshop, #""hash" : ""#, #""hash" : "AAAA"#)
        expect("1.0.release.json: 'Author' has another version hash", in: workshop)
        try Data("{}".utf8).write(to: url)
        expect("1.0.release.json: is not a record of version hashes", in: workshop)
        try FileManager.default.removeItem(at: url)
        expect("1.0.release.json: is missing", in: workshop)
    }

    @Test func `a changed sample store is named, with its faults`() throws {
        let workshop = try frozen()
        let name = "Frozen/1.0.store/Store.sqlite"
        try workshop.execute("UPDATE ZAUTHOR SET ZNAME = 'Leo' WHERE Z_PK = 1", on: name)
        expect("1.0.store/Store.sqlite: was changed after it was frozen", in: workshop)
        try workshop.execute("UPDATE ZAUTHOR SET ZNAME = NULL WHERE Z_PK = 1", on: name)
        let run = check(workshop)
        #expect(run.code == .found)
        #expect(run.lines.contains { $0.hasPrefix("1.0: 1.0.store/Store.sqlite: ") && $0.contains("Author.name") })
        try Data("no store".utf8).write(to: workshop.url(name))
        #expect(check(workshop).out.contains("1.0.store/Store.sqlite: is not a store: "))
        try FileManager.default.removeItem(atPath: workshop.file("Frozen/1.0.store"))
        expect("1.0.store/Store.sqlite: is missing", in: workshop)
    }

    @Test func `parts of two models do not pass as one version, whatever their digests`() throws {
        let workshop = try frozen()
        try workshop.write(LibraryXML.text.replacing(#"name="weight""#, with: #"name="mass""#), model: "Other")
        let other = workshop.file("Other.xcdatamodel")
        #expect(Run(["freeze", other, workshop.file("Others"), "--name", "1.0"]).code == .ok)
        let manager = FileManager.default
        try manager.removeItem(atPath: workshop.file("Frozen/1.0.release.json"))
        try manager.copyItem(
            atPath: workshop.file("Others/1.0.release.json"), toPath: workshop.file("Frozen/1.0.release.json"))
        var manifest = try FrozenManifest(contentsOf: workshop.url("Frozen/1.0.frozen.json"))
        manifest.files["1.0.release.json"] = try FrozenManifest.digest(of: workshop.url("Frozen/1.0.release.json"))
        try manifest.encoded().write(to: workshop.url("Frozen/1.0.frozen.json"))
        let run = check(workshop)
        #expect(run.out.contains("1.0.release.json: 'Book'.weight was removed"), "\(run.out)")
        try Data("{}".utf8).write(to: workshop.url("Frozen/1.0.frozen.json"))
        #expect(check(workshop).code == .failure)
    }

    // MARK: Several versions

    @Test func `a model with several versions must have every frozen one`() throws {
        let workshop = try Workshop()
        let bundle = workshop.file("Shelves.xcdatamodeld")
        let second = LibraryXML.text.replacing(#"name="weight""#, with: #"name="mass""#)
        func write(_ first: String, _ second: String) throws {
            try workshop.write(first, model: "Shelves.xcdatamodeld/Shelves")
            try workshop.write(second, model: "Shelves.xcdatamodeld/Shelves 2")
        }
        try write(LibraryXML.text, second)
        let inner = bundle + "/Shelves.xcdatamodel"
        #expect(Run(["freeze", inner, workshop.file("Frozen"), "--name", "1"]).code == .ok)
        #expect(Run(["freeze", bundle + "/Shelves 2.xcdatamodel", workshop.file("Frozen"), "--name", "2"]).code == .ok)
        let check = ["freeze", "--check", bundle, workshop.file("Frozen")]
        #expect(Run(check).out == "no differences from 1, 2\n", "\(Run(check).out)")
        // A single version is compared with the frozen one that it is.
        #expect(Run(["freeze", "--check", inner, workshop.file("Frozen")]).code == .ok)
        #expect(Run(["freeze", "--check", inner, workshop.file("Frozen"), "--name", "2"]).code == .found)
        try write(LibraryXML.text.replacing(#"name="rating""#, with: #"name="stars""#), second)
        let run = Run(check)
        #expect(run.code == .found)
        let line = "1: Shelves: entity Book: attribute rating was renamed to stars, without a renaming identifier"
        #expect(run.lines.contains(line), "\(run.out)")
        #expect(run.lines.allSatisfy { !$0.hasPrefix("2: ") })
        let json = try Run(check + ["--json"]).json() as? [String: Any]
        #expect(json?["versions"] as? [String] == ["1", "2"])
        #expect((json?["differences"] as? [[String: Any]])?.first?["version"] as? String == "1")
    }
}
