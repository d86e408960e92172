import Foundation
@testable import OpenCoreData
import TestSupport
import Testing

@testable import SwormCommand

@Suite("SwiftData schemas")
struct SwiftDataTests {
    private func source(_ name: String, _ xml: String) throws -> (model: NSManagedObjectModel, text: String) {
        let workshop = try Workshop()
        try workshop.write(xml, model: name)
        let model = try NSManagedObjectModel.load(contentsOf: workshop.url(name + ".xcdatamodel"))
        let parts = FrozenParts(names: try FrozenNames(version: "1.0", model: name), model: model)
        return (model, try parts.schema())
    }

    @Test func `the classes of a small model are written word for word`() throws {
        let xml = """
            <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
                <entity name="Author">
                    <attribute name="name" attributeType="String"/>
                    <attribute name="slug" optional="YES" derived="YES" derivationExpression="canonical:(name)" attributeType="String"/>
                    <composite name="address" optional="YES">
                        <attribute name="city" optional="YES" attributeType="String"/>
                    </composite>
                    <relationship name="books" optional="YES" toMany="YES" maxCount="9" deletionRule="Cascade" ordered="YES" destinationEntity="Book" inverseName="author" inverseEntity="Book"/>
                    <uniquenessConstraints><uniquenessConstraint><constraint value="name"/></uniquenessConstraint></uniquenessConstraints>
                </entity>
                <entity name="Book">
                    <attribute name="cover" optional="YES" attributeType="Binary" allowsExternalBinaryDataStorage="YES"/>
                    <attribute name="mood" optional="YES" attributeType="Transformable" valueTransformerName="MoodTransformer" customClassName="Mood"/>
                    <attribute name="rest" optional="YES" attributeType="Transformable"/>
                    <attribute name="title" attributeType="String" elementID="name" minValueString="1"/>
                    <attribute name="year" attributeType="Integer 16" defaultValueString="1900"/>
                    <relationship name="author" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Author" inverseName="books" inverseEntity="Author"/>
                    <fetchIndex name="byYear"><fetchIndexElement property="year" type="Binary" order="descending"/></fetchIndex>
                    <fetchIndex name="byTitle"><fetchIndexElement property="title" type="Binary" order="ascending"/></fetchIndex>
                    <uniquenessConstraints><uniquenessConstraint><constraint value="title"/><constraint value="year"/></uniquenessConstraint></uniquenessConstraints>
                </entity>
            </model>
            """
        let text = try source("Library", xml).text
        #expect(
            text == """
                // The SwiftData schema of Library 1.0. Comments describe the rest of the model.

                #if canImport(SwiftData)
                import Foundation
                import SwiftData

                @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
                enum LibrarySchemaV1_0: VersionedSchema {
                    static var versionIdentifier: SwiftData.Schema.Version { SwiftData.Schema.Version(1, 0, 0) }

                    static var models: [any PersistentModel.Type] {
                        [
                            Author.self,
                            Book.self,
                        ]
                    }

                    @Model
                    final class Author {
                        @Attribute(.unique) var name: String
                        // `slug` is derived from `canonical:(name)`, and SwiftData has no derived attributes.
                        struct Address: Codable {
                            var city: String?
                        }
                        var address: Address?
                        // ordered in the model; SwiftData's relationships are not
                        @Relationship(deleteRule: .cascade, maximumModelCount: 9, inverse: \\Book.author) var books: [Book] = []

                        init(name: String) {
                            self.name = name
                        }
                    }

                    @Model
                    final class Book {
                        // An index that SwiftData does not have, because it is descending, partial or an R-tree: byYear (year)
                        // The index byTitle (title) has its own name in the model. SwiftData names indexes itself.
                        #Unique<Book>([\\.title, \\.year])
                        #Index<Book>([\\.title])

                        @Attribute(.externalStorage) var cover: Data?
                        @Attribute(.transformable(by: "MoodTransformer")) var mood: Mood?
                        // `rest` is transformed by the default transformer, and the model does not name the class of its values.
                        // validated by length >= 1; SwiftData has no validation
                        @Attribute(originalName: "name") var title: String
                        var year: Int16 = 1900
                        var author: Author?

                        init(title: String) {
                            self.title = title
                        }
                    }
                }
                #endif

                """, "\(text)")
    }

    @Test func `classes with superclasses call their initializers, and hidden types have their modules`() throws {
        let press = try source("Press", PressXML.text).text
        for part in [
            "@available(macOS 26, iOS 26,", "    class Publication {", "    class Sheet: Publication {",
            "    final class EveningSheet: Sheet {", "        override init() {\n            super.init()\n        }",
            "// The entity is abstract in the model. SwiftData has no abstract entities.",
        ] {
            #expect(press.contains(part), "\(part)")
        }
        let odd = try source("Odd", OddXML.text).text
        for part in [
            "var photo: Foundation.Data?", "final class Data {", "var `switch`: Double?",
            "// `Type` has a name that Swift or SwiftData reserves for itself.",
            "// its own inverse in the model, which a class cannot state",
            "hashModifier: \"2\"", "deleteRule: .deny, minimumModelCount: 1, maximumModelCount: 5",
        ] {
            #expect(odd.contains(part), "\(part)\n\(odd)")
        }
    }

    @Test(
        .enabled(if: SnippetCompiler.found != nil, "the compiler was not found"),
        arguments: [
            ("Library", LibraryXML.text), ("Odd", OddXML.text), ("Press", PressXML.text), ("House", HouseXML.text),
        ])
    func `the source compiles apart from its macros, and describes a model with the same hashes, but for its comments`(
        name: String, xml: String
    ) throws {
        let (model, text) = try source(name, xml)
        let compiler = try #require(SnippetCompiler.found)
        let diagnostics = try compiler.diagnostics(of: ["Schema": text], stage: .syntax)
        #expect(diagnostics == [:])
        let standIn = ["Schema": SwiftDataStandIn.source(text), "Prelude": SwiftDataStandIn.prelude]
        #expect(try compiler.diagnostics(of: standIn, stage: .types) == [:])
        SchemaExpectation(model, text).expectHashes()
    }

    @Test(.enabled(if: SnippetCompiler.found != nil, "the compiler was not found"))
    func `an error of syntax would be found`() throws {
        let compiler = try #require(SnippetCompiler.found)
        let text = try source("Library", LibraryXML.text).text.replacing("var name: String", with: "var name String")
        #expect(try compiler.diagnostics(of: ["Schema": text], stage: .syntax) != [:])
    }
}

/// A model beside the source of its SwiftData schema.
struct SchemaExpectation {
    let model: NSManagedObjectModel
    let text: String

    init(_ model: NSManagedObjectModel, _ text: String) { (self.model, self.text) = (model, text) }

    /// Expects that entities without a comment have the same hash in both.
    ///
    /// - Returns: The number of such entities.
    @discardableResult
    func expectHashes() -> Int {
        let source = SwiftDataSource(text)
        let (hashes, found) = (model.entityVersionHashesByName, source.model.entityVersionHashesByName)
        var count = 0
        for entity in model.entities {
            let name = entity.name ?? ""
            var above: NSEntityDescription? = entity
            var isCommented = false
            while let next = above {
                isCommented = isCommented || source.commented.contains(next.name ?? "")
                above = next.superentity
            }
            guard !isCommented else { continue }
            count += 1
            #expect(found[name] == hashes[name], "\(name)\n\(text)")
        }
        return count
    }
}
