import Foundation
import Testing

@testable import OpenCoreData
@testable import SwormStore

/// Every kind of change that can be inferred, each with a store of a thousand objects.
///
/// What every object must have is worked out from plain SQL before; see ``MigratedStore/migrate(to:mapping:)``.
@Suite("Every kind of change, with a thousand objects")
struct MigrationMatrixTests {
    typealias Changes = OldLibrary.Changes

    struct Kind: Sendable, CustomTestStringConvertible {
        var testDescription: String
        /// What is to be inferred.
        var mapping: [String] = []
        /// Plain SQL on the migrated store, and what it gives.
        var sql: String
        var lines: [String]
        var change: @Sendable (Changes) throws -> Void

        init(
            _ name: String, _ mapping: [String] = [], sql: String, _ lines: String...,
            change: @escaping @Sendable (Changes) throws -> Void
        ) {
            testDescription = name
            self.mapping = mapping
            self.sql = sql
            self.lines = lines
            self.change = change
        }
    }

    @Test(arguments: entities + attributes + toOnes + toManys + manyToManys + shapes + hierarchies + rules)
    func `every object has the expected values`(_ kind: Kind) throws {
        let store = try MatrixLibrary.store()
        #expect(try store.graph().nodes.count == 1000)
        let changes = Changes(model: MatrixLibrary.model())
        try kind.change(changes)
        #expect(inferred(from: store.model, to: changes.model).sorted() == kind.mapping.sorted())
        try store.migrate(to: changes.model)
        #expect(try store.lines(kind.sql) == kind.lines)
    }

    // MARK: Entities

    static let entities: [Kind] = [
        Kind("an entity comes", ["+ Aardvark"], sql: "SELECT count(*) FROM ZAARDVARK", "0") {
            $0.add(Build.entity("Aardvark", [Build.attribute("name")]))
        },
        Kind("an entity goes", ["- Person"], sql: tables("ZPERSON"), "0") { $0.remove(entity: "Person") },
        Kind("an entity is renamed", ["Tag > Zebra"], sql: "SELECT count(*) FROM ZZEBRA", "50") {
            let tag = $0["Tag"]
            tag.name = "Zebra"
            tag.renamingIdentifier = "Tag"
        },
    ]

    // MARK: Attributes

    static let attributes: [Kind] = [
        Kind(
            "an attribute comes", ["+ Book.pages", "+ Novel.pages", "+ Tag.note"],
            sql: "SELECT count(*) FROM ZBOOK WHERE ZPAGES = 9", "300"
        ) {
            $0.add(
                Build.attribute("pages", .integer32AttributeType, optional: false) { $0.defaultValue = 9 }, to: "Book")
            $0.add(Build.attribute("note"), to: "Tag")
        },
        Kind("an attribute goes", ["- Author.age"], sql: columns("ZAUTHOR", "ZAGE"), "0") { $0.remove("Author.age") },
        Kind(
            "an attribute is renamed", ["Book.title > heading", "Novel.title > heading"],
            sql: "SELECT count(DISTINCT ZHEADING) FROM ZBOOK", "300"
        ) { $0.rename($0.attribute("Book.title"), "heading") },
        Kind(
            "an attribute becomes required", sql: "SELECT ZCODE, count(*) FROM ZAUTHOR GROUP BY 1", "AAA|50", "XYZ|50"
        ) {
            let code = $0.attribute("Author.code")
            code.isOptional = false
            code.defaultValue = "AAA"
        },
        Kind("an attribute becomes optional", sql: "SELECT count(DISTINCT ZNAME) FROM ZAUTHOR", "100") {
            $0.attribute("Author.name").isOptional = true
        },
        Kind("numbers get more room", sql: "SELECT sum(ZAGE) FROM ZAUTHOR", "\((0..<100).map { $0 % 90 }.reduce(0, +))")
        {
            $0.attribute("Author.age").attributeType = .integer64AttributeType
        },
    ]

    // MARK: Relationships

    static let toOnes: [Kind] = [
        Kind(
            "a to-one relationship comes", ["+ Review.by"], sql: "SELECT count(*) FROM ZREVIEW WHERE ZBY IS NULL", "250"
        ) {
            $0.add(Build.toOne("by", $0["Person"]), to: "Review")
        },
        Kind("a to-one relationship goes", ["- Author.favourite"], sql: columns("ZAUTHOR", "ZFAVOURITE"), "0") {
            $0.remove("Author.favourite")
        },
        Kind(
            "a to-one relationship is renamed", ["Author.favourite > best"],
            sql: "SELECT count(DISTINCT ZBEST) FROM ZAUTHOR", "100"
        ) { $0.rename($0.relationship("Author.favourite"), "best") },
    ]

