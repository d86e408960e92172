import Foundation
@testable import Sworm
import SwormTools
import TestSupport
import Testing

/// A model with composite attributes, one of them nested, and values that are stored as JSON.
enum Town {
    struct Place: CompositeConvertible, Equatable, Sendable {
        var latitude = 0.0
        var longitude = 0.0

        static let attributes: Set<Attribute<Place>> = [
            .init(\.latitude, "latitude"), .init(\.longitude, "longitude"),
        ]
    }

    struct Address: CompositeConvertible, CompositeOwner, Equatable, Sendable {
        var street = ""
        var city = "Kyiv"
        var note: String?
        var place: Place?

        static let attributes: Set<Attribute<Address>> = [
            .init(\.street, "street", .length(...100)), .init(\.city, "city"), .init(\.note, "note"),
            .init(\.place, "place"),
        ]
    }

    struct Style: Codable, Equatable, Sendable { var colors = ["red"], width = 1 }

    struct Resident: ManagedObjectConvertible, CompositeOwner, Equatable, Sendable {
        var name = ""
        var home = Address()
        var office: Address?
        var style = Style()
        var otherStyle: Style?

        static let attributes: Set<Attribute<Resident>> = [
            .init(\.name, "name", .unique), .init(\.home, "home"), .init(\.office, "office"),
            .init(\.style, "style", .json), .init(\.otherStyle, "otherStyle", .json),
        ]
        struct Relations: Sendable {
            let friend = ToOneRelation<Resident>("friend", inverse: \.friends)
            let friends = ToManyRelation<Resident>("friends")
        }
        static let relations = Relations()
    }
}

@Suite("Composite attributes in tables", .overEachStore) struct TableCompositeTests {
    typealias Resident = Town.Resident
    typealias Address = Town.Address
    typealias Place = Town.Place
    typealias Style = Town.Style

    private static let residents = [
        Resident(
            name: "Ada", home: Address(street: "B", city: "London", place: Place(latitude: 51, longitude: 0)),
            office: Address(street: "C", city: "Kyiv", note: "third floor"), style: Style(colors: [], width: 7)),
        Resident(name: "Leo", home: Address(street: "A", city: "Kyiv"), otherStyle: Style()),
        Resident(
            name: "Sun", home: Address(street: "A", city: "Oslo", note: "", place: Place()),
            office: Address(place: Place(latitude: 1, longitude: 2))),
    ]

    private func store() throws -> TestStore {
        try TestStore.tested(for: Resident.self) { context in
            try context.insert(contentsOf: Self.residents)
            let all = try context.fetch(Resident.all.sort(\.name))
            all[1].friend = all[0]
        }
    }

    private func names(_ store: PersistentContainer, _ condition: Condition<Resident>) throws -> [String] {
        let found = try store.perform { try $0.decode(Resident.all.where(condition).sort(\.name)).map(\.name) }
        #expect(try Self.residents.filtered(by: condition).map(\.name) == found)
        return found
    }

    @Test func `are read as they were written`() throws {
        let test = try store()
        let store = test.container
        try store.perform { context in
            #expect(try context.decode(Resident.all.sort(\.name)) == Self.residents)
            #expect(try context.fetch(Resident.all.sort(\.name)).map { try $0.decode() } == Self.residents)
            // Through objects.
            let new = Resident(name: "Tim", home: Address(place: Place()), office: Address(note: "x"))
            let handle = try context.insert(new)
            #expect(try handle.decode() == new)
            #expect(try context.decode(Resident.all.where { $0.name == "Tim" }) == [new])
        }
    }

    @Test func `have the version hash of the same model in a file`() throws {
        let tables = try NSManagedObjectModel(tables: Resident.self)
        let entity = try #require(tables.entitiesByName["Resident"])
        let home = try #require(entity.attributesByName["home"] as? NSCompositeAttributeDescription)
        #expect(home.elements.map(\.name) == ["city", "note", "place", "street"])
        #expect(home.elements.map(\.isOptional) == [false, true, true, false])
        #expect(!home.isOptional)
        let office = try #require(entity.attributesByName["office"] as? NSCompositeAttributeDescription)
        #expect(office.isOptional)
        func attribute(_ name: String, _ type: NSAttributeType, isOptional: Bool) -> NSAttributeDescription {
            let attribute = NSAttributeDescription()
            (attribute.name, attribute.attributeType, attribute.isOptional) = (name, type, isOptional)
            return attribute
        }
        func composite(_ name: String, isOptional: Bool, _ elements: [NSAttributeDescription])
            -> NSCompositeAttributeDescription
        {
            let composite = NSCompositeAttributeDescription()
            (composite.name, composite.isOptional, composite.elements) = (name, isOptional, elements)
            return composite
        }
        func address(_ name: String, isOptional: Bool) -> NSCompositeAttributeDescription {
            composite(
                name, isOptional: isOptional,
                [
                    attribute("street", .stringAttributeType, isOptional: false),
                    composite(
                        "place", isOptional: true,
                        ["latitude", "longitude"].map { attribute($0, .doubleAttributeType, isOptional: false) }),
                    attribute("note", .stringAttributeType, isOptional: true),
                    attribute("city", .stringAttributeType, isOptional: false),
                ])
        }
        #expect(home.versionHash == address("home", isOptional: false).versionHash)
        #expect(office.versionHash == address("office", isOptional: true).versionHash)
    }

