import Foundation
import SwormPredicates
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("Models of other tools")
struct StrangeModelTests {
    private func attribute(_ text: String) throws -> (attribute: NSAttributeDescription, notes: [String]) {
        let folder = try StoreFolder()
        let url = folder.url("M.xcdatamodel")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
        try Data(
            "<model><entity name=\"A\"><attribute name=\"a\" optional=\"YES\" \(text)/></entity></model>".utf8
        ).write(to: url.appendingPathComponent("contents"))
        let model = try NSManagedObjectModel.load(contentsOf: url)
        _ = try model.compiled()
        return (try #require(model.entitiesByName["A"]?.attributesByName["a"]), model.readingNotes)
    }

    @Test(arguments: ["Integer 16", "Integer 32", "Integer 64", "Double", "Float", "Decimal"], ["NO", "none", "nan"])
    func `a default that is not a number is 0, with a note`(type: String, text: String) throws {
        let (attribute, notes) = try attribute("attributeType=\"\(type)\" defaultValueString=\"\(text)\"")
        let value = try #require(
            attribute.defaultValue as? NSNumber ?? (attribute.defaultValue as? Decimal).map(NSDecimalNumber.init))
        #expect(value.doubleValue == 0)
        #expect(notes.count == 1 && notes[0].contains("'\(text)'") && notes[0].contains("A.a"), "\(notes)")
    }

    @Test func `a default that is a number is taken as it is, and one out of range is an error`() throws {
        let (number, notes) = try attribute("attributeType=\"Integer 16\" defaultValueString=\" -12 \"")
        #expect((number.defaultValue as? NSNumber)?.intValue == -12 && notes.isEmpty)
        #expect(throws: CoreDataError.self) {
            _ = try attribute("attributeType=\"Integer 16\" defaultValueString=\"70000\"")
        }
    }

    /// A model with an array as the default of a transformable, as SwiftData makes them.
    private func model(transformer: String?, isOrdered: Bool = false) -> NSManagedObjectModel {
        let entity = Build.entity(
            "Item",
            [
                Build.attribute("name") { $0.isIndexedBySpotlight = true },
                Build.attribute("tags", .transformableAttributeType) {
                    $0.defaultValue = ["a", "b"]
                    $0.valueTransformerName = transformer
                },
            ])
        let owner = Build.entity("Owner", [Build.attribute("name")])
        let (toOne, items) = (Build.toOne("owner", owner), Build.toMany("items", entity))
        Build.connect(toOne, items)
        toOne.isOrdered = isOrdered
        entity.properties += [toOne]
        owner.properties += [items]
        return Build.model(entity, owner)
    }

    @Test(arguments: [nil, "NSSecureUnarchiveFromData"])
    func `an array as the default of a transformable is archived when an object is inserted`(name: String?) throws {
        let context = GraphLibrary.context(try GraphLibrary.coordinator(model: model(transformer: name)))
        let item = try context.make("Item", ["name": "x"])
        try context.save()
        let bytes = try item.transformedData("tags")
        let list = try NSKeyedUnarchiver.unarchivedObject(ofClasses: [NSArray.self, NSString.self], from: bytes)
        #expect(list as? [String] == ["a", "b"])
        #expect(item.value(forKey: "tags") as? [String] == ["a", "b"])
    }

    @Test func `a default that a transformer of the application's own would transform is left out`() throws {
        let context = GraphLibrary.context(try GraphLibrary.coordinator(model: model(transformer: "Own")))
        #expect(try context.make("Item", ["name": "x"]).value(forKey: "tags") == nil)
        try context.save()
    }

    @Test func `such a model comes back from the copy in a store, with its flags`() throws {
        let folder = try StoreFolder()
        let made = model(transformer: "NSSecureUnarchiveFromData", isOrdered: true)
        let hashes = made.entityVersionHashesByName
        do {
            let context = GraphLibrary.context(try GraphLibrary.coordinator(at: folder.url(), model: made))
            try context.make("Item", ["name": "x", "owner": try context.make("Owner")])
            try context.save()
        }
        let stored = try StoredModel(ofStoreAt: folder.url())
        #expect(stored.source == .cache && stored.notes.isEmpty, "\(stored.notes)")
        #expect(stored.model.entityVersionHashesByName == hashes)
        let item = try #require(stored.model.entitiesByName["Item"])
        #expect(item.attributesByName["tags"]?.defaultValue as? [String] == ["a", "b"])
        #expect(item.attributesByName["name"]?.isIndexedBySpotlight == true)
        #expect(item.attributesByName["tags"]?.isIndexedBySpotlight == false)
        #expect(item.relationshipsByName["owner"]?.isOrdered == true)
    }

    @Test func `one version that cannot be read does not affect the other versions`() throws {
        let folder = try StoreFolder()
        let bundle = folder.url("M.xcdatamodeld")
        for (name, text) in [("A", "<model><entity name=\"A\"/></model>"), ("B", "<model"), ("C", "")] {
            let version = bundle.appendingPathComponent("\(name).xcdatamodel")
            try FileManager.default.createDirectory(at: version, withIntermediateDirectories: true)
            if !text.isEmpty { try Data(text.utf8).write(to: version.appendingPathComponent("contents")) }
        }
        let (readable, unreadable) = try NSManagedObjectModel.readVersions(at: bundle)
        #expect(readable.map(\.name) == ["A"])
        #expect(unreadable.map(\.name) == ["B", "C"])
    }
}
