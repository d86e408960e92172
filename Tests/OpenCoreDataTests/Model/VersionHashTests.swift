import Foundation
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("Version hashes")
struct VersionHashTests {
    private func base(_ property: NSPropertyDescription) -> String { Data(VersionHash.property(property)).hexadecimal }

    @Test func `an abstract entity with a required number`() {
        let age = Build.attribute("age", .integer16AttributeType, optional: false)
        let writer = Build.entity("Writer", [age])
        writer.isAbstract = true
        #expect(base(age) == "17748078f8e2469c1db9d517cddce41bbf1a4dcfa3a7ff73e4d9983e0e61fca7")
        #expect(age.versionHash.hexadecimal == "2c6deb6502d41e27f00732738c8b386681ee1f18ea5dbee766aa0fb33331a0cc")
        #expect(writer.versionHash.hexadecimal == "d54efab5d39cb3f59df8018db5e4cb2912ced49ca0fdebb029a326cd70847b25")
    }

    @Test func `an optional string`() {
        let domain = Build.attribute("domain")
        let entity = Build.entity("HTTPSExcludedDomain", [domain])
        #expect(base(domain) == "dc30dbcf6a9d719ee62afac2f391cc53d4f27aabfdd948a83548acce90323d17")
        #expect(domain.versionHash.hexadecimal == "023d156d7a6caf58960ba97a863f7ed2cf6232559762b9835cdc913d842ecce5")
        #expect(entity.versionHash.hexadecimal == "0179dc29daee8f6d700a826d577c8481a970add8d2ac45847b47c1b0c18f2026")
    }

    @Test func `the entity of the project template`() {
        let stamp = Build.attribute("timeStamp", .dateAttributeType)
        let event = Build.entity("Event", [stamp])
        #expect(base(stamp) == "ca73ec512520dc367fe3d41cb08cbf1e6bfdfd9a275cb8c19c732f8edfd9c797")
        #expect(stamp.versionHash.hexadecimal == "f9ab6fc10a4f5ed1f08a9467563526463ee199e5dde15bdaabfb057b4bca142a")
        #expect(event.versionHash.hexadecimal == "5431c046d30e7f32c2cc809958add1e7579ad104a3aa8fc4846e97d7af01cc79")
    }

    @Test func `a pair of relationships`() {
        let user = Build.entity("User")
        let name = Build.attribute("name", optional: false)
        let owner = Build.toOne("owner", user)
        let pet = Build.entity("Pet", [name, owner])
        let back = Build.toOne("pet", pet)
        user.properties = [back]
        Build.connect(owner, back)
        #expect(base(name) == "90d44c7db5b5a80bff15f243906d1f1c650a9a74e2506784ec96d4ff03f61b73")
        #expect(base(owner) == "45e5382ffa7bcb62adb14be29ce0ee7c1ca356d74ee3775f45aa1289b0034a26")
        #expect(name.versionHash.hexadecimal == "8cb9965c0031ac68913984f3110941ad965395be9fd9b17de7be54bc7ad46890")
        #expect(owner.versionHash.hexadecimal == "431f6f1bba544821111be3775dd3a03ddbc8962f0e0ccfd5b5694e59ecf6447c")
        #expect(pet.versionHash.hexadecimal == "767342262a6458730c78aae73c5328d0fcaa4e3596d2f87f22e366eb46a9f46f")
    }

    /// The expected values come from another implementation of the same rules.
    @Test func `everything that counts in one model`() throws {
        let model = Self.everything()
        let expected = [
            "Base": "7301499f81fd721357707442551d499d4f0fd9afbdaca4a7a6f204e92d8b9ff7",
            "Middle": "3c9eb657aff9d69763b208d335145662853d43aa8126ba2ff4fc2417a397d810",
            "Leaf": "74d45dd32fced8699717ff30bc4d08f8b79f55c433e4577da4b923d2e45b99db",
            "Item": "30748d7ae950aa551fadff8a04bae4633ce82f7516da543c6d87ff3c242d0e41",
        ]
        #expect(model.entityVersionHashesByName.mapValues(\.hexadecimal) == expected)
        for entity in model.entities { #expect(entity.versionHash.hexadecimal == expected[entity.name ?? ""]) }
        #expect(
            model.versionHashesDigest
                == "62WPNkhty9nUdl+s9D2kj6E2o3Id4PwNwC73DbZEGNmTMW/LHWE7hExReCXYQHHJlB/Ue/AdGtRouTlPa7Qz1Q==")
        #expect(model.versionChecksum == "8vhk1vq4QvMzHqYoMFDz+Baz13wbx0wH9madNwlrJxM=")
        #expect(try model.compiled().versionHashes.mapValues(\.hexadecimal) == expected)
    }