    @Test func `are found by their elements`() throws {
        let test = try store()
        let store = test.container
        #expect(try names(store, Condition { $0.home.city == "Kyiv" }) == ["Leo"])
        #expect(try names(store, \Resident.home.city == "Kyiv") == ["Leo"])
        #expect(try names(store, Condition { $0.home.place.latitude > 0 }) == ["Ada"])
        #expect(try names(store, Condition { $0.home.place == nil }) == ["Leo"])
        #expect(try names(store, Condition { $0.home.note == nil }) == ["Ada", "Leo"])
        #expect(try names(store, Condition { $0.office.city == "Kyiv" }) == ["Ada", "Sun"])
        #expect(try names(store, Condition { $0.office.place.longitude == 2 }) == ["Sun"])
        #expect(try names(store, Condition { $0.office == nil }) == ["Leo"])
        #expect(try names(store, Condition { $0.office != nil && $0.office.note == nil }) == ["Sun"])
        try store.perform { context in
            let friends = Resident.all.where { $0.friend.home.city == "London" || $0.friend.office.city == "x" }
            let found = try context.decode(friends)
            #expect(found.map(\.name) == ["Leo"])
            let count = try context.count(of: Resident.all.where { $0.friends.contains { $0.office == nil } })
            #expect(count == 1)
        }
    }

