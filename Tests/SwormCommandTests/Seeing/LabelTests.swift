import Foundation
@testable import OpenCoreData
import Testing

@testable import SwormCommand
@testable import SwormStore

@Suite("Labels of objects")
struct LabelTests {
    /// A model with the attributes of one entity, all optional strings unless a type follows the name.
    private func workshop(_ attributes: [String], unique: String? = nil) throws -> Workshop {
        let workshop = try Workshop()
        let list = attributes.map { text in
            let parts = text.split(separator: ":").map(String.init)
            let type = parts.count > 1 ? parts[1] : "String"
            return #"<attribute name="\#(parts[0])" optional="YES" attributeType="\#(type)"/>"#
        }
        let constraint = unique.map {
            "<uniquenessConstraints><uniquenessConstraint><constraint value=\"\($0)\"/></uniquenessConstraint>"
                + "</uniquenessConstraints>"
        }
        try workshop.write(
            """
            <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
            <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
                <entity name="Thing">\(list.joined())\(constraint ?? "")</entity>
            </model>
            """, model: "Library")
        let store = try workshop.openStore("Library.sqlite", keepsModel: true)
        store.close()
        return workshop
    }

    /// Adds objects, each with the values of the columns, of which nil is NULL.
    private func fill(_ workshop: Workshop, _ columns: String, _ rows: [[String?]]) throws {
        let values = rows.enumerated().map { index, row in
            "(\(index + 1), 1, 1, \(row.map { $0.map { "'\($0)'" } ?? "NULL" }.joined(separator: ", ")))"
        }
        try workshop.execute(
            "INSERT INTO ZTHING (Z_PK, Z_ENT, Z_OPT, \(columns)) VALUES \(values.joined(separator: ", "))")
    }

    private func label(_ workshop: Workshop, _ words: String..., of object: String = "Thing/1") throws -> String? {
        let run = Run(["show", workshop.storePath, object, "--json"] + words)
        let json = try #require(try run.json() as? [String: Any], "\(run.err)")
        return json["label"] as? String
    }

    @Test func `a first name and a last name are preferred to any other attribute`() throws {
        let workshop = try workshop(["firstName", "lastName", "title"])
        try fill(workshop, "ZFIRSTNAME, ZLASTNAME, ZTITLE", [["Ada", "Lovelace", "Countess"], ["Alan", nil, "Dr"]])
        #expect(try label(workshop) == "Ada Lovelace")
        #expect(try label(workshop, of: "Thing/2") == "Alan")
    }

    @Test func `the first usual name that half of the objects have is the label`() throws {
        let workshop = try workshop(["name", "title", "zebra"])
        try fill(workshop, "ZTITLE, ZNAME, ZZEBRA", [["T", "N", "Z"], [nil, "N", "Z"], [nil, "N", "Z"]])
        #expect(try label(workshop) == "N")
        try workshop.execute("UPDATE ZTHING SET ZTITLE = 'U' WHERE Z_PK = 2")
        #expect(try label(workshop) == "T")
    }

    @Test func `without a usual name, the attribute of a uniqueness constraint is the label`() throws {
        let workshop = try workshop(["alpha", "serial:Integer 64", "zebra"], unique: "serial")
        try fill(workshop, "ZALPHA, ZSERIAL, ZZEBRA", [["a", "17", "z"], ["b", "18", "y"]])
        #expect(try label(workshop) == "17")
    }

    @Test func `without a constraint, the short string with the most different values is the label`() throws {
        let workshop = try workshop(["alpha", "beta", "gamma"])
        let long = String(repeating: "x", count: 80)
        try fill(
            workshop, "ZALPHA, ZBETA, ZGAMMA",
            (1...4).map { ["same", "value \($0)", "\($0)" + long] })
        #expect(try label(workshop) == "value 1")
    }

