import Foundation
import SwormPredicates
import Testing

@testable import OpenCoreData
@testable import SwormStore

/// A sound model of two entities that a test spoils.
private final class SoundModel {
    let a = Build.entity("A")
    let b = Build.entity("B")
    let name = Build.attribute("name")
    let count = Build.attribute("count", .integer16AttributeType)
    let bs: NSRelationshipDescription
    let owner: NSRelationshipDescription
    let model: NSManagedObjectModel
    /// Keeps alive what is no part of the model.
    var kept: [AnyObject] = []

    init() {
        bs = Build.toMany("bs", b)
        owner = Build.toOne("owner", a)
        Build.connect(bs, owner)
        a.properties = [name, count, bs]
        b.properties = [owner]
        model = Build.model(a, b)
    }

    func outsider(_ name: String) -> NSEntityDescription {
        let entity = Build.entity(name)
        kept.append(entity)
        return entity
    }
}

@Suite("Issues of models")
struct ModelIssueTests {
    /// Spoils a sound model and expects issues with the given parts, one for each and in their order.
    private func check(
        _ expected: String..., sourceLocation: SourceLocation = #_sourceLocation, spoil: (SoundModel) -> Void
    ) {
        let sound = SoundModel()
        #expect(issues(of: sound.model).isEmpty, sourceLocation: sourceLocation)
        spoil(sound)
        let found = withExtendedLifetime(sound) { issues(of: sound.model) }
        #expect(found.count == expected.count, "\(found)", sourceLocation: sourceLocation)
        for (issue, part) in zip(found, expected) { #expect(issue.contains(part), sourceLocation: sourceLocation) }
    }

    @Test func `names of entities`() {
        check("The entity name '' is missing") { $0.a.name = nil }
        check("two entities named 'A'") { $0.b.name = "A" }
        check("begins with a digit") { $0.a.name = "1A" }
        check("contains ' '") { $0.a.name = "A B" }
        check("contains '.'") { $0.a.name = "Module.A" }
        check("contains '\"'") { $0.a.name = "A\"" }
        check("contains U+0") { $0.a.name = "A\0" }
        check("'A' and 'a' differ only in case") { $0.b.name = "a" }
        check { $0.a.name = "Größe_2" }
        check { $0.a.name = "_本" }
    }

    @Test func `names of properties`() {
        check("The name of property 'A.' is missing") { $0.name.name = "" }
        check("contains '-'") { $0.name.name = "first-name" }
        check("contains '@'") { $0.name.name = "@count" }
        check("'A.description' has the name of a method of every managed object") { $0.name.name = "description" }
        check("'A.objectID' has the name of a method") { $0.name.name = "objectID" }
        check("has two properties named 'count'") { $0.name.name = "count" }
        check("'A.extra' is neither an attribute nor a relationship") {
            let property = NSPropertyDescription()
            property.name = "extra"
            $0.a.properties.append(property)
        }
    }

    @Test func `inheritance`() {
        check("'C', a sub-entity of 'A', is not in") { $0.a.subentities = [$0.outsider("C")] }
        check("'B' inherits from 'X', which is not in") { $0.outsider("X").subentities = [$0.b] }
        check("'A' is its own ancestor", "'B' is its own ancestor") {
            $0.a.subentities = [$0.b]
            $0.b.subentities = [$0.a]
        }
        check("'A' is its own ancestor") { $0.a.subentities = [$0.a] }
        check("'B' is a sub-entity of both 'A' and 'C'") {
            let c = $0.outsider("C")
            $0.model.entities.append(c)
            $0.a.subentities = [$0.b]
            c.subentities = [$0.b]
        }
        check("contain an entity twice", "two entities named 'A'") { $0.model.entities.append($0.a) }
        check("'B.name' conflicts with the property of that name inherited from 'A'") {
            $0.a.subentities = [$0.b]
            $0.b.properties.append(Build.attribute("name"))
        }
    }

    @Test func `parts that belong elsewhere`() {
        check("Entity 'A' was added to another model") {
            let other = NSManagedObjectModel()
            other.entities = [$0.a]
            $0.kept.append(other)
        }
        check("Property 'A.name' was added to another entity") { $0.outsider("X").properties = [$0.name] }
    }

    @Test func `types of attributes`() {
        check("'A.name' has no type") { $0.name.attributeType = .undefinedAttributeType }
        check("'A.name' has the type Object ID") { $0.name.attributeType = .objectIDAttributeType }
        check("'A.name' has the type Composite but no elements") { $0.name.attributeType = .compositeAttributeType }
        check {
            $0.name.attributeType = .undefinedAttributeType
            $0.name.isTransient = true
        }
    }

    @Test func `default values of the wrong type`() {
        check("The default value of attribute 'A.count', x (String), is not a value of the type Integer 16") {
            $0.count.defaultValue = "x"
        }
        check("40000 (Int), is not a value of the type Integer 16 (-32768 to 32767)") { $0.count.defaultValue = 40_000 }
        check("1.5 (Double)") { $0.count.defaultValue = 1.5 }
        check("(Date), is not a value of the type String") { $0.name.defaultValue = Date() }
        check("is not a value of the type Boolean") {
            $0.count.type = .boolean
            $0.count.defaultValue = 2
        }
        check("use the data that its transformer returns") {
            $0.name.type = .transformable
            $0.name.defaultValue = NSObject()
        }
        let values: [(NSAttributeDescription.AttributeType, Any)] = [
            (.integer32, Int64(1) << 40), (.decimal, "1"), (.decimal, Double.nan), (.double, "1"),
            (.float, true as Any),
            (.date, 0), (.binaryData, "bytes"), (.uuid, "not"), (.uri, "a"),
        ]
        for (type, value) in values where !(type == .float) {
            check("The default value") {
                $0.count.type = type
                $0.count.defaultValue = value
            }
        }
    }

    @Test func `validation rules that do not fit the type`() {
        check("cannot have the limit 1") { $0.name.validationRules = [.minimum(.int(1))] }
        check("cannot have the limit x") { $0.count.validationRules = [.maximum(.string("x"))] }
        check("cannot have the length limit 3") { $0.count.validationRules = [.maximumLength(3)] }
        check("cannot have the length limit -1") { $0.name.validationRules = [.minimumLength(-1)] }
        check("cannot have the regular expression 'a'") { $0.count.validationRules = [.pattern("a")] }
        check("cannot be parsed: '[a'") { $0.name.validationRules = [.pattern("[a")] }
        check {
            $0.count.validationRules = [.minimum(.int(1)), .maximum(.int(70_000))]
            $0.name.validationRules = [.minimumLength(1), .maximumLength(3), .pattern("a+")]
        }
    }

    @Test func `derived attributes`() {
        check("'A.d' has no derivation expression") {
            $0.a.properties.append(Build.derived("d", .stringAttributeType, ""))
        }
        check("'A.d' is both derived and transient") {
            let derived = Build.derived("d", .stringAttributeType, "name")
            derived.isTransient = true
            $0.a.properties.append(derived)
        }
    }

    @Test func `composite attributes`() {
        func check(
            _ part: String, _ elements: [NSAttributeDescription],
            then: (NSCompositeAttributeDescription) -> Void = { _ in }
        ) {
            let composite = Build.composite("c", elements)
            then(composite)
            self.check(part) { $0.a.properties.append(composite) }
            composite.elements = []
        }
        check("'A.c' has no elements", [])
        check("two elements named 'x'", [Build.attribute("x"), Build.attribute("x")])
        check("The name of element 'A.c.x y' contains ' '", [Build.attribute("x y")])
        check("'A.c.x' has no type", [Build.attribute("x", .undefinedAttributeType)])
        check("'A.c.x' must not be transient", [Build.attribute("x") { $0.isTransient = true }])
        check("'A.c.x' must not be derived", [Build.derived("x", .stringAttributeType, "name")])
        check("has the type String. Do not change", [Build.attribute("x")]) { $0.attributeType = .stringAttributeType }
        check("'A.c' contains itself", []) { $0.elements = [$0] }
        check("must be a dictionary", [Build.attribute("x")]) { $0.defaultValue = ["x": 1] }
        check("must be a dictionary", [Build.attribute("x")]) { $0.defaultValue = ["y": "1"] }
        check("must be a dictionary", [Build.attribute("x")]) { $0.defaultValue = "1" }
    }

    @Test func `relationships`() {
        check("'A.bs' has no destination", "has the destination 'nothing'") { $0.bs.destinationEntity = nil }
        check("The destination 'X' of relationship 'A.r' is not in") {
            $0.a.properties.append(Build.toOne("r", $0.outsider("X")))
        }
        check("negative minimum count -1") { $0.bs.minCount = -1 }
        check("minimum count 3, which is greater than its maximum count 2") {
            $0.bs.minCount = 3
            $0.bs.maxCount = 2
        }
        check("must fit in 32 bits") { $0.bs.maxCount = 1 << 40 }
    }

    @Test func `inverses`() {
        check("The inverse 'A.bs' of relationship 'B.owner' does not point back: its own inverse is none") {
            $0.bs.inverseRelationship = nil
        }
        check("The inverse 'B.owner' of relationship 'A.others' does not point back: its own inverse is 'A.bs'") {
            let other = Build.toMany("others", $0.b)
            other.inverseRelationship = $0.owner
            $0.a.properties.append(other)
        }
        check("The inverse 'C.r' of relationship 'A.other' is not a relationship of its destination 'B'") {
            let c = $0.outsider("C")
            let r = Build.toOne("r", $0.a)
            let other = Build.toOne("other", $0.b)
            c.properties = [r]
            r.inverseRelationship = other
            other.inverseRelationship = r
            $0.a.properties.append(other)
            $0.model.entities.append(c)
            r.inverseRelationship = nil
        }
        check("The inverse 'lost' of relationship 'A.other' does not belong to an entity") {
            let lost = Build.toOne("lost", $0.a)
            $0.kept.append(lost)
            let other = Build.toOne("other", $0.b)
            Build.connect(lost, other)
            $0.a.properties.append(other)
        }
        check(
            "has the destination 'B', not 'A'",
            "'A.bs' of relationship 'B.owner' is not a relationship of its destination 'B'"
        ) {
            $0.owner.destinationEntity = $0.b
            $0.bs.destinationEntity = $0.b
            $0.owner.inverseRelationship = $0.bs
        }
    }

    @Test func `uniqueness constraints`() {
        check("(nothing) of entity 'A' names 'nothing', which is not a property") {
            $0.a.uniquenessConstraints = [["nothing"]]
        }
        check("names the to-many relationship 'bs'") { $0.a.uniquenessConstraints = [["name", "bs"]] }
        check("names the transient property 'name'") {
            $0.name.isTransient = true
            $0.a.uniquenessConstraints = [["name"]]
        }
        check("names 'name' twice") { $0.a.uniquenessConstraints = [["name", "name"]] }
        check("has an empty uniqueness constraint") { $0.a.uniquenessConstraints = [[]] }
        check("names '', which is not a property") { $0.a.uniquenessConstraints = [[42]] }
        check("names the derived attribute 'd'") {
            $0.a.properties.append(Build.derived("d", .stringAttributeType, "name"))
            $0.a.uniquenessConstraints = [["d"]]
        }
        check("names the composite attribute 'c'") {
            $0.a.properties.append(Build.composite("c", [Build.attribute("x")]))
            $0.a.uniquenessConstraints = [["c"]]
        }
        check {
            $0.a.properties.append(Build.composite("c", [Build.attribute("x")]))
            $0.a.uniquenessConstraints = [["c.x"]]
            $0.b.uniquenessConstraints = [[$0.owner]]
        }
    }

    @Test func `indexes`() {
        func index(_ name: String, _ targets: NSFetchIndexElementDescription.Target...) -> NSFetchIndexDescription {
            NSFetchIndexDescription(name: name, elements: targets.map { NSFetchIndexElementDescription(target: $0) })
        }
        check("The index 'i' of entity 'A' names 'nothing', which is not a property") {
            $0.a.indexes = [index("i", .property("nothing"))]
        }
        check("has an index without a name") { $0.a.indexes = [index("", .property("name"))] }
        check("has two indexes named 'i'") { $0.a.indexes = [index("i", .property("name")), index("i", .primaryKey)] }
        check("has no elements") { $0.a.indexes = [index("i")] }
        check("names the transient property 'name'") {
            $0.name.isTransient = true
            $0.a.indexes = [index("i", .property("name"))]
        }
        check("has an invalid character") { $0.a.indexes = [index("i\"", .property("name"))] }
        check("The compound index (name, nothing) of entity 'A' names 'nothing'") {
            $0.a.compoundIndexes = [["name", "nothing"]]
        }
        check { $0.a.indexes = [index("i", .property("bs"), .entity)] }
    }

    @Test func `configurations`() {
        check("Configuration 'Local' holds entity 'X', which is not in") {
            $0.model.setEntities([$0.a, $0.outsider("X")], forConfigurationName: "Local")
        }
    }

    @Test func `sizes beyond the limits`() {
        var line = [Build.entity("E0")]
        for number in 1...ModelLimits.inheritanceDepth {
            let entity = Build.entity("E\(number)")
            line[number - 1].subentities = [entity]
            line.append(entity)
        }
        let deep = NSManagedObjectModel()
        deep.entities = line
        #expect(issues(of: deep).count == 1)
        #expect(issues(of: deep).first?.contains("levels deep in the inheritance") == true)

        let wide = NSManagedObjectModel()
        let root = Build.entity("Root", (0..<1000).map { Build.attribute("a\($0)") })
        root.subentities = (0..<250).map { Build.entity("S\($0)") }
        wide.entities = [root] + root.subentities
        #expect(issues(of: wide).count == 1)
        #expect(issues(of: wide).first?.contains("properties, counting inherited properties") == true)
    }

    @Test func `all issues are reported at once, each with its entity and key`() throws {
        let sound = SoundModel()
        sound.name.attributeType = .undefinedAttributeType
        sound.count.defaultValue = "x"
        sound.owner.minCount = -1
        sound.b.uniquenessConstraints = [["nothing"]]
        let error = try #require(throws: CoreDataError.self) { try sound.model.compiled() }
        #expect(error.errorCode == 134060)
        #expect(error.details.map(\.entity) == ["A", "A", "B", "B"])
        #expect(error.details.map(\.key) == ["name", "count", "owner", "nothing"])
        #expect(error.message.hasPrefix("The model cannot be used; it has 4 issues:"))
        for detail in error.details { #expect(error.message.contains(detail.message)) }
        sound.count.defaultValue = 3
        sound.owner.minCount = 0
        sound.b.uniquenessConstraints = []
        let one = try #require(throws: CoreDataError.self) { try sound.model.compiled() }
        #expect(one.message.hasPrefix("The model cannot be used: Attribute 'A.name' has no type"))
        sound.name.type = .string
        #expect(try sound.model.compiled().entities.count == 2)
    }
}