    @Test func `are sorted and selected by their elements`() throws {
        let test = try store()
        let store = test.container
        try store.perform { context in
            let byStreet = Resident.all.sort(\.home.street).sort(\.home.city, ascending: false)
            #expect(try context.decode(byStreet).map(\.name) == ["Sun", "Leo", "Ada"])
            #expect(
                try context.decode(Resident.all.sort(\.office.note).sort(\.name)).map(\.name) == ["Leo", "Sun", "Ada"])
            let cities = try context.fetch(Resident.all.sort(\.name).select { ($0.home.city, $0.office.city) })
            #expect(cities.map(\.0) == ["London", "Kyiv", "Oslo"])
            #expect(cities.map(\.1) == ["Kyiv", nil, "Kyiv"])
        }
    }

    @Test func `are known to Foundation's predicates`() throws {
        let test = try store()
        let store = test.container
        func names(_ predicate: Foundation.Predicate<Resident>) throws -> [String] {
            try store.perform { try $0.decode(Resident.all.where(predicate).sort(\.name)).map(\.name) }
        }
        #expect(try names(#Predicate { $0.home.city == "Kyiv" }) == ["Leo"])
        #expect(try names(#Predicate { $0.office?.city == "Kyiv" }) == ["Ada", "Sun"])
        #expect(try names(#Predicate { $0.office == nil }) == ["Leo"])
        #expect(try names(#Predicate { $0.office != nil }) == ["Ada", "Sun"])
        #expect(try names(#Predicate { $0.office?.place?.longitude == 2 }) == ["Sun"])
        #expect(try names(#Predicate { $0.home.place?.latitude ?? -1 > -1 }) == ["Ada", "Sun"])
        try store.perform { context in
            let related = #Predicate<Row<Resident>> { $0.friend?.home.city == "London" }
            let found = try context.decode(Resident.all.where(related))
            #expect(found.map(\.name) == ["Leo"])
        }
    }

    @Test func `are read and written through handles, whole and in parts`() throws {
        let test = try store()
        let store = test.container
        let named = Resident.all.where { $0.name == "Leo" }
        let inLviv = Resident.all.where { $0.home.city == "Lviv" }
        let withoutOffice = Resident.all.where { $0.office == nil }
        try store.perform { context in
            let leo = try #require(try context.fetchOne(named))
            #expect(try leo.decode(\.home) == Self.residents[1].home)
            #expect(try leo.decode(\.office) == nil)
            #expect(try leo.decode(\.home.city) == "Kyiv")
            #expect(try leo.decode(\.style) == Style())
            try leo.encode(\.home.city, "Lviv").encode(\.office, Address(street: "new", city: ""))
            try leo.encode(\.style, Style(colors: ["x"], width: 2)).encode(\.otherStyle, nil)
        }
        try store.perform { context in
            let leo = try #require(try context.fetchOne(inLviv))
            #expect(try leo.decode(\.office) == Address(street: "new", city: ""))
            #expect(try leo.decode().style == Style(colors: ["x"], width: 2))
            #expect(try leo.decode().otherStyle == nil)
            try leo.encode(\.office, nil)
            let kyiv = Resident.all.where { $0.office.city == "Kyiv" }
            #expect(try context.update(kyiv, set: (\.home, Address(city: "Bern")), (\.home.note, "moved")) == 2)
        }
        try store.perform { context in
            let moved = try context.decode(Resident.all.where { $0.home.city == "Bern" })
            #expect(try context.count(of: withoutOffice) == 1)
            #expect(moved.map(\.home) == [Address(city: "Bern", note: "moved"), Address(city: "Bern", note: "moved")])
            #expect(try context.update(Resident.all, set: (\.office, nil)) == 3)
        }
        #expect(try store.perform { try $0.count(of: withoutOffice) } == 3)
    }

    @Test func `are observed by their elements`() async throws {
        let test = try store()
        let store = test.container
        var values = store.values(of: Resident.all.where { $0.home.city == "Kyiv" }.select(\.name)).makeAsyncIterator()
        #expect(try await values.next() == ["Leo"])
        try store.perform { context in
            try context.fetchOne(Resident.all.where { $0.name == "Sun" })?.encode(\.home.city, "Kyiv")
        }
        #expect(try await values.next()?.sorted() == ["Leo", "Sun"])
        var all = store.values(of: Resident.all.sort(\.name)).makeAsyncIterator()
        #expect(try await all.next()?[1].office == nil)
        try store.perform { context in
            try context.fetchOne(Resident.all.where { $0.name == "Leo" })?.encode(\.office, Address())
        }
        #expect(try await all.next()?[1].office == Address())
    }

    @Test func `have the defaults of a new value`() throws {
        let model = try NSManagedObjectModel(tables: Resident.self)
        let home = try #require(model.entitiesByName["Resident"]?.attributesByName["home"])
        let value = try #require(home.defaultValue as? NSDictionary)
        #expect(value["city"] as? String == "Kyiv")
        #expect(value["street"] as? String == "")
        #expect(value["note"] == nil)
    }

    @Test func `without a required element are an error`() throws {
        let test = try store()
        let store = test.container
        try store.perform { context in
            let leo = try #require(try context.fetchOne(Resident.all.where { $0.name == "Leo" }))
            leo.instance.setValue(["street": "only"], forKey: "office")
            #expect(throws: AttributeError.self) { try leo.decode() }
            leo.instance.setValue(nil, forKey: "office")
        }
    }

    @Test func `that are optional inside of others come back as nil, whatever a new value has`() throws {
        let values = [
            Defaulted(number: 1, part: Frame(text: "a", place: nil), other: Frame(text: "b", place: nil)),
            Defaulted(number: 2, part: Frame(text: "a", place: Place()), other: nil), Defaulted(number: 3),
        ]
        let test = try TestStore.tested(for: Defaulted.self) { try $0.insert(contentsOf: values) }
        try test.container.perform { context in
            let all = Defaulted.all.sort(\.number)
            let (decoded, handles) = (try context.decode(all), try context.fetch(all))
            #expect(decoded == values)
            #expect(try handles.map { try $0.decode() } == values)
            #expect(try handles[0].decode(\.part.place) == nil)
            try handles[0].encode(\.part.place, Place(latitude: 3, longitude: 4)).encode(\.other, nil)
            #expect(try handles[0].decode().part == Frame(text: "a", place: Place(latitude: 3, longitude: 4)))
            #expect(try context.update(all, set: (\.part.place, nil)) == 3)
        }
        let parts = try test.container.perform { try $0.decode(Defaulted.all).map(\.part.place) }
        #expect(parts == [nil, nil, nil])
    }

    @Test @MainActor func `are merged as a whole by a draft if one side has removed them`() async throws {
        let test = try store()
        let store = test.container
        let id = try store.perform { try #require(try $0.fetchOne(Resident.all.where { $0.name == "Ada" })).id }
        let draft = try Draft(of: id, in: store)
        draft.mine.name = "Ada L"
        try store.perform { try $0.object(with: id).encode(\.office, nil) }
        try draft.save()
        #expect(try store.perform { try $0.object(with: id).decode().office } == nil)
        let other = try Draft(of: id, in: store)
        other.mine.office = Address(street: "mine")
        try store.perform { try $0.object(with: id).encode(\.office, Address(street: "theirs", note: "n")) }
        #expect(throws: DraftConflict.self) { try other.save() }
        try other.save(conflicts: .theirs)
        #expect(try store.perform { try $0.object(with: id).decode().office } == Address(street: "theirs", note: "n"))
    }

    @Test func `keep the names of earlier versions, also inside of others`() throws {
        let model = try NSManagedObjectModel(tables: Renamed.self)
        let part = try #require(model.entitiesByName["Renamed"]?.attributesByName["part"])
        #expect(part.renamingIdentifier == "piece")
        let place = (part as? NSCompositeAttributeDescription)?.elements.first { $0.name == "place" }
        #expect(place?.renamingIdentifier == "position")
    }

    @Test func `are a fault of the table if they cannot be stored`() throws {
        func message(_ type: any ManagedObjectConvertible.Type) -> String {
            do {
                _ = try NSManagedObjectModel(tables: type)
                return ""
            } catch {
                return "\(error)"
            }
        }
        #expect(message(Empty.self).contains("has no attributes"))
        #expect(message(Indexed.self).contains("an element of a composite attribute cannot be unique"))
        #expect(message(Deep.self).contains("can be nested once"))
        #expect(message(Optioned.self).contains("can only be `.optional`"))
        #expect(message(Referring.self).contains("is a class"))
        #expect(message(Overlapping.self).contains("an attribute has the name of an element"))
        #expect(message(Doubled.self).contains("the property is also the attribute"))
        #expect(message(Dotted.self).contains("'.'"))
    }
}

