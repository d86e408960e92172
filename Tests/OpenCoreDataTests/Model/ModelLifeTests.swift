import Foundation
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("Models in use")
struct ModelLifeTests {
    @Test func `the frozen form is made once and anew after a change`() throws {
        let name = Build.attribute("name")
        let element = Build.attribute("street")
        let inner = Build.composite("inner", [element])
        let entity = Build.entity("A", [name, Build.composite("place", [inner])])
        let other = Build.entity("B")
        let model = Build.model(entity, other)
        let index = NSFetchIndexDescription(name: "i", elements: [.init(target: .property("name"))])
        entity.indexes = [index]
        var last = try model.compiled()
        #expect(try model.compiled() === last)
        let changes: [(String, () -> Void)] = [
            ("attribute", { name.isOptional = false }), ("type", { name.type = .uuid }),
            ("element", { element.isOptional = false }), ("entity", { entity.isAbstract = true }),
            ("properties", { entity.properties.append(Build.toOne("b", other)) }),
            ("inheritance", { entity.subentities = [other] }), ("index", { index.name = "j" }),
            ("constraints", { entity.uniquenessConstraints = [["b"]] }),
            ("identifiers", { model.versionIdentifiers = ["1"] }),
            ("entities", { model.entities.append(Build.entity("C")) }),
            ("configuration", { model.setEntities([entity], forConfigurationName: "X") }),
        ]
        for (what, change) in changes {
            change()
            let next = try model.compiled()
            #expect(next !== last, "\(what)")
            #expect(try model.compiled() === next)
            last = next
        }
    }

    @Test func `a model and its parts do not keep each other alive`() {
        weak var model: NSManagedObjectModel?
        weak var entity: NSEntityDescription?
        weak var relationship: NSRelationshipDescription?
        weak var index: NSFetchIndexDescription?
        do {
            let built = VersionHashTests.everything()
            model = built
            entity = built.entitiesByName["Leaf"]
            relationship = entity?.relationshipsByName["items"]
            let made = NSFetchIndexDescription(
                name: "i",
                elements: [
                    NSFetchIndexElementDescription(property: built.entities[0].properties[0], collationType: .binary)
                ])
            built.entities[0].indexes = [made]
            index = made
            #expect((try? built.compiled()) != nil)
            #expect(model != nil && entity != nil && relationship != nil && index != nil)
        }
        #expect(model == nil && entity == nil && relationship == nil && index == nil)
    }

    @Test func `a copy is equal and independent`() throws {
        let model = VersionHashTests.everything()
        model.setEntities([model.entities[3]], forConfigurationName: "Local")
        model.versionIdentifiers = ["7"]
        let copy = try #require(model.copy() as? NSManagedObjectModel)
        #expect(copy.entityVersionHashesByName == model.entityVersionHashesByName)
        #expect(copy.entities(forConfigurationName: "Local")?.first === copy.entities[3])
        #expect(copy.versionIdentifiers == ["7"] && copy.configurations == ["Local"])
        #expect(
            Set(copy.entities.map(ObjectIdentifier.init)).isDisjoint(with: model.entities.map(ObjectIdentifier.init)))
        let leaf = try #require(copy.entitiesByName["Leaf"])
        #expect(leaf.superentity === copy.entitiesByName["Middle"])
        let items = try #require(leaf.relationshipsByName["items"])
        #expect(items.destinationEntity === copy.entitiesByName["Item"])
        #expect(items.inverseRelationship === copy.entitiesByName["Item"]?.relationshipsByName["leaf"])
        #expect(leaf.relationshipsByName["friends"]?.inverseRelationship === leaf.relationshipsByName["friends"])
        #expect(issues(of: copy).isEmpty && issues(of: model).isEmpty)
        items.isOrdered = false
        #expect(copy.entityVersionHashesByName != model.entityVersionHashesByName)
    }

    @Test func `one entity is copied with its descendants`() throws {
        let model = VersionHashTests.everything()
        let base = try #require(model.entitiesByName["Base"])
        let copy = try #require(base.copy() as? NSEntityDescription)
        #expect(copy.subentities.first?.subentities.first?.name == "Leaf")
        #expect(copy.subentities.first !== base.subentities.first)
        #expect(base.subentities.first?.superentity === base)
        #expect(copy.versionHash == base.versionHash)
    }

    @Test func `models are merged by the names of their entities`() throws {
        let left = Build.entity("Left")
        let placeholder = Build.entity("Right")
        left.properties = [Build.toMany("rights", placeholder)]
        let first = Build.model(left)
        let right = Build.entity("Right", [Build.attribute("x")])
        let second = Build.model(right)
        second.setEntities([right], forConfigurationName: "R")
        let merged = try #require(NSManagedObjectModel(byMerging: [first, second, first]))
        #expect(merged.entities.map(\.name) == ["Left", "Right"])
        #expect(
            merged.entitiesByName["Left"]?.relationshipsByName["rights"]?.destinationEntity
                === merged.entitiesByName["Right"])
        #expect(merged.entities(forConfigurationName: "R")?.first === merged.entitiesByName["Right"])
        #expect(issues(of: merged).isEmpty)
        #expect(left.owningModel === first)

        let changed = Build.model(Build.entity("Right", [Build.attribute("y")]))
        #expect(NSManagedObjectModel(byMerging: [second, changed]) == nil)
        #expect(NSManagedObjectModel(byMerging: nil) == nil)
        #expect(throws: CoreDataError.self) { try NSManagedObjectModel().merge([second, changed]) }

        let metadata: [String: Any] = [
            StoreMetadataKey.versionHashes: merged.entityVersionHashesByName
        ]
        let found = try #require(NSManagedObjectModel(byMerging: [changed, second, first], forStoreMetadata: metadata))
        #expect(found.entityVersionHashesByName == merged.entityVersionHashesByName)
        #expect(NSManagedObjectModel(byMerging: [changed, first], forStoreMetadata: metadata) == nil)
        #expect(NSManagedObjectModel(byMerging: [first], forStoreMetadata: [:]) == nil)
    }

    @Test func `a hierarchy survives a merge`() throws {
        let model = VersionHashTests.everything()
        let other = Build.model(Build.entity("Extra"))
        let merged = try #require(NSManagedObjectModel(byMerging: [model, other]))
        #expect(merged.entities.count == 5 && issues(of: merged).isEmpty)
        #expect(merged.entitiesByName["Leaf"]?.superentity === merged.entitiesByName["Middle"])
        #expect(merged.entityVersionHashesByName["Leaf"] == model.entityVersionHashesByName["Leaf"])
    }

    @Test func `the metadata of a store shows whether a configuration fits`() {
        let model = VersionHashTests.everything()
        let item = model.entities[3]
        model.setEntities([item], forConfigurationName: "Items")
        let all = model.entityVersionHashesByName
        func fits(_ name: String?, _ hashes: [String: Data]) -> Bool {
            model.isConfiguration(
                withName: name, compatibleWithStoreMetadata: [StoreMetadataKey.versionHashes: hashes])
        }
        #expect(fits(nil, all))
        #expect(!fits("Items", all))
        #expect(fits("Items", ["Item": item.versionHash]))
        #expect(!fits("Items", ["Item": Data(count: 32)]))
        #expect(!fits("Unknown", all))
        #expect(!model.isConfiguration(withName: nil, compatibleWithStoreMetadata: [:]))
    }
}
