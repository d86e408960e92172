import Foundation
import Testing

@testable import OpenCoreData

@Suite("Compatibility: models of bundles")
struct MergedModelTests {
    /// A bundle with two models, one of them in two versions.
    private func bundle(_ folder: ModelTestFolder) throws -> Bundle {
        func document(_ entity: String, _ attribute: String) -> String {
            """
            <model><entity name="\(entity)"><attribute name="\(attribute)" optional="YES" attributeType="String"/></entity></model>
            """
        }
        _ = try folder.model(document("Book", "title"), named: "Books.xcdatamodeld/Books.xcdatamodel")
        _ = try folder.model(document("Book", "name"), named: "Books.xcdatamodeld/Books 2.xcdatamodel")
        _ = try folder.model(document("Tag", "label"), named: "Tags.xcdatamodel")
        let marker = try PropertyListSerialization.data(
            fromPropertyList: ["_XCCurrentVersionName": "Books 2.xcdatamodel"], format: .xml, options: 0)
        try marker.write(to: folder.url.appendingPathComponent("Books.xcdatamodeld/.xccurrentversion"))
        return try #require(Bundle(path: folder.url.path))
    }

    @Test func `all models of the bundles are merged, in their current versions`() throws {
        let folder = try ModelTestFolder()
        defer { folder.remove() }
        let model = try #require(NSManagedObjectModel.mergedModel(from: [try bundle(folder)]))
        #expect(model.entitiesByName.keys.sorted() == ["Book", "Tag"])
        #expect(model.entitiesByName["Book"]?.attributesByName.keys.sorted() == ["name"])
    }

    @Test func `the version of a store is found among all of them`() throws {
        let folder = try ModelTestFolder()
        defer { folder.remove() }
        let bundle = try bundle(folder)
        let book = Build.entity("Book", [Build.attribute("title")])
        let tag = Build.entity("Tag", [Build.attribute("label")])
        for entities in [[book], [book, tag]] {
            let hashes = Dictionary(uniqueKeysWithValues: entities.map { ($0.name ?? "", $0.versionHash) })
            let found = NSManagedObjectModel.mergedModel(
                from: [bundle], forStoreMetadata: [NSStoreModelVersionHashesKey: hashes])
            #expect(found?.entityVersionHashesByName == hashes)
        }
        let unknown = [NSStoreModelVersionHashesKey: ["Book": Data([1])]]
        #expect(NSManagedObjectModel.mergedModel(from: [bundle], forStoreMetadata: unknown) == nil)
    }

    @Test func `bundles without models have none`() throws {
        let folder = try ModelTestFolder()
        defer { folder.remove() }
        let bundle = try #require(Bundle(path: folder.url.path))
        #expect(NSManagedObjectModel.mergedModel(from: [bundle]) == nil)
        let model = GraphLibrary.model()
        #expect(NSMappingModel(from: [bundle], forSourceModel: model, destinationModel: model) == nil)
        #expect(NSMappingModel(contentsOf: folder.url) == nil)
    }
}