    @Test func `without a string, the first date is the label, and without a date there is none`() throws {
        let dated = try workshop(["size:Integer 64", "made:Date"])
        try fill(dated, "ZSIZE, ZMADE", [["1", "0"]])
        try dated.execute("UPDATE ZTHING SET ZMADE = 0.0")
        #expect(try label(dated) == "2001-01-01T00:00:00.000Z")
        let plain = try workshop(["size:Integer 64"])
        try fill(plain, "ZSIZE", [["1"]])
        #expect(try label(plain) == nil)
        #expect(Run(["show", plain.storePath, "Thing/1"]).lines.first?.hasPrefix("Thing/1   ") == true)
    }

    @Test func `the user's attributes come first, and apply to sub-entities`() throws {
        let workshop = try Workshop()
        try workshop.makeStore()
        func title(_ object: String, _ label: String) -> String? {
            workshop.run("show", object, "--label", label).lines.first
        }
        #expect(title("Book/1", "book=year")?.hasPrefix("Book/1  1869 ") == true)
        #expect(title("Comic/4", "Book=year+title")?.hasPrefix("Comic/4  1929 Tintin ") == true)
        #expect(title("Comic/4", "Book=year,Comic=isColored")?.hasPrefix("Comic/4  true ") == true)
        #expect(workshop.run("show", "Book/1", "--label", "Book=yeer").err.contains("did you mean 'year'?"))
        #expect(workshop.run("show", "Book/1", "--label", "title").code == .usage)
    }

    @Test func `a hidden attribute is never a label`() throws {
        let workshop = try workshop(["title", "name"])
        try fill(workshop, "ZTITLE, ZNAME", [["T", "N"]])
        #expect(try label(workshop, "--hide", "Thing.title") == "N")
        #expect(try label(workshop, "--hide", "TITLE,name") == nil)
    }

    @Test func `long labels are cut, and lines are joined`() throws {
        let workshop = try workshop(["title"])
        try fill(workshop, "ZTITLE", [[String(repeating: "a", count: 70)], ["one\ntwo"]])
        #expect(try label(workshop) == String(repeating: "a", count: 59) + "…")
        #expect(try label(workshop, of: "Thing/2") == "one↵two")
    }

    @Test(arguments: [
        ("password", true), ("passwordHash", true), ("userPasswd", true), ("accessToken", true), ("clientSecret", true),
        ("privateKey", true), ("private_key", true), ("apiKey", true), ("APIKey", true), ("pin", true),
        ("userPIN", true), ("userPINCode", true), ("card_pin", true), ("credentials", true), ("isPinned", false),
        ("shippingCost", false),
        ("spin", false), ("primaryKey", false), ("key", false), ("title", false), ("", false), ("pinned", false),
        ("pin1", true), ("userPin2", true), ("pins", true), ("spin2", false),
    ]) func `names of secrets are found by their words`(name: String, isSecret: Bool) {
        #expect(HiddenAttributes.isSecret(name) == isSecret)
    }

    @Test func `the value of a secret is hidden unless it is asked for`() throws {
        let workshop = try workshop(["title", "apiToken"])
        try fill(workshop, "ZTITLE, ZAPITOKEN", [["T", "s3cr3t"], ["U", nil]])
        for words in [[], ["--json"]] {
            let hidden = Run(["show", workshop.storePath, "Thing/1"] + words)
            #expect(hidden.code == .ok)
            #expect(!hidden.out.contains("s3cr3t"))
            let shown = Run(["show", workshop.storePath, "Thing/1", "--show", "Thing.apiToken"] + words)
            #expect(shown.out.contains("s3cr3t"))
        }
        #expect(Run(["show", workshop.storePath, "Thing/1"]).out.contains("apiToken  hidden"))
        #expect(Run(["show", workshop.storePath, "Thing/2"]).out.contains("apiToken  nil"))
        let wrong = Run(["show", workshop.storePath, "Thing/1", "--hide", "Thing.titel"])
        #expect(wrong.code == .usage)
        #expect(wrong.err.contains("did you mean 'title'?"))
    }
}
