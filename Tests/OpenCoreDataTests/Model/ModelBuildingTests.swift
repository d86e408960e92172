import Foundation
import SwormPredicates
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("Models built in code")
struct ModelBuildingTests {
    @Test func `a hierarchy is numbered depth first without regard to case and inherits slots`() throws {
        let animal = Build.entity("animal", [Build.attribute("name"), Build.attribute("Age", .integer32AttributeType)])
        let dog = Build.entity("Dog", [Build.attribute("bark"), Build.attribute("alias")])
        let cat = Build.entity("cat", [Build.attribute("lives", .integer16AttributeType)])
        let puppy = Build.entity("Puppy", [Build.attribute("aaa")])
        let zoo = Build.entity("Zoo")
        let toDogs = Build.toMany("dogs", dog)
        let toZoo = Build.toOne("zoo", zoo)
        Build.connect(toDogs, toZoo)
        zoo.properties = [toDogs]
        dog.properties += [toZoo]
        animal.isAbstract = true
        animal.subentities = [dog, cat]
        dog.subentities = [puppy]
        let model = Build.model(zoo, puppy, cat, dog, animal, Build.entity("Bee"))
        let compiled = try model.compiled()

        #expect(compiled.entities.map(\.name) == ["animal", "cat", "Dog", "Puppy", "Bee", "Zoo"])
        #expect(compiled.entities.map(\.number) == [1, 2, 3, 4, 5, 6])
        #expect(compiled.entities.map(\.superentity) == [nil, 1, 1, 3, nil, nil])
        #expect(compiled.entities.map(\.root) == [1, 1, 1, 1, 5, 6])
        #expect(compiled.entities.map(\.family) == [1...4, 2...2, 3...4, 4...4, 5...5, 6...6])
        #expect(compiled[1].isAbstract && !compiled[3].isAbstract)
        #expect(compiled[4].attributes.map(\.name) == ["Age", "name", "alias", "bark", "aaa"])
        #expect(compiled[4].attributes.map(\.owner) == [1, 1, 3, 3, 4])
        #expect(compiled[3].slot(named: "bark") == .attribute(3))
        #expect(compiled[4].slot(named: "zoo") == .relationship(0))
        #expect(compiled[4].relationships.first?.owner == 3)
        #expect(compiled[6].relationships.first?.destination == 3)
        #expect(compiled[6].relationships.first?.inverse == 0)
        #expect(try model.compiledWithDescriptions().entities.map(\.name) == compiled.entities.map(\.name))
    }

    @Test func `descriptions include inherited properties`() {
        let base = Build.entity("Base", [Build.attribute("a")])
        let other = Build.entity("Other")
        let sub = Build.entity("Sub", [Build.attribute("b"), Build.toOne("other", other)])
        base.subentities = [sub]
        #expect(sub.properties.map(\.name) == ["a", "b", "other"])
        #expect(sub.attributesByName.keys.sorted() == ["a", "b"])
        #expect(sub.relationshipsByName.keys.sorted() == ["other"])
        #expect(sub.relationships(forDestination: other).map(\.name) == ["other"])
        #expect(sub.relationships(forDestination: base).isEmpty)
        #expect(sub.isKindOf(entity: base) && sub.isKindOf(entity: sub) && !base.isKindOf(entity: sub))
        #expect(base.subentitiesByName["Sub"] === sub)
        #expect(sub.superentity === base)
        // To set the properties to what they are, and one more, does not make the inherited ones own ones.
        sub.properties.append(Build.attribute("c"))
        #expect(sub.ownProperties.map(\.name) == ["b", "other", "c"])
        base.subentities = []
        #expect(sub.superentity == nil)
        #expect(sub.properties.map(\.name) == ["b", "other", "c"])
    }