    static let toManys: [Kind] = [
        Kind(
            "a to-many relationship comes", ["+ Shelf.photos", "+ Photo.shelf"],
            sql: "SELECT count(*) FROM ZPHOTO WHERE ZSHELF IS NULL", "30"
        ) { changes in
            let (photos, shelf) = (Build.toMany("photos", changes["Photo"]), Build.toOne("shelf", changes["Shelf"]))
            Build.connect(photos, shelf)
            changes.add(photos, to: "Shelf")
            changes.add(shelf, to: "Photo")
        },
        Kind(
            "a to-many relationship goes", ["- Shelf.content", "- Book.shelf", "- Novel.shelf"],
            sql: columns("ZBOOK", "ZSHELF"), "0"
        ) {
            $0.remove("Shelf.content")
            $0.remove("Book.shelf")
        },
        Kind(
            "a to-many relationship is renamed", ["Shelf.content > volumes"],
            sql: "SELECT count(*) FROM ZBOOK WHERE ZSHELF NOT NULL", "200"
        ) { $0.rename($0.relationship("Shelf.content"), "volumes") },
    ]

    static let manyToManys: [Kind] = [
        Kind(
            "a many-to-many relationship comes", ["+ Person.photos", "+ Photo.people"],
            sql: joinTables, "4"
        ) { changes in
            let (photos, people) = (Build.toMany("photos", changes["Photo"]), Build.toMany("people", changes["Person"]))
            Build.connect(photos, people)
            changes.add(photos, to: "Person")
            changes.add(people, to: "Photo")
        },
        Kind(
            "a many-to-many relationship goes", ["- Book.tags", "- Novel.tags", "- Tag.books"], sql: joinTables, "2"
        ) {
            $0.remove("Book.tags")
            $0.remove("Tag.books")
        },
        Kind(
            "a many-to-many relationship is renamed",
            ["Book.tags > labels", "Novel.tags > labels", "Tag.books > works"], sql: joinTables, "3"
        ) {
            $0.rename($0.relationship("Book.tags"), "labels")
            $0.rename($0.relationship("Tag.books"), "works")
        },
    ]

    static let shapes: [Kind] = [
        Kind("a to-one relationship becomes to-many", sql: joinTables, "4") {
            $0.relationship("Book.author").maxCount = 0
        },
        Kind("a to-one relationship without inverse becomes to-many", sql: columns("ZAUTHOR", "ZFAVOURITE"), "0") {
            $0.relationship("Author.favourite").maxCount = 0
        },
        Kind(
            "a to-many relationship becomes to-one", sql: "SELECT count(*) FROM ZBOOK WHERE ZSHELF NOT NULL", "20"
        ) { $0.relationship("Shelf.content").maxCount = 1 },
        Kind(
            "a many-to-many relationship becomes to-one", sql: "SELECT count(*) FROM ZBOOK WHERE ZTAGS NOT NULL", "225"
        ) { $0.relationship("Book.tags").maxCount = 1 },
        Kind(
            "a to-many relationship becomes ordered",
            sql: "SELECT count(*) FROM ZBOOK WHERE ZAUTHOR NOT NULL AND Z_FOK_AUTHOR NOT NULL", "270"
        ) { $0.relationship("Author.books").isOrdered = true },
        Kind("a to-many relationship loses its order", sql: columns("ZREVIEW", "Z_FOK_BOOK"), "0") {
            $0.relationship("Book.reviews").isOrdered = false
        },
        Kind("a many-to-many relationship becomes ordered", sql: joinTables, "3") {
            $0.relationship("Book.tags").isOrdered = true
        },
        Kind("a many-to-many relationship loses its order", sql: joinTables, "3") {
            $0.relationship("Shelf.tags").isOrdered = false
        },
    ]

    // MARK: Hierarchies

