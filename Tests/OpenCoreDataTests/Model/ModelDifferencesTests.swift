import Foundation
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("Differences between models")
struct ModelDifferencesTests {
    @Test func `equal models do not differ`() throws {
        let model = VersionHashTests.everything()
        let copy = try #require(model.copy() as? NSManagedObjectModel)
        #expect(differences(between: model, and: copy).isEmpty)
        #expect(differences(between: model, and: copy.entityVersionHashesByName).isEmpty)
    }

    @Test func `every change is reported with both sides`() throws {
        let old = VersionHashTests.everything()
        let new = try #require(old.copy() as? NSManagedObjectModel)
        let base = try #require(new.entitiesByName["Base"])
        let leaf = try #require(new.entitiesByName["Leaf"])
        let middle = try #require(new.entitiesByName["Middle"])
        let item = try #require(new.entitiesByName["Item"])
        base.isAbstract = false
        base.versionHashModifier = nil
        base.uniquenessConstraints = [["code"]]
        base.properties.append(Build.attribute("added", .dateAttributeType))
        base.attributesByName["alias"]?.isOptional = false
        base.attributesByName["code"]?.type = .integer64
        base.attributesByName["Zeta"]?.isTransient = true
        base.attributesByName["blob"]?.allowsExternalBinaryDataStorage = false
        base.attributesByName["kept"]?.preservesValueInHistoryOnDeletion = false
        base.properties.removeAll { $0.name == "under_score" }
        (middle.attributesByName["total"] as? NSDerivedAttributeDescription)?.derivation = "now()"
        (middle.attributesByName["place"] as? NSCompositeAttributeDescription)?.elements[0].type = .uri
        leaf.relationshipsByName["items"]?.isOrdered = false
        leaf.relationshipsByName["oneWay"]?.destinationEntity = leaf
        leaf.relationshipsByName["oneWay"]?.minCount = 0
        leaf.relationshipsByName["friends"]?.maxCount = 1
        item.relationshipsByName["leaf"]?.name = "owner"

        let lines = differences(between: new, and: old, named: ("new", "old"))
        let expected = [
            "Entity 'Base': it is not abstract in new, is abstract in old.",
            "Entity 'Base': it has the hash modifier none in new, has the hash modifier 'b1' in old.",
            "Entity 'Base': it has the uniqueness constraints (code) in new, has the uniqueness constraints (alias, code) (code) in old.",
            "Entity 'Base': attribute 'Zeta' is transient in new, is stored in old.",
            "Entity 'Base': attribute 'added' is in new, but not in old.",
            "Entity 'Base': attribute 'alias' is required in new, is optional in old.",
            "Entity 'Base': attribute 'blob' may not be stored in files in new, may be stored in files in old.",
            "Entity 'Base': attribute 'code' has the type Integer 64 in new, has the type String in old.",
            "Entity 'Base': attribute 'kept' is not preserved on deletion in new, is preserved on deletion in old.",
            "Entity 'Base': attribute 'under_score' is in old, but not in new.",
            "Entity 'Item': relationship 'owner' is in new, but not in old.",
            "Entity 'Item': relationship 'leaf' is in old, but not in new.",
            "Entity 'Leaf': relationship 'friends' is a to-one relationship in new, is a to-many relationship in old.",
            "Entity 'Leaf': relationship 'friends' has the maximum count 1 in new, has the maximum count -1 in old.",
            "Entity 'Leaf': relationship 'items' has the inverse 'owner' in new, has the inverse 'leaf' in old.",
            "Entity 'Leaf': relationship 'items' is not ordered in new, is ordered in old.",
            "Entity 'Leaf': relationship 'oneWay' has the destination 'Leaf' in new, has the destination 'Item' in old.",
            "Entity 'Leaf': relationship 'oneWay' has the minimum count 0 in new, has the minimum count 2 in old.",
            "Entity 'Middle': attribute 'place' has the elements {city: String, geo {lat: optional Double, lon: optional Double}, street: optional URI} in new, has the elements {city: String, geo {lat: optional Double, lon: optional Double}, street: optional String} in old.",
            "Entity 'Middle': attribute 'total' is derived from 'now()' in new, is derived from 'count:(items)' in old.",
        ]
        #expect(lines == expected)
    }

    @Test func `entities that one side does not have, and inherited properties`() throws {
        let old = VersionHashTests.everything()
        let new = try #require(old.copy() as? NSManagedObjectModel)
        new.entitiesByName["Base"]?.attributesByName["alias"]?.isOptional = false
        new.entities.append(Build.entity("Extra"))
        old.entities.append(Build.entity("Gone"))
        #expect(
            differences(between: new, and: old) == [
                "Entity 'Extra' is in the model, but not in the store.",
                "Entity 'Gone' is in the store, but not in the model.",
                "Entity 'Base': attribute 'alias' is required in the model, is optional in the store.",
                "Entity 'Leaf' differs only in what it inherits from 'Middle'.",
                "Entity 'Middle' differs only in what it inherits from 'Base'.",
            ])
        let byHash = [
            "Entity 'Extra' is in the model, but not in the store.",
            "Entity 'Gone' is in the store, but not in the model.",
            "Entity 'Base' differs.", "Entity 'Leaf' differs, at least in what it inherits from 'Middle'.",
            "Entity 'Middle' differs, at least in what it inherits from 'Base'.",
        ]
        #expect(differences(between: new, and: old.entityVersionHashesByName) == byHash)
        #expect(differences(between: try new.compiled(), and: old.entityVersionHashesByName) == byHash)
    }
}