    @Test func `every attribute type keeps its default`() throws {
        let uuid = UUID()
        let date = Date(timeIntervalSinceReferenceDate: 0.125)
        let url = try #require(URL(string: "https://example.org/a"))
        let decimal = try #require(Decimal(string: "12345678901234567890.123456789"))
        let cases: [(NSAttributeType, Any, AttributeValue)] = [
            (.integer16AttributeType, Int16.min, .int(-32768)),
            (.integer32AttributeType, Int32.max, .int(2_147_483_647)),
            (.integer64AttributeType, Int.max, .int(.max)), (.integer64AttributeType, NSNumber(value: 7), .int(7)),
            (.decimalAttributeType, decimal, .decimal(decimal)), (.decimalAttributeType, 3, .decimal(3)),
            (.doubleAttributeType, 0.1, .double(0.1)), (.doubleAttributeType, 2, .double(2)),
            (.floatAttributeType, Float(0.1), .double(Double(Float(0.1)))),
            (.floatAttributeType, 0.1, .double(Double(Float(0.1)))),
            (.stringAttributeType, "", .string("")), (.booleanAttributeType, true, .bool(true)),
            (.booleanAttributeType, NSNumber(value: 1), .bool(true)), (.booleanAttributeType, 0, .bool(false)),
            (.dateAttributeType, date, .date(date)), (.binaryDataAttributeType, Data([1, 2]), .data(Data([1, 2]))),
            (.UUIDAttributeType, uuid, .uuid(uuid)), (.URIAttributeType, url, .url(url)),
            (.transformableAttributeType, Data([3]), .data(Data([3]))),
        ]
        let entity = Build.entity(
            "All",
            cases.enumerated().map { index, item in
                Build.attribute("a\(100 + index)", item.0) { $0.defaultValue = item.1 }
            })
        let compiled = try Build.model(entity).compiled()
        #expect(compiled[1].attributes.map(\.defaultValue) == cases.map(\.2))
        #expect(compiled[1].attributes.map(\.type) == cases.map(\.0.attributeType))
    }

