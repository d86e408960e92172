import Foundation
import SwormPredicates
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("Model documents")
struct ModelXMLReaderTests {
    private func read(_ inner: String, attributes: String = "") throws -> NSManagedObjectModel {
        let folder = try ModelTestFolder()
        defer { folder.remove() }
        return try folder.read(inner, attributes: attributes)
    }

    private func problems(_ inner: String) -> [String] {
        do {
            _ = try read(inner)
            return []
        } catch let error as CoreDataError {
            return error.details.isEmpty ? [error.message] : error.details.map(\.message)
        } catch {
            return ["\(error)"]
        }
    }

    @Test func `attributes of every type with their options`() throws {
        let model = try read(
            """
            <entity name="E" representedClassName=".Thing" syncable="YES" versionHashModifier="m" elementID="Old" isAbstract="YES">
              <attribute name="a1" attributeType="Integer 16" defaultValueString="-5" minValueString="-9" maxValueString="9" usesScalarValueType="YES"/>
              <attribute name="a2" optional="YES" attributeType="Integer 32" defaultValueString="0.0"/>
              <attribute name="a3" optional="YES" attributeType="Integer 64" defaultValueString="" minValueString="1.0"/>
              <attribute name="a4" attributeType="Decimal" defaultValueString="12345678901234567890.5" maxValueString="1.5"/>
              <attribute name="a5" attributeType="Double" defaultValueString="1e-3"/>
              <attribute name="a6" attributeType="Float" defaultValueString="0.1"/>
              <attribute name="a7" attributeType="String" defaultValueString="a &amp; &lt;b&gt;" minValueString="2" maxValueString="8" regularExpressionString="[a-z &amp;]+" spotlightIndexingEnabled="YES"/>
              <attribute name="a8" attributeType="Boolean" defaultValueString="YES" indexed="YES"/>
              <attribute name="a9" attributeType="Date" defaultDateTimeInterval="-1.5" minDateTimeInterval="-10" maxDateTimeInterval="10"/>
              <attribute name="b1" attributeType="Binary" allowsExternalBinaryDataStorage="YES" allowsCloudEncryption="YES"/>
              <attribute name="b2" attributeType="UUID" defaultValueString="173EF017-8551-4F9C-9C8C-0B6C3F8A2D11" preserveAfterDeletion="YES"/>
              <attribute name="b3" attributeType="URI" defaultValueString="https://example.org/"/>
              <attribute name="b4" attributeType="Transformable" valueTransformerName="T" customClassName="Color"/>
              <attribute name="b5" transient="YES" attributeType="Object ID"/>
              <attribute name="b6" transient="YES"/>
              <attribute name="b7" optional="YES" attributeType="Integer 64" derived="YES" derivationExpression="count:(items)"/>
              <attribute name="b8" attributeType="String" versionHashModifier="v" elementID="older" later="unknown">
                <userInfo><entry key="k" value="v"/><entry key="empty" value=""/></userInfo>
              </attribute>
              <fetchedProperty name="f1" optional="YES">
                <fetchRequest name="fetchedPropertyFetchRequest" entity="E" predicateString="a1 &gt; 3"/>
              </fetchedProperty>
              <somethingNewer><attribute name="ignored"/></somethingNewer>
              <userInfo><entry key="owner" value="me"/></userInfo>
            </entity>
            <elements><element name="E" positionX="0" positionY="0" width="128" height="44"/></elements>
            """, attributes: "userDefinedModelVersionIdentifier=\"3\" documentVersion=\"1.0\"")
        let entity = try #require(model.entitiesByName["E"])
        #expect(model.versionIdentifiers == ["3"])
        #expect(entity.managedObjectClassName == ".Thing" && entity.isAbstract && entity.versionHashModifier == "m")
        #expect(entity.renamingIdentifier == "Old" && entity.userInfo?["owner"] as? String == "me")
        let attributes = try model.compiled()[1].attributes
        #expect(
            attributes.map(\.name) == [
                "a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8", "a9", "b1", "b2", "b3", "b4", "b5", "b6", "b7", "b8",
            ])
        #expect(
            attributes.map(\.type) == [
                .integer16, .integer32, .integer64, .decimal, .double, .float, .string, .boolean, .date, .binaryData,
                .uuid,
                .uri, .transformable, .objectID, .undefined, .integer64, .string,
            ])
        let decimal = try #require(Decimal(string: "12345678901234567890.5"))
        let uuid = try #require(UUID(uuidString: "173EF017-8551-4F9C-9C8C-0B6C3F8A2D11"))
        let url = try #require(URL(string: "https://example.org/"))
        #expect(
            attributes.prefix(12).map(\.defaultValue) == [
                .int(-5), .int(0), .null, .decimal(decimal), .double(0.001), .double(Double(Float(0.1))),
                .string("a & <b>"), .bool(true), .date(Date(timeIntervalSinceReferenceDate: -1.5)), .null, .uuid(uuid),
                .url(url),
            ])
        #expect(attributes[0].validationRules == [.minimum(.int(-9)), .maximum(.int(9))])
        #expect(attributes[2].validationRules == [.minimum(.int(1))])
        #expect(try attributes[3].validationRules == [.maximum(.decimal(#require(Decimal(string: "1.5"))))])
        #expect(attributes[6].validationRules == [.minimumLength(2), .maximumLength(8), .pattern("[a-z &]+")])
        #expect(
            attributes[8].validationRules == [
                .minimum(.date(Date(timeIntervalSinceReferenceDate: -10))),
                .maximum(.date(Date(timeIntervalSinceReferenceDate: 10))),
            ])
        #expect(
            attributes.map(\.isOptional)
                == ["a2", "a3", "b7"].reduce(into: Array(repeating: false, count: 17)) { flags, name in
                    if let place = attributes.firstIndex(where: { $0.name == name }) { flags[place] = true }
                })
        #expect(attributes[9].allowsExternalStorage && entity.attributesByName["b1"]?.allowsCloudEncryption == true)
        #expect(entity.attributesByName["b2"]?.preservesValueInHistoryOnDeletion == true)
        #expect(entity.attributesByName["b4"]?.attributeValueClassName == "Color")
        #expect(attributes[12].valueTransformerName == "T")
        #expect(attributes[13].isTransient && attributes[14].isTransient)
        #expect(attributes[15].derivation == "count:(items)")
        let last = try #require(entity.attributesByName["b8"])
        #expect(last.versionHashModifier == "v" && last.renamingIdentifier == "older")
        #expect(last.userInfo as? [String: String] == ["k": "v", "empty": ""])
        #expect(
            entity.attributesByName["a8"]?.isIndexed == true
                && entity.attributesByName["a7"]?.isIndexedBySpotlight == true)
        let fetched = try #require(entity.propertiesByName["f1"] as? NSFetchedPropertyDescription)
        #expect(fetched.requestedEntityName == "E" && fetched.requestPredicateText == "a1 > 3")
    }

    @Test func `relationships, inheritance, indexes, constraints and configurations`() throws {
        let model = try read(
            """
            <entity name="Sub" parentEntity="Base"/>
            <entity name="Base" isAbstract="YES">
              <attribute name="code" attributeType="String"/>
              <attribute name="rank" optional="YES" attributeType="Integer 16"/>
              <relationship name="items" optional="YES" toMany="YES" minCount="1" maxCount="5" deletionRule="Cascade" ordered="YES" destinationEntity="Item" inverseName="base" inverseEntity="Item"/>
              <relationship name="first" optional="YES" transient="YES" maxCount="1" deletionRule="No Action" destinationEntity="Item"/>
              <relationship name="peers" optional="YES" toMany="YES" deletionRule="Deny" destinationEntity="Base" inverseName="peers" inverseEntity="Base" versionHashModifier="2"/>
              <fetchIndex name="byCode">
                <fetchIndexElement property="code" type="Binary" order="descending"/>
                <fetchIndexElement property="rank" type="Binary" order="ascending"/>
              </fetchIndex>
              <fetchIndex name="bySelf">
                <fetchIndexElement expression="entity" type="Binary" order="ascending"/>
                <fetchIndexElement expression="self" type="Binary" order="descending"/>
              </fetchIndex>
              <fetchIndex name="partial" partialIndexPredicate="rank == 1">
                <fetchIndexElement property="code" type="Binary" order="ascending"/>
              </fetchIndex>
              <compoundIndexes><compoundIndex><index value="rank"/><index value="code"/></compoundIndex></compoundIndexes>
              <uniquenessConstraints>
                <uniquenessConstraint><constraint value="code"/></uniquenessConstraint>
                <uniquenessConstraint><constraint value="rank"/><constraint value="code"/></uniquenessConstraint>
              </uniquenessConstraints>
            </entity>
            <entity name="Item">
              <relationship name="base" maxCount="1" deletionRule="Nullify" destinationEntity="Base" inverseName="items" inverseEntity="Base"/>
            </entity>
            <fetchRequest name="All" entity="Item" predicateString="TRUEPREDICATE"/>
            <configuration name="Cloud" usedWithCloudKit="YES"><memberEntity name="Item"/></configuration>
            <configuration name="Local"><memberEntity name="Base"/><memberEntity name="Sub"/></configuration>
            """)
        let compiled = try model.compiled()
        #expect(compiled.entities.map(\.name) == ["Base", "Sub", "Item"])
        #expect(compiled[2].superentity == 1)
        #expect(compiled[2].relationships.map(\.name) == ["first", "items", "peers"])
        let items = compiled[1].relationships[1]
        #expect(items.isOrdered && items.minCount == 1 && items.maxCount == 5 && items.deleteRule == .cascadeDeleteRule)
        #expect(items.destination == 3 && items.inverse == 0)
        #expect(
            compiled[1].relationships[0].isTransient && compiled[1].relationships[0].deleteRule == .noActionDeleteRule)
        #expect(compiled[1].relationships[0].inverse == nil)
        #expect(compiled[1].relationships[2].inverse == 2 && compiled[1].relationships[2].deleteRule == .denyDeleteRule)
        #expect(compiled[3].relationships[0].isToMany == false)
        #expect(compiled[1].uniquenessConstraints == [["code"], ["rank", "code"]])
        #expect(compiled[1].indexes.map(\.name) == ["byCode", "bySelf", "partial", "rank_code"])
        #expect(
            compiled[1].indexes.map(\.elements) == [
                [.property("code", ascending: false), .property("rank", ascending: true)],
                [.entity(ascending: true), .primaryKey(ascending: false)],
                [.property("code", ascending: true)],
                [.property("rank", ascending: true), .property("code", ascending: true)],
            ])
        #expect(model.entitiesByName["Base"]?.indexes.last?.partialPredicateText == "rank == 1")
        #expect(model.entitiesByName["Base"]?.indexes.last?.partialPredicate?.format == "rank == 1")
        #expect(compiled.configurations == ["Cloud": ["Item"], "Local": ["Base", "Sub"]])
        #expect(compiled.versionIdentifiers.isEmpty)
    }

    @Test func `composite attributes take their elements from a definition or from within`() throws {
        let model = try read(
            """
            <entity name="E">
              <attribute name="home" optional="YES" attributeType="Composite" compositeName="Address"/>
              <composite name="work" compositeName="Address"/>
              <composite name="size"><attribute name="w" attributeType="Double"/><attribute name="h" attributeType="Double"/></composite>
            </entity>
            <composite name="Address">
              <attribute name="street" optional="YES" attributeType="String"/>
              <composite name="geo" optional="YES" compositeName="Geo"/>
            </composite>
            <composite name="Geo"><attribute name="lat" attributeType="Double"/></composite>
            """)
        let compiled = try model.compiled()[1]
        #expect(
            compiled.attributes.map(\.name) == [
                "home.street", "home.geo.lat", "size.w", "size.h", "work.street", "work.geo.lat",
            ])
        #expect(compiled.attributes.map(\.isOptional) == [true, true, false, false, true, true])
        #expect(compiled.composites["home"] == [0, 1])
    }

    @Test(arguments: ["Integer 16", "Integer 32", "Integer 64", "Decimal", "Double", "Float"])
    func `a NO that a number has kept from being a Boolean is 0`(_ type: String) throws {
        let model = try read(
            "<entity name=\"E\"><attribute name=\"a\" attributeType=\"\(type)\" defaultValueString=\"NO\"/></entity>")
        let value = try #require(model.entitiesByName["E"]?.attributesByName["a"]?.defaultValue as? NSNumber)
        #expect(value.doubleValue == 0)
        #expect(try model.compiled()[1].attributes[0].defaultValue != .null)
    }

    @Test func `malformed values are reported with line, entity and property`() throws {
        let found = problems(
            """
            <entity name="E">
              <attribute name="a" attributeType="Integer 16" defaultValueString="1.5"/>
              <attribute name="b" attributeType="Integer 16" defaultValueString="70000"/>
              <attribute name="c" optional="maybe" attributeType="String"/>
              <attribute name="d" attributeType="Complex"/>
              <attribute name="e" attributeType="Date" defaultDateTimeInterval="today"/>
              <attribute name="f" attributeType="Boolean" defaultValueString="x"/>
              <attribute name="g" attributeType="UUID" defaultValueString="12"/>
              <attribute name="h" attributeType="String" minValueString="long"/>
              <attribute name="i" attributeType="Composite" compositeName="Missing"/>
              <relationship name="r" maxCount="many" deletionRule="Explode" destinationEntity="Nowhere"/>
              <relationship name="s" toMany="YES" destinationEntity="E" inverseName="t" inverseEntity="E"/>
              <fetchIndex name="i"><fetchIndexElement property="a" type="Hash" order="up"/></fetchIndex>
              <fetchIndex name="j"><fetchIndexElement property="a" order="up"/></fetchIndex>
              <fetchIndex name="k"><fetchIndexElement expression="a + b"/></fetchIndex>
              <fetchIndex name="l"><fetchIndexElement/></fetchIndex>
              <attribute attributeType="String"/>
            </entity>
            <entity name="F" parentEntity="Nobody"/>
            <entity/>
            <configuration name="C"><memberEntity name="Nobody"/></configuration>
            <configuration/>
            """)
        let expected = [
            "contents:4: The default value '1.5' of attribute 'E.a' is not a value of the type Integer 16.",
            "contents:5: The default value '70000' of attribute 'E.b' is not a value of the type Integer 16.",
            "contents:6: 'maybe', the optional of property 'E.c', must be YES or NO.",
            "contents:7: Attribute 'E.d' has the unknown type 'Complex'.",
            "contents:8: 'today', the defaultDateTimeInterval of attribute 'E.e', is not a number of seconds.",
            "contents:9: The default value 'x' of attribute 'E.f' is not a value of the type Boolean.",
            "contents:10: The default value '12' of attribute 'E.g' is not a value of the type UUID.",
            "contents:11: 'long', the minValueString of attribute 'E.h', is not a number.",
            "contents:12: The definition of composite attribute 'E.i' does not exist.",
            "contents:13: 'many', the maxCount of relationship 'E.r', must be a whole number.",
            "contents:13: Relationship 'E.r' has the delete rule 'Explode'; it must be Nullify, Cascade, Deny or No Action.",
            "contents:15: The index 'i' of entity 'E' has the element type 'Hash'; it must be Binary or RTree.",
            "contents:16: The index 'j' of entity 'E' has the order 'up'; it must be ascending or descending.",
            "contents:17: The index 'k' of entity 'E' has the expression 'a + b'; only self, entity and properties can be indexed.",
            "contents:18: The index 'l' of entity 'E' has an element without a property or an expression.",
            "contents:19: A property of entity 'E' has no name.",
            "contents:22: An entity has no name.",
            "contents:21: Entity 'F' inherits from 'Nobody', which is not an entity of the model.",
            "contents:13: The destination 'Nowhere' of relationship 'E.r' is not an entity of the model.",
            "contents:14: The inverse 'E.t' of relationship 'E.s' does not exist.",
            "contents:23: Configuration 'C' holds 'Nobody', which is not an entity of the model.",
            "contents:24: A configuration has no name.",
        ]
        #expect(found.count == expected.count, "\(found)")
        for (issue, part) in zip(found, expected) { #expect(issue.hasSuffix(part), "\(issue)") }
    }

    @Test func `entities that inherit from each other are rejected and freed`() throws {
        let found = problems("<entity name=\"A\" parentEntity=\"B\"/><entity name=\"B\" parentEntity=\"A\"/>")
        #expect(found.count == 1)
        #expect(found.first?.contains("is its own ancestor") == true)
        #expect(problems("<entity name=\"A\" parentEntity=\"A\"/>").first?.contains("'A' is its own ancestor") == true)
    }

    @Test func `composites that contain themselves or multiply are rejected`() {
        let own =
            "<entity name=\"E\"><composite name=\"c\" compositeName=\"C\"/></entity>"
            + "<composite name=\"C\"><composite name=\"c\" compositeName=\"C\"/></composite>"
        #expect(problems(own).first?.contains("contains itself, or is nested more than 8") == true)
        // Ten elements at each of eight levels would be a hundred million.
        var bomb = "<entity name=\"E\"><composite name=\"c\" compositeName=\"C0\"/></entity>"
        for level in 0..<7 {
            let inner = (0..<10).map { "<composite name=\"c\($0)\" compositeName=\"C\(level + 1)\"/>" }.joined()
            bomb += "<composite name=\"C\(level)\">\(inner)</composite>"
        }
        let leaves = (0..<10).map { "<attribute name=\"a\($0)\" attributeType=\"String\"/>" }.joined()
        bomb += "<composite name=\"C7\">\(leaves)</composite>"
        #expect(problems(bomb).contains { $0.contains("have more than 250000 elements") })
    }

    @Test func `a deep inheritance hierarchy is rejected`() {
        let line = (1...20_000).map { "<entity name=\"E\($0)\" parentEntity=\"E\($0 - 1)\"/>" }.joined()
        #expect(problems("<entity name=\"E0\"/>" + line).first?.contains("levels deep in the inheritance") == true)
    }
}