private struct NoElements: CompositeConvertible, Sendable {
    static let attributes: Set<Attribute<NoElements>> = []
}

private struct Empty: ManagedObjectConvertible, CompositeOwner, Sendable {
    var part = NoElements()
    static let attributes: Set<Attribute<Empty>> = [.init(\.part, "part")]
}

private struct UniqueElement: CompositeConvertible, Sendable {
    var number = 0
    static let attributes: Set<Attribute<UniqueElement>> = [.init(\.number, "number", .unique)]
}

private struct Indexed: ManagedObjectConvertible, CompositeOwner, Sendable {
    var part = UniqueElement()
    static let attributes: Set<Attribute<Indexed>> = [.init(\.part, "part")]
}

private struct Outer: CompositeConvertible, CompositeOwner, Sendable {
    var address = Town.Address()
    static let attributes: Set<Attribute<Outer>> = [.init(\.address, "address")]
}

private struct Deep: ManagedObjectConvertible, CompositeOwner, Sendable {
    var part = Outer()
    static let attributes: Set<Attribute<Deep>> = [.init(\.part, "part")]
}

private struct Optioned: ManagedObjectConvertible, CompositeOwner, Sendable {
    var part = Town.Place()
    static let attributes: Set<Attribute<Optioned>> = [.init(\.part, "part", .indexed)]
}

private final class Reference: CompositeConvertible, CompositeOwner, @unchecked Sendable {
    // Unchecked: a test never shares it.
    var number = 0
    var next: Reference?
    static let attributes: Set<Attribute<Reference>> = [.init(\.number, "number"), .init(\.next, "next")]
}

private struct Referring: ManagedObjectConvertible, CompositeOwner, Sendable {
    var part = Reference()
    static let attributes: Set<Attribute<Referring>> = [.init(\.part, "part")]
}

private struct Frame: CompositeConvertible, CompositeOwner, Equatable, Sendable {
    var text = ""
    var place: Town.Place? = Town.Place(latitude: 9, longitude: 9)
    static let attributes: Set<Attribute<Frame>> = [.init(\.text, "text"), .init(\.place, "place")]
}

private struct Defaulted: ManagedObjectConvertible, CompositeOwner, Equatable, Sendable {
    var number = 0
    var part = Frame()
    var other: Frame? = Frame()
    static let attributes: Set<Attribute<Defaulted>> = [
        .init(\.number, "number"), .init(\.part, "part"), .init(\.other, "other"),
    ]
}

private struct Renamings: CompositeConvertible, CompositeOwner, Sendable {
    var place = Town.Place()
    static let attributes: Set<Attribute<Renamings>> = [.init(\.place, "place", .renamed(from: "position"))]
}

private struct Renamed: ManagedObjectConvertible, CompositeOwner, Sendable {
    var part = Renamings()
    static let attributes: Set<Attribute<Renamed>> = [.init(\.part, "part", .renamed(from: "piece"))]
}

private struct Overlapping: ManagedObjectConvertible, CompositeOwner, Sendable {
    var part = Town.Place()
    var width = 0.0
    static let attributes: Set<Attribute<Overlapping>> = [.init(\.part, "part"), .init(\.width, "part.latitude")]
}

private struct Doubled: ManagedObjectConvertible, CompositeOwner, Sendable {
    var part = Town.Place()
    static let attributes: Set<Attribute<Doubled>> = [.init(\.part, "part"), .init(\.part.latitude, "width")]
}

private struct Dotted: ManagedObjectConvertible, CompositeOwner, Sendable {
    var part = Town.Place()
    var width = 0.0
    static let attributes: Set<Attribute<Dotted>> = [.init(\.part, "part"), .init(\.width, "part.width")]
}
