import Foundation
import Sworm
import TestSupport
import Testing

/// Composite attributes: by their elements, and as a value of a type that represents all of them.
@Suite(.overEachStore) struct CompositeMappingTests {
    struct Place: Equatable {
        var name = ""
        var street: String?
        var latitude: Double?
        var number: Int32?
    }

    struct Home: CodableAttribute, Equatable {
        struct Geo: Codable, Equatable {
            var lat: Double
            var lon: Double?
        }
        var street: String?
        var number: Int32?
        var since: Date?
        var price: Decimal?
        var id: UUID?
        var mark: Data?
        var geo: Geo?
    }

    struct Resident: Equatable {
        var name = ""
        var home: Home?
        var office = Home()
    }

    static func model() -> NSManagedObjectModel {
        func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
            let attribute = NSAttributeDescription()
            attribute.name = name
            attribute.attributeType = type
            attribute.isOptional = true
            return attribute
        }
        func composite(_ name: String, _ elements: [NSAttributeDescription]) -> NSCompositeAttributeDescription {
            let composite = NSCompositeAttributeDescription()
            composite.name = name
            composite.isOptional = true
            composite.elements = elements
            return composite
        }
        func address(_ name: String) -> NSCompositeAttributeDescription {
            composite(
                name,
                [
                    attribute("street", .stringAttributeType), attribute("number", .integer32AttributeType),
                    attribute("since", .dateAttributeType), attribute("price", .decimalAttributeType),
                    attribute("id", .UUIDAttributeType), attribute("mark", .binaryDataAttributeType),
                    composite(
                        "geo", [attribute("lat", .doubleAttributeType), attribute("lon", .doubleAttributeType)]),
                ])
        }
        let name = attribute("name", .stringAttributeType)
        name.defaultValue = ""
        let entity = NSEntityDescription()
        entity.name = "Place"
        entity.properties = [name, address("home"), address("office")]
        let model = NSManagedObjectModel()
        model.entities = [entity]
        return model
    }

    private let home = Home(
        street: "Yasnaya", number: 7, since: Date(timeIntervalSinceReferenceDate: 5.25),
        price: Decimal(string: "12345678901234567890.5"), id: UUID(), mark: Data([1, 2, 255]),
        geo: Home.Geo(lat: 54.07, lon: nil))

    @Test func `elements are attributes of their own, in reading, writing and conditions`() throws {
        let store = try PersistentContainer(model: Self.model(), checking: Place.self, at: .tested)
        let place = Place(name: "a", street: "Yasnaya", latitude: 54.5, number: 7)
        try store.perform { context in
            let first = try context.insert(place)
            try context.insert(Place(name: "b", street: "Melikhovo"))
            let pending = try context.decode(Place.all.where { $0.street == "Yasnaya" })
            #expect(pending == [place])
            #expect(try first.decode() == place)
        }
        try store.perform { context in
            let north = try context.decode(Place.all.where { $0.latitude > 50 })
            #expect(north == [place])
            let others = try context.decode(Place.all.where("home.street BEGINSWITH 'Meli'"))
            #expect(others.map(\.name) == ["b"])
            let sorted = try context.decode(Place.all.sort(\.street))
            #expect(sorted.map(\.name) == ["b", "a"])
            let streets = try context.fetch(Place.all.sort(\.name), \.street)
            #expect(streets == ["Yasnaya", "Melikhovo"])
            let handle = try #require(try context.fetchOne(Place.all.where { $0.number == 7 }))
            try handle.encode(\.street, "Khamovniki")
            #expect(try handle.decode().latitude == 54.5)
        }
        let places = try store.perform { try $0.decode(Place.all.sort(\.name)) }
        #expect(places.map(\.street) == ["Khamovniki", "Melikhovo"])
    }

    @Test(arguments: [
        "home.street == 'Yasnaya'", "home.geo.lat > 54 AND home.number == 7", "home.street.length > 7",
        "home.street == nil OR home.street BEGINSWITH 'M'", "home.number IN {7, 8}",
    ]) func `values, objects and rows agree about elements that a string names`(format: String) throws {
        let places = [
            Place(name: "a", street: "Yasnaya", latitude: 54.5, number: 7), Place(name: "b", street: "Melikhovo"),
            Place(name: "c"),
        ]
        let condition = Condition<Place>(format: format)
        let values = try places.filtered(by: condition).map(\.name)
        #expect(!values.isEmpty)
        let store = try PersistentContainer(model: Self.model(), checking: Place.self, at: .tested)
        try store.perform { context in
            let objects = try places.map { try context.insert($0) }
            #expect(try objects.filtered(by: condition).map { try $0.decode(\.name) } == values)
        }
        let rows = try store.perform { try $0.decode(Place.all.where(condition).sort(\.name)).map(\.name) }
        #expect(rows == values)
    }

    @Test(arguments: [
        ("home.streat == 'x'", "street"), ("hom.street == 'x'", "home"), ("home.geo.lad > 1", "lat"),
        ("home.street > 5", "street"), ("home.street.name == 'x'", "cannot follow it"),
        ("home == nil", "home.geo.lat, home.number, home.street"), ("home.geo == 5", "home.geo.lat"),
    ]) func `a string that names no element is rejected in memory as in a store`(format: String, hint: String) throws {
        let condition = Condition<Place>(format: format)
        let store = try PersistentContainer(model: Self.model(), checking: Place.self, at: .tested)
        let value = try #require(throws: StoreError.self) { try [Place()].filtered(by: condition) }
        #expect(value.message.contains(hint))
        #expect(throws: (any Error).self) { try store.perform { try $0.decode(Place.all.where(condition)) } }
        try store.perform { context in
            let object = try context.insert(Place())
            #expect(throws: (any Error).self) { try condition.matches(object) }
        }
    }

    @Test func `an allowed element is allowed by its path, and other elements are not`() throws {
        let allowed = ConditionAllowList().allowing(Place.self, \.street, \.latitude)
        for format in ["home.street == 'x' AND home.geo.lat > 1", "home.street.length > 1"] {
            try Condition<Place>(format: format).check(against: allowed)
        }
        let typed: Condition<Place> = \.street == "x"
        try typed.check(against: allowed)
        for format in ["home.number == 1", "home.geo.lon > 1", "office.street == 'x'", "home.geo == 1", "home == 'x'"] {
            let error: StoreError = try #require(throws: StoreError.self) {
                try Condition<Place>(format: format).check(against: allowed)
            }
            #expect(error.code == StoreError.Code.conditionNotAllowed)
        }
        let hint = try #require(throws: StoreError.self) {
            try Condition<Place>(format: "office.street == 'x'").check(against: allowed)
        }
        #expect(hint.message.contains("are: home.geo.lat, home.street."))
    }

    @Test func `a composite attribute as a whole is not a column, and the error names its elements`() throws {
        let store = try PersistentContainer(model: Self.model(), checking: Resident.self, at: .tested)
        let error = try #require(throws: StoreError.self) {
            try store.perform { try $0.fetch(Resident.all.select(\.home)) }
        }
        #expect(error.message.contains("home.geo.lat") && error.message.contains("home.street"))
    }

    @Test func `a Codable type represents all elements`() throws {
        let store = try PersistentContainer(model: Self.model(), checking: Resident.self, at: .tested)
        let resident = Resident(name: "Leo", home: home)
        try store.perform { context in
            try context.insert(resident)
            try context.insert(Resident(name: "Anton"))
        }
        try store.perform { context in
            let all = try context.decode(Resident.all.sort(\.name))
            #expect(all == [Resident(name: "Anton"), resident])
            let found = try context.decode(Resident.all.where("home.geo.lat > 54 AND home.number == 7"))
            #expect(found == [resident])
            let leo = try #require(try context.fetchOne(Resident.all.where { $0.name == "Leo" }))
            try leo.encode(\.home, nil)
            try leo.encode(\.office, Home(street: "Moscow"))
        }
        let leo = try store.perform { try $0.decodeOne(Resident.all.where { $0.name == "Leo" }) }
        #expect(leo == Resident(name: "Leo", home: nil, office: Home(street: "Moscow")))
    }

    @Test func `a value of which one element does not fit changes nothing`() throws {
        let store = try PersistentContainer(model: Self.model(), checking: Wrong.self, at: .tested)
        try store.perform { context in
            let handle = try context.insert(Wrong(name: "before", home: nil))
            try #require(throws: (any Error).self) {
                try handle.encode(Wrong(name: "after", home: .init(street: "b", colour: "red")))
            }
            #expect(try handle.decode().name == "before")
        }
    }

    @Test func `strings that only differ in their bytes are different elements`() throws {
        let store = try PersistentContainer(model: Self.model(), checking: Resident.self, at: .tested)
        let (one, other) = ("\u{E9}", "e\u{301}")
        try store.perform { try $0.insert(Resident(name: "Leo", home: Home(street: one))) }
        try store.perform { context in
            let leo = try #require(try context.fetchOne(Resident.all))
            try leo.encode(Resident(name: "Leo", home: Home(street: other)))
        }
        let street = try store.perform { try $0.decodeOne(Resident.all)?.home?.street }
        #expect(street.map { Array($0.unicodeScalars) } == Array(other.unicodeScalars))
    }

    struct Wrong {
        var name = ""
        var home: Wider?
        struct Wider: CodableAttribute {
            var street: String?
            var colour: String?
        }
    }

    struct Missing { var street: String? }

    @Test func `an element is required only where all around it is`() throws {
        let model = Self.model()
        let home = try #require(model.entities[0].attributesByName["home"] as? NSCompositeAttributeDescription)
        let street = try #require(home.elements.first { $0.name == "street" })
        street.isOptional = false
        _ = try PersistentContainer(model: model, checking: Place.self, at: .tested)
        home.isOptional = false
        let error = try #require(throws: StoreError.self) {
            try PersistentContainer(model: model, checking: Place.self, at: .tested)
        }
        #expect(error.message.contains("home.street: the property may be nil"))
    }

    @Test func `an unknown element of the composite is an error that names it`() throws {
        let store = try PersistentContainer(model: Self.model(), checking: Wrong.self, at: .tested)
        let error = try #require(throws: (any Error).self) {
            try store.perform { try $0.insert(Wrong(name: "a", home: .init(street: "b", colour: "red"))) }
        }
        #expect("\(error)".contains("colour"))
        #expect(throws: StoreError.self) {
            try PersistentContainer(model: Self.model(), checking: Missing.self, at: .tested)
        }
    }
}

extension CompositeMappingTests.Place: ManagedObjectConvertible {
    static let entityName = "Place"
    static let attributes: Set<Attribute<Self>> = [
        .init(\.name, "name"), .init(\.street, "home.street"), .init(\.latitude, "home.geo.lat"),
        .init(\.number, "home.number"),
    ]
    struct Relations: Sendable {}
    static let relations = Relations()
}

extension CompositeMappingTests.Resident: ManagedObjectConvertible {
    static let entityName = "Place"
    static let attributes: Set<Attribute<Self>> = [
        .init(\.name, "name"), .init(\.home, "home"), .init(\.office, "office", .optional),
    ]
    struct Relations: Sendable {}
    static let relations = Relations()
}

extension CompositeMappingTests.Wrong: ManagedObjectConvertible {
    static let entityName = "Place"
    static let attributes: Set<Attribute<Self>> = [.init(\.name, "name"), .init(\.home, "home")]
    struct Relations: Sendable {}
    static let relations = Relations()
}

extension CompositeMappingTests.Missing: ManagedObjectConvertible {
    static let entityName = "Place"
    static let attributes: Set<Attribute<Self>> = [.init(\.street, "home.streat")]
    struct Relations: Sendable {}
    static let relations = Relations()
}