    static let hierarchies: [Kind] = [
        Kind(
            "a parent comes above, with an attribute", ["+ Work"],
            sql: "SELECT count(*), count(DISTINCT ZTITLE), sum(ZSTOCK) FROM ZWORK", "300|300|2100"
        ) { changes in
            let work = Build.entity("Work")
            work.isAbstract = true
            changes.add(work)
            work.subentities = [changes["Book"]]
            changes.move("Book.stock", to: "Work")
        },
        Kind(
            "a parent goes, and its attribute moves down", ["- Media"],
            sql: "SELECT (SELECT count(DISTINCT ZLABEL) FROM ZFILM), (SELECT count(DISTINCT ZLABEL) FROM ZSONG)",
            "60|40"
        ) { changes in
            changes["Media"].subentities = []
            changes.remove(entity: "Media")
            for name in ["Film", "Song"] { changes.add(Build.attribute("label"), to: name) }
        },
        Kind("a child goes, and its objects", ["- Novel"], sql: "SELECT count(*) FROM ZBOOK", "200") {
            $0.remove(entity: "Novel")
        },
        Kind("a child leaves its parent", sql: "SELECT count(DISTINCT ZLABEL) FROM ZFILM", "60") { changes in
            changes["Media"].subentities = [changes["Song"]]
            changes.add(Build.attribute("label"), to: "Film")
        },
        Kind(
            "a child comes between", ["+ Fiction"], sql: "SELECT count(*) FROM ZBOOK WHERE ZGENRE NOT NULL", "100"
        ) { changes in
            let fiction = Build.entity("Fiction")
            changes.add(fiction)
            changes["Book"].subentities = [fiction]
            fiction.subentities = [changes["Novel"]]
            changes.move("Novel.genre", to: "Fiction")
        },
    ]

    // MARK: Rules

    /// Of delete rules and indexes versions know nothing, so who changes them alone has to say that it is another version.
    static let rules: [Kind] = [
        Kind("a delete rule changes", sql: "SELECT count(*) FROM ZBOOK", "300") {
            $0.relationship("Author.books").deleteRule = .cascadeDeleteRule
            $0["Author"].versionHashModifier = "2"
        },
        Kind("an index comes", sql: indexes("Z_Tag_byName"), "1") {
            $0["Tag"].indexes = [MatrixLibrary.index("byName", on: $0.attribute("Tag.name"))]
            $0["Tag"].versionHashModifier = "2"
        },
        Kind("an index goes", sql: indexes("Z_Book_byYear"), "0") {
            $0["Book"].indexes = []
            $0["Book"].versionHashModifier = "2"
        },
        Kind("a uniqueness constraint comes", sql: indexes("Z_Tag_UNIQUE_name"), "1") {
            $0["Tag"].uniquenessConstraints = [["name"]]
        },
        Kind("a uniqueness constraint goes", sql: indexes("Z_Book_UNIQUE_isbn"), "0") {
            $0["Book"].uniquenessConstraints = []
        },
        Kind(
            "a derived attribute comes", ["+ Shelf.size"], sql: "SELECT sum(ZSIZE), min(ZSIZE) > 0 FROM ZSHELF", "200|1"
        ) {
            $0.add(Build.derived("size", .integer64AttributeType, "content.@count"), to: "Shelf")
        },
        Kind(
            "a derived attribute goes", ["- Author.bookCount"],
            sql: "SELECT count(*) FROM sqlite_master WHERE type = 'trigger'", "0"
        ) { $0.remove("Author.bookCount") },
        Kind("values may go into files", sql: "SELECT hex(substr(ZRAW, 1, 2)) FROM ZPHOTO WHERE Z_PK = 8", "0107") {
            $0.attribute("Photo.raw").allowsExternalBinaryDataStorage = true
        },
        Kind(
            "values come out of files", sql: "SELECT length(ZDATA), count(*) FROM ZPHOTO GROUP BY 1", "20|27",
            "150000|3"
        ) {
            $0.attribute("Photo.data").allowsExternalBinaryDataStorage = false
        },
    ]

    // MARK: SQL

    private static let joinTables =
        "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name GLOB 'Z_[0-9]*'"

    private static func tables(_ name: String) -> String {
        "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = '\(name)'"
    }

    private static func indexes(_ name: String) -> String {
        "SELECT count(*) FROM sqlite_master WHERE type = 'index' AND name = '\(name)'"
    }

    private static func columns(_ table: String, _ column: String) -> String {
        "SELECT count(*) FROM pragma_table_info('\(table)') WHERE name = '\(column)'"
    }
}

extension OldLibrary.Changes {
    fileprivate func rename(_ property: NSPropertyDescription, _ name: String) {
        property.renamingIdentifier = property.name
        property.name = name
    }
}