    @Test func `types have two names for one thing`() {
        let attribute = NSAttributeDescription()
        #expect(attribute.type == .undefined)
        attribute.type = .uuid
        #expect(attribute.attributeType == .UUIDAttributeType)
        #expect(attribute.attributeValueClassName == "NSUUID")
        attribute.attributeType = .transformableAttributeType
        #expect(attribute.type == .transformable)
        #expect(attribute.attributeValueClassName == nil)
        attribute.type = NSAttributeDescription.AttributeType(rawValue: 12345)
        #expect(attribute.attributeType == .undefinedAttributeType)
        for type in SwormPredicates.AttributeType.allCases { #expect(NSAttributeType(type).attributeType == type) }
    }

    @Test func `a new description has Core Data's defaults`() {
        let attribute = NSAttributeDescription()
        #expect(attribute.isOptional && !attribute.isTransient && !attribute.isIndexed)
        #expect(attribute.renamingIdentifier == nil)
        attribute.name = "x"
        #expect(attribute.renamingIdentifier == "x")
        let relationship = NSRelationshipDescription()
        #expect(relationship.isToMany && relationship.deleteRule == .nullifyDeleteRule && !relationship.isOrdered)
        relationship.maxCount = 1
        #expect(!relationship.isToMany)
        relationship.maxCount = -1
        #expect(relationship.isToMany)
        let entity = NSEntityDescription()
        #expect(entity.managedObjectClassName == "NSManagedObject" && !entity.isAbstract)
        #expect(entity.managedObjectModel.entities.isEmpty && entity.name == nil)
        #expect(attribute.entity.name == nil)
    }

    @Test func `relationships of every kind are linked`() throws {
        let person = Build.entity("Person")
        let group = Build.entity("Group")
        let members = Build.toMany("members", person) { $0.isOrdered = true }
        let groups = Build.toMany("groups", group)
        Build.connect(members, groups)
        let parent = Build.toOne("parent", person) { $0.deleteRule = .denyDeleteRule }
        let children = Build.toMany("children", person) {
            $0.deleteRule = .cascadeDeleteRule
            $0.minCount = 1
            $0.maxCount = 12
        }
        Build.connect(parent, children)
        let friends = Build.toMany("friends", person)
        friends.inverseRelationship = friends
        let best = Build.toOne("best", person)
        let hidden = Build.toMany("hidden", group) { $0.isTransient = true }
        person.properties = [groups, parent, children, friends, best, hidden]
        group.properties = [members]
        let compiled = try Build.model(person, group).compiled()
        #expect(compiled[1].name == "Group")
        let own = compiled[2].relationships
        #expect(own.map(\.name) == ["best", "children", "friends", "groups", "hidden", "parent"])
        #expect(own.map(\.inverse) == [nil, 5, 2, 0, nil, 1])
        #expect(own.map(\.isToMany) == [false, true, true, true, true, false])
        #expect(own.map(\.maxCount) == [1, 12, 0, 0, 0, 1])
        #expect(own[1].minCount == 1 && own[1].deleteRule == .cascadeDeleteRule && own[5].deleteRule == .denyDeleteRule)
        #expect(own[4].isTransient)
        #expect(compiled[1].relationships.first?.isOrdered == true)
        #expect(compiled[1].relationships.first?.inverse == 3)
    }

    @Test func `a composite is stored as its leaves, at its position and in their order`() throws {
        let geo = Build.composite(
            "geo", [Build.attribute("lon", .doubleAttributeType), Build.attribute("lat", .doubleAttributeType)])
        geo.defaultValue = ["lat": 1.5, "lon": 2.5]
        let place = Build.composite(
            "place",
            [
                Build.attribute("street", optional: false) { $0.defaultValue = "Main" }, geo,
                Build.attribute("blob", .binaryDataAttributeType) { $0.allowsExternalBinaryDataStorage = true },
            ])
        place.defaultValue = ["geo": ["lat": 9.0]]
        place.isOptional = false
        let entity = Build.entity("Shop", [Build.attribute("zip"), place, Build.attribute("name")])
        let compiled = try Build.model(entity).compiled()[1]
        #expect(
            compiled.attributes.map(\.name)
                == ["name", "place.street", "place.geo.lon", "place.geo.lat", "place.blob", "zip"])
        #expect(compiled.composites == ["place": [1, 2, 3, 4], "place.geo": [2, 3]])
        #expect(
            compiled.attributes.map(\.defaultValue) == [.null, .string("Main"), .double(2.5), .double(9), .null, .null])
        #expect(compiled.attributes.map(\.isOptional) == [true, false, true, true, true, true])
        #expect(compiled.attributes[4].allowsExternalStorage)
        #expect(compiled.slot(named: "place.geo.lat") == .attribute(3))
    }

    @Test func `constraints and indexes name properties by description or name`() throws {
        let code = Build.attribute("code")
        let base = Build.entity(
            "Base", [code, Build.attribute("old", .integer32AttributeType) { $0.isIndexed = true }])
        let note = Build.attribute("note")
        let sub = Build.entity("Sub", [note])
        base.subentities = [sub]
        base.uniquenessConstraints = [[code, "old"]]
        sub.compoundIndexes = [["note", code]]
        let element = NSFetchIndexElementDescription(property: note, collationType: .binary)
        element.isAscending = false
        sub.indexes = [
            NSFetchIndexDescription(
                name: "byNote",
                elements: [element, .init(target: .primaryKey), .init(target: .entity, isAscending: false)]),
            NSFetchIndexDescription(
                name: "area", elements: [NSFetchIndexElementDescription(property: note, collationType: .rTree)]),
        ]
        let compiled = try Build.model(base, sub).compiled()
        #expect(compiled[1].uniquenessConstraints == [["code", "old"]])
        #expect(compiled[2].uniquenessConstraints.isEmpty)
        #expect(compiled[1].indexes.map(\.name) == ["old"])
        #expect(compiled[2].indexes.map(\.name) == ["byNote", "note_code", "old"])
        #expect(compiled[2].indexes.map(\.kind) == [.fetchIndex, .compound, .flag])
        #expect(
            compiled[2].indexes.first?.elements
                == [.property("note", ascending: false), .primaryKey(ascending: true), .entity(ascending: false)])
        #expect(element.indexDescription?.entity === sub && element.propertyName == "note")
    }

    @Test func `derived attributes and options reach the frozen form`() throws {
        let entity = Build.entity(
            "E",
            [
                Build.derived("total", .integer64AttributeType, "count:(items)"),
                Build.attribute("color", .transformableAttributeType) { $0.valueTransformerName = "T" },
                Build.attribute("memo", .undefinedAttributeType) { $0.isTransient = true },
                Build.attribute("code") { $0.validationRules = [.minimumLength(1), .pattern("[a-z]+")] },
                Build.attribute("text") { $0.allowsExternalBinaryDataStorage = true },
            ])
        entity.managedObjectClassName = "Thing"
        let model = Build.model(entity)
        model.versionIdentifiers = ["2", "1"]
        model.setEntities([entity], forConfigurationName: "Local")
        let compiled = try model.compiled()
        #expect(compiled[1].attributes.map(\.name) == ["code", "color", "memo", "text", "total"])
        #expect(compiled[1].attributes[4].derivation == "count:(items)")
        #expect(compiled[1].attributes[1].valueTransformerName == "T")
        #expect(compiled[1].attributes[2].isTransient)
        #expect(compiled[1].attributes[0].validationRules == [.minimumLength(1), .pattern("[a-z]+")])
        #expect(!compiled[1].attributes[3].allowsExternalStorage)
        #expect(compiled[1].managedObjectClassName == "Thing")
        #expect(compiled.versionIdentifiers == ["1", "2"] && compiled.configurations == ["Local": ["E"]])
    }
}
