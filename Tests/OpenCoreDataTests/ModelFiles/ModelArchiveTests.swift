import Foundation
import SwormPredicates
import SwormSQLite
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("Archives of models")
struct ModelArchiveTests {
    /// A model with everything that an archive can say.
    private func fullModel() throws -> NSManagedObjectModel {
        let model = NSManagedObjectModel()
        let person = NSEntityDescription()
        person.name = "Person"
        person.managedObjectClassName = "App.Person"
        person.isAbstract = true
        person.userInfo = ["note": "kept", "number": 7]
        person.versionHashModifier = "second"
        let pupil = NSEntityDescription()
        pupil.name = "Pupil"
        pupil.renamingIdentifier = "Student"
        let school = NSEntityDescription()
        school.name = "Sch\u{F6}ol"

        func attribute(_ name: String, _ type: NSAttributeType, _ value: Any? = nil) -> NSAttributeDescription {
            let attribute = NSAttributeDescription()
            attribute.name = name
            attribute.attributeType = type
            attribute.defaultValue = value
            return attribute
        }
        let name = attribute("name", .stringAttributeType, "\u{1F30A} na\u{EF}ve")
        name.isOptional = false
        name.setValidationPredicates(
            [
                NSPredicate(format: "length >= 2", argumentArray: nil),
                NSPredicate(format: "SELF MATCHES 'a.*'", argumentArray: nil),
                NSPredicate(format: "SELF CONTAINS[cd] 'x' AND NOT SELF BEGINSWITH 'q'", argumentArray: nil),
            ], withValidationWarnings: ["short", "", "odd"])
        let amount = attribute("amount", .decimalAttributeType, Decimal(string: "-12345678901234567890.0625"))
        let photo = attribute("photo", .binaryDataAttributeType, Data([0, 1, 255]))
        photo.allowsExternalBinaryDataStorage = true
        photo.preservesValueInHistoryOnDeletion = true
        photo.allowsCloudEncryption = true
        let count = NSDerivedAttributeDescription()
        count.name = "count"
        count.attributeType = .integer64AttributeType
        count.derivation = "count:(friends)"
        let address = NSCompositeAttributeDescription()
        address.name = "address"
        address.elements = [attribute("street", .stringAttributeType), attribute("number", .integer32AttributeType, 3)]
        let transformable = attribute("tags", .transformableAttributeType)
        transformable.valueTransformerName = "TagTransformer"
        transformable.attributeValueClassName = "Tags"
        let seen = attribute("seen", .dateAttributeType, Date(timeIntervalSinceReferenceDate: 12.5))
        seen.isIndexed = true
        let id = attribute("id", .UUIDAttributeType, UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"))
        let home = attribute("home", .URIAttributeType, URL(string: "https://example.org/a?b=c"))
        let flag = attribute("flag", .booleanAttributeType, true)
        let size = attribute("size", .doubleAttributeType, 2.5)
        let passing = attribute("passing", .undefinedAttributeType)
        passing.isTransient = true
        passing.versionHashModifier = "7"

        let friends = NSRelationshipDescription()
        friends.name = "friends"
        friends.destinationEntity = person
        friends.inverseRelationship = friends
        friends.isOrdered = false
        friends.minCount = 1
        friends.maxCount = 9
        let pupils = NSRelationshipDescription()
        pupils.name = "pupils"
        let place = NSRelationshipDescription()
        place.name = "place"
        pupils.destinationEntity = pupil
        pupils.inverseRelationship = place
        pupils.isOrdered = true
        pupils.deleteRule = .cascadeDeleteRule
        place.destinationEntity = school
        place.inverseRelationship = pupils
        place.maxCount = 1
        place.deleteRule = .denyDeleteRule
        let found = NSFetchedPropertyDescription()
        found.name = "found"
        found.isTransient = true
        found.requestedEntityName = "Pupil"
        found.requestPredicateText = "name == $FETCH_SOURCE.name"
        person.properties = [
            name, amount, photo, count, address, transformable, seen, id, home, flag, size, passing, friends, found,
        ]
        pupil.properties = [place]
        school.properties = [attribute("title", .stringAttributeType), pupils]
        person.subentities = [pupil]
        person.uniquenessConstraints = [["name", "id"], ["home"]]
        let index = NSFetchIndexDescription(
            name: "bySeen",
            elements: [
                .init(target: .property("seen"), isAscending: false), .init(target: .primaryKey),
                .init(target: .entity),
            ])
        index.partialPredicate = try parsePredicate("flag == YES AND size > 1.5")
        index.partialPredicateText = index.partialPredicate?.format
        person.indexes = [index]
        model.entities = [person, pupil, school]
        model.versionIdentifiers = ["v2"]
        model.setEntities([school], forConfigurationName: "Cloud")
        return model
    }

    @Test func `a model comes back from its archive as it was`() throws {
        let model = try fullModel()
        let read = NSManagedObjectModel()
        let notes = try ModelArchiveReader.read(ModelArchiveWriter.archive(of: model), source: "test", into: read)
        #expect(notes == [])
        let (found, expected) = (outline(of: read), outline(of: model))
        #expect(found.filter { !expected.contains($0) } == [])
        #expect(expected.filter { !found.contains($0) } == [])
        #expect(read.entityVersionHashesByName == model.entityVersionHashesByName)
    }

    @Test(arguments: [false, true])
    func `the flag of an attribute that a fetch index has to itself makes no second index`(isShadow: Bool) throws {
        let seen = Build.attribute("seen", .dateAttributeType) { $0.isIndexed = true }
        let visit = Build.entity("Visit", [seen])
        visit.indexes = [NSFetchIndexDescription(name: "bySeen", elements: [.init(target: .property("seen"))])]
        // An archive of the compiler's has an index by the attribute's name where the flag was given.
        seen.hasFetchIndex = isShadow
        let read = NSManagedObjectModel()
        try ModelArchiveReader.read(
            ModelArchiveWriter.archive(of: Build.model(visit)), source: "the archive", into: read)
        #expect(read.entitiesByName["Visit"]?.attributesByName["seen"]?.isIndexed == true)
        let names = isShadow ? ["bySeen"] : ["bySeen", "seen"]
        #expect(try read.compiled()[1].indexes.map(\.name).sorted() == names)
        let again = NSManagedObjectModel()
        try ModelArchiveReader.read(ModelArchiveWriter.archive(of: read), source: "the archive", into: again)
        #expect(try again.compiled()[1].indexes.map(\.name).sorted() == names)
        let copy = try #require(read.copy() as? NSManagedObjectModel)
        #expect(try copy.compiled()[1].indexes.map(\.name).sorted() == names)
    }

    @Test func `another reader understands the archive`() throws {
        let archive = ModelArchiveWriter.archive(of: try fullModel())
        let list = try PropertyListSerialization.propertyList(from: archive, options: [], format: nil)
        let fields = try #require(list as? [String: Any])
        #expect(fields["$archiver"] as? String == "NSKeyedArchiver")
        let objects = try #require(fields["$objects"] as? [Any])
        #expect(objects.first as? String == "$null")
        let classes = objects.compactMap { ($0 as? [String: Any])?["$classname"] as? String }
        #expect(classes.contains("NSKnownKeysDictionary1") && classes.contains("NSFetchIndexDescription"))
        #expect(Set(classes).count == classes.count)
    }

    @Test func `a new store carries its model`() throws {
        let folder = try StoreFolder()
        let model = try fullModel()
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: folder.url(), options: nil)
        try coordinator.remove(store)
        let stored = try StoredModel(ofStoreAt: folder.url())
        #expect(stored.source == .cache && stored.notes.isEmpty)
        #expect(outline(of: stored.model) == outline(of: model))
    }