    static func everything() -> NSManagedObjectModel {
        let base = Build.entity("Base")
        let middle = Build.entity("Middle")
        let leaf = Build.entity("Leaf")
        let item = Build.entity("Item")
        base.isAbstract = true
        base.versionHashModifier = "b1"
        base.uniquenessConstraints = [["code"], ["alias", "code"]]
        base.properties = [
            Build.attribute("code", optional: false), Build.attribute("alias"),
            Build.attribute("Zeta", .integer64AttributeType), Build.attribute("under_score", .booleanAttributeType),
            Build.attribute("underScore", .booleanAttributeType),
            Build.attribute("blob", .binaryDataAttributeType) { $0.allowsExternalBinaryDataStorage = true },
            Build.attribute("kept", .UUIDAttributeType) { $0.preservesValueInHistoryOnDeletion = true },
            Build.attribute("gone") { $0.isTransient = true },
        ]
        let fetched = NSFetchedPropertyDescription()
        fetched.name = "recent"
        middle.properties = [
            Build.attribute("amount", .decimalAttributeType) { $0.versionHashModifier = "7" },
            Build.derived("total", .integer64AttributeType, "count:(items)"),
            Build.composite(
                "place",
                [
                    Build.attribute("street"), Build.attribute("city", optional: false),
                    Build.composite(
                        "geo",
                        [Build.attribute("lon", .doubleAttributeType), Build.attribute("lat", .doubleAttributeType)]),
                ]),
            fetched,
        ]
        let items = Build.toMany("items", item) { $0.isOrdered = true }
        let friends = Build.toMany("friends", leaf) { $0.maxCount = -1 }
        let oneWay = Build.toMany("oneWay", item) {
            $0.isOptional = false
            $0.minCount = 2
            $0.maxCount = 10_000
        }
        let owner = Build.toOne("leaf", leaf) {
            $0.isOptional = false
            $0.minCount = 1
            $0.versionHashModifier = "x"
        }
        Build.connect(items, owner)
        friends.inverseRelationship = friends
        leaf.properties = [items, friends, oneWay]
        item.properties = [owner]
        base.subentities = [middle]
        middle.subentities = [leaf]
        return Build.model(base, middle, leaf, item)
    }

    @Test func `the order of a to-one relationship counts in the hash, and in no table`() throws {
        let model = Self.everything()
        let item = try #require(model.entities.first { $0.relationshipsByName["leaf"]?.isToMany == false })
        let relationship = try #require(item.relationshipsByName["leaf"])
        let (before, compiled) = (item.versionHash, try model.compiled())
        relationship.isOrdered = true
        #expect(item.versionHash != before)
        let after = try model.compiled()
        #expect(StoreSchema(model: after).statements() == StoreSchema(model: compiled).statements())
        #expect(after.versionHashes[item.name ?? ""] == item.versionHash)
        let archived = NSManagedObjectModel()
        try ModelArchiveReader.read(ModelArchiveWriter.archive(of: model), source: "the archive", into: archived)
        let again = try #require(archived.entitiesByName[item.name ?? ""])
        #expect(again.relationshipsByName["leaf"]?.isOrdered == true && again.versionHash == item.versionHash)
    }

    @Test func `properties that do not count do not change the hash`() throws {
        let model = Self.everything()
        let before = model.entityVersionHashesByName
        for entity in model.entities {
            entity.managedObjectClassName = "Other"
            entity.userInfo = ["a": 1]
            entity.renamingIdentifier = "Old"
            entity.compoundIndexes = [["code"]]
            for property in entity.ownProperties {
                property.userInfo = ["b": 2]
                property.renamingIdentifier = "old"
                property.isIndexed = true
                (property as? NSRelationshipDescription)?.deleteRule = .cascadeDeleteRule
                if let attribute = property as? NSAttributeDescription, attribute.attributeType == .stringAttributeType
                {
                    attribute.defaultValue = "x"
                    attribute.valueTransformerName = "T"
                    attribute.validationRules = [.maximumLength(3)]
                    attribute.allowsCloudEncryption = true
                }
            }
        }
        #expect(model.entityVersionHashesByName == before)
        let code = try #require(model.entitiesByName["Base"]?.attributesByName["code"])
        code.isOptional = true
        let after = model.entityVersionHashesByName
        #expect(before.keys.filter { after[$0] != before[$0] }.sorted() == ["Base", "Leaf", "Middle"])
    }
}