    @Test func `the archive's marker for nil can be a string`() throws {
        let model = try fullModel()
        let name = try #require(model.entitiesByName["Person"]?.attributesByName["name"])
        name.defaultValue = "$null"
        let read = NSManagedObjectModel()
        try ModelArchiveReader.read(ModelArchiveWriter.archive(of: model), source: "test", into: read)
        #expect(read.entitiesByName["Person"]?.attributesByName["name"]?.defaultValue as? String == "$null")
    }

    @Test func `a rule that cannot be archived is reported, and the other rules keep their warnings`() throws {
        let model = try fullModel()
        let amount = try #require(model.entitiesByName["Person"]?.attributesByName["amount"])
        amount.setValidationPredicates(
            ["SELF > 0", "SELF BETWEEN {1, 5}", "SELF < 9"].map { NSPredicate(format: $0) },
            withValidationWarnings: ["low", "outside", "high"])
        var left: [String] = []
        let archive = ModelArchiveWriter.archive(of: model, notes: &left)
        #expect(left.count == 1)
        #expect(left.first?.contains("'Person.amount'") == true && left.first?.contains("BETWEEN") == true)
        let read = NSManagedObjectModel()
        try ModelArchiveReader.read(archive, source: "test", into: read)
        let found = try #require(read.entitiesByName["Person"]?.attributesByName["amount"])
        #expect(found.validationWarnings.map { "\($0)" } == ["low", "high"])
        #expect(found.validationRules.count == 2)
    }

    @Test func `the string of a function has all its paths, and only functions have one`() throws {
        func text(_ arguments: [ExpressionTree]) throws -> String {
            var writer = KeyedArchiveWriter()
            let made = writer.expression(.function("sum:", arguments))
            let archive = try KeyedArchive(writer.data(root: try #require(made)))
            return try ArchivedPredicate(archive).text(of: try #require(archive.root))
        }
        let paths = (1...9).map { "a\($0)" }
        #expect(try text(paths.map { .path([$0]) }) == "sum:(\(paths.joined(separator: ", ")))")
        #expect(throws: ArchiveError.self) { try text([.path(["a"]), .value(.int(3))]) }
        #expect(throws: ArchiveError.self) { try text(Array(repeating: .path(["a"]), count: 101)) }
    }

    @Test(arguments: [("now", [], "now"), ("sum", ["a"], "sum:"), ("sum:", ["a"], "sum:")])
    func `the selector of a function has a colon where it has arguments`(
        name: String, keys: [String], selector: String
    ) throws {
        var writer = KeyedArchiveWriter()
        let made = writer.expression(.function(name, keys.map { .path([$0]) }))
        let archive = try KeyedArchive(writer.data(root: try #require(made)))
        let root = try #require(archive.root)
        #expect(archive.string(of: root, field: "NSSelectorName") == selector)
    }

    @Test func `a cache larger than any model is not read, and the model is inferred`() throws {
        let folder = try StoreFolder()
        let coordinator = try GraphLibrary.coordinator(at: folder.url())
        for store in coordinator.persistentStores { try coordinator.remove(store) }
        let raw = try folder.raw()
        do {
            let packed = try Deflate.deflate(Data(count: ModelArchiveReader.cacheLimit + 1))
            var statement = try raw.statement("UPDATE Z_MODELCACHE SET Z_CONTENT = ?")
            try statement.bind(.blob(packed), at: 1, in: BindingArena())
            _ = try statement.step()
        }
        let stored = try StoredModel(ofStoreAt: folder.url())
        #expect(stored.source == .inferred)
        #expect(stored.notes.contains { $0.contains("grows beyond \(ModelArchiveReader.cacheLimit) bytes") })
    }

    // MARK: What others may have made

    @Test func `paths that are too long for a model are rejected before they exhaust the stack`() throws {
        for path in [String(repeating: "a.", count: 200_000) + "a", String(repeating: "b.", count: 150) + "b"] {
            var writer = KeyedArchiveWriter()
            let made = writer.expression(.path([path]))
            let expression = try #require(made)
            let archive = try KeyedArchive(writer.data(root: expression))
            let root = try #require(archive.root)
            #expect(throws: ArchiveError.self) { try ArchivedPredicate(archive).expression(root) }
        }
    }

    @Test(arguments: ["valueForKeyPath:", "valueForKeyPath"])
    func `steps of a path that are too long together are rejected before they exhaust the stack`(
        selector: String
    ) throws {
        func expression(steps: Int) throws -> ExpressionTree {
            var writer = KeyedArchiveWriter()
            let keys = Array(repeating: "a", count: 60).joined(separator: ".")
            let constant = writer.object(
                ["NSConstantValueExpression", "NSExpression", "NSObject"],
                fields: ["NSExpressionType": .int(0), "NSConstantValue": writer.string(keys)])
            var path = writer.object(
                ["NSSelfExpression", "NSExpression", "NSObject"], fields: ["NSExpressionType": .int(1)])
            for _ in 0..<steps {
                let arguments = writer.array([constant])
                path = writer.object(
                    ["NSFunctionExpression", "NSExpression", "NSObject"],
                    fields: [
                        "NSExpressionType": .int(4), "NSOperand": path, "NSArguments": arguments,
                        "NSSelectorName": writer.string(selector),
                    ])
            }
            let archive = try KeyedArchive(writer.data(root: path))
            return try ArchivedPredicate(archive).expression(try #require(archive.root))
        }
        #expect(try expression(steps: 3).pathKeys?.count == 180)
        #expect(throws: ArchiveError.self) { try expression(steps: 90) }
    }

    @Test func `damaged and hostile lists and archives are rejected`() throws {
        let archive = ModelArchiveWriter.archive(of: try fullModel())
        func refused(_ data: Data) -> String? {
            do {
                try ModelArchiveReader.read(data, source: "test", into: NSManagedObjectModel())
                return nil
            } catch { return (error as? CoreDataError)?.message }
        }
        #expect(refused(Data())?.contains("not a binary property list") == true)
        #expect(refused(Data("bplist00".utf8) + Data(count: 40))?.contains("is invalid") == true)
        #expect(refused(archive.dropLast(40)) != nil)
        #expect(refused(BinaryPropertyListWriter.data(.string("x")))?.contains("not a keyed archive") == true)
        // Many objects at one place, which would be read as often as they are counted.
        var shared = archive
        let trailer = shared.count - 32
        let table = shared[(trailer + 24)...].reduce(0) { $0 << 8 | Int($1) }
        let size = Int(shared[trailer + 6])
        let first = shared[table..<table + size]
        for start in stride(from: table, to: trailer, by: size) {
            shared.replaceSubrange(start..<start + size, with: first)
        }
        #expect(refused(shared) != nil)
        var writer = KeyedArchiveWriter()
        let text = writer.string("no model")
        #expect(refused(writer.data(root: text))?.contains("contains nothing, not a model") == true)
    }

    @Test func `circular inheritance and composites that contain themselves are rejected`() throws {
        func read(_ make: (inout KeyedArchiveWriter) -> PropertyListValue) throws {
            var writer = KeyedArchiveWriter()
            let entities = make(&writer)
            let root = writer.object(["NSManagedObjectModel", "NSObject"], fields: ["NSEntities": entities])
            try ModelArchiveReader.read(writer.data(root: root), source: "test", into: NSManagedObjectModel())
        }
        #expect(throws: CoreDataError.self) {
            try read { writer in
                let (one, other) = (writer.reserve(), writer.reserve())
                for (number, name, above) in [(one, "A", other), (other, "B", one)] {
                    writer.write(
                        number, lineage: ["NSEntityDescription", "NSObject"],
                        fields: ["NSEntityName": writer.string(name), "NSSuperentity": .uid(above)])
                }
                return writer.dictionary([("A", .uid(one)), ("B", .uid(other))])
            }
        }
        #expect(throws: CoreDataError.self) {
            try read { writer in
                let composite = writer.reserve()
                let elements = writer.array([.uid(composite)])
                writer.write(
                    composite, lineage: ["NSCompositeAttributeDescription", "NSObject"],
                    fields: [
                        "NSPropertyName": writer.string("c"), "NSAttributeType": .int(2100),
                        "NSCompositeElements": elements,
                    ])
                let properties = writer.dictionary([("c", .uid(composite))])
                let entity = writer.object(
                    ["NSEntityDescription", "NSObject"],
                    fields: ["NSEntityName": writer.string("A"), "NSProperties": properties])
                return writer.dictionary([("A", entity)])
            }
        }
    }

    @Test func `decompression has a limit`() throws {
        let packed = try Deflate.deflate(Data(count: 1 << 20))
        #expect(packed.count < 4096)
        #expect(try Deflate.inflate(packed, limit: 1 << 20).count == 1 << 20)
        #expect(throws: ArchiveError.self) { try Deflate.inflate(packed, limit: 1 << 19) }
        #expect(throws: ArchiveError.self) { try Deflate.inflate(packed.dropLast(4), limit: 1 << 20) }
        #expect(throws: ArchiveError.self) { try Deflate.inflate(Data("no".utf8), limit: 100) }
    }
}
