import Foundation
import Sworm
import TestSupport
import Testing

/// Every kind of property that a table can name.
private enum Station {
    enum Grade: Int16, SupportedAttributeType, CaseIterable { case low = -32_768, middle = 0, high = 32_767 }
    enum Line: String, SupportedAttributeType { case red, night = "" }
    struct Services: OptionSet, SupportedAttributeType {
        var rawValue: Int
        static let lift = Services(rawValue: 1)
        static let toilets = Services(rawValue: 1 << 62)
    }
    struct Platform: CodableAttribute, Equatable {
        var tracks: [Int] = []
        var names: [String: String] = [:]
    }
    enum Entrance: CodableAttribute, Equatable { case none, street(name: String, number: Int) }

    /// A type with a text form.
    struct Code: LosslessStringConvertible, SupportedAttributeType, Equatable {
        var letters: Character
        var number: Int
        init(_ letters: Character, _ number: Int) { (self.letters, self.number) = (letters, number) }
        init?(_ description: String) {
            guard let first = description.first, let number = Int(description.dropFirst()) else { return nil }
            self.init(first, number)
        }
        var description: String { "\(letters)\(number)" }
        func encodePrimitiveValue() -> String { description }
        static func decode(primitiveValue: String) throws -> Code {
            guard let code = Code(primitiveValue) else { throw AttributeError.badInput(primitiveValue) }
            return code
        }
    }

    struct Position: Equatable {
        struct Height: Equatable { var metres = 0.0 }
        var name = ""
        var height = Height()
        var floor: Int?
    }

    struct Stop: ManagedObjectConvertible, Equatable {
        var grade = Grade.middle
        var line: Line? = .red
        var services: Services = []
        var platform = Platform()
        var entrance: Entrance?
        var code = Code("A", 1)
        var oldCode: Code?
        var position = Position()
        /// How often the property below was set.
        var settings = 0
        var passengers = 0 { didSet { settings += 1 } }
        var metres = 0.0
        /// Computed both ways.
        var kilometres: Double {
            get { metres / 1000 }
            set { metres = newValue * 1000 }
        }
        /// Not in the table.
        var note = "fresh"

        static let attributes: Set<Attribute<Stop>> = [
            .init(\.grade, "grade"), .init(\.line, "line"), .init(\.services, "services"),
            .init(\.platform, "platform"),
            .init(\.entrance, "entrance"), .init(\.code, "code"), .init(\.oldCode, "oldCode"),
            .init(\.position.name, "positionName"), .init(\.position.height.metres, "height"),
            .init(\.position.floor, "floor"), .init(\.passengers, "passengers"), .init(\.kilometres, "kilometres"),
        ]
    }

    /// A model that is a class.
    final class Train: ManagedObjectConvertible {
        var name = "new"
        var speed: Double?
        var isLate = false { didSet { changes += 1 } }
        var changes = 0
        static let attributes: Set<Attribute<Train>> = [
            .init(\.name, "name"), .init(\.speed, "speed"), .init(\.isLate, "isLate"),
        ]
    }

    /// A table without a line.
    struct Mark: ManagedObjectConvertible, Equatable {
        static let attributes: Set<Attribute<Mark>> = []
        struct Relations: Sendable { let next = ToOneRelation<Mark>("next") }
        static let relations = Relations()
    }
}

@Suite("Types of properties and models", .overEachStore)
struct ModelTypeTests {
    private typealias Stop = Station.Stop

    private static let stops = [
        Stop(),
        Stop(
            grade: .low, line: .night, services: [.lift, .toilets],
            platform: .init(tracks: [1, .max], names: ["é": "\u{0}"]), entrance: .street(name: "Am Bach", number: 3),
            code: .init("Z", -5), oldCode: .init("Ü", 0),
            position: .init(name: "deep", height: .init(metres: -12.5), floor: -2), metres: 3000),
        Stop(grade: .high, line: nil, entrance: Station.Entrance.none),
    ]

    @Test func `enums, option sets, Codable, own types, nested and computed properties survive`() throws {
        let folder = try StoreFolder()
        do {
            let store = try PersistentContainer(for: Stop.self, at: .file(folder.file()))
            try store.perform { context in
                for (number, stop) in Self.stops.enumerated() {
                    var stop = stop
                    stop.passengers = number
                    try context.insert(stop)
                }
            }
        }
        let store = try PersistentContainer(for: Stop.self, at: .file(folder.file()))
        try store.perform { context in
            let request = Stop.all.sort(\.passengers)
            var each: [Stop] = []
            try context.forEach(request) { each.append($0) }
            for found in [try context.decode(request), try context.fetch(request).map { try $0.decode() }, each] {
                try #require(found.count == 3)
                for (number, stop) in Self.stops.enumerated() {
                    var expected = stop
                    expected.passengers = number
                    // The observer has run once, and what is not in the table is as in a fresh instance.
                    expected.settings = 1
                    expected.note = "fresh"
                    #expect(found[number] == expected)
                }
            }
            #expect(try context.fetch(request, \.line) == [.red, .night, nil])
            #expect(try context.fetch(request, \.code).map(\.number) == [1, -5, 1])
            #expect(try context.fetch(request, \.position.floor) == [nil, -2, nil])
            #expect(try context.fetch(request, \.entrance).last == .some(.some(.none)))
        }
    }

    @Test func `they can be used in conditions and orders`() throws {
        let store = try PersistentContainer(for: Stop.self, at: .tested)
        try store.perform { context in for stop in Self.stops { try context.insert(stop) } }
        func count(_ condition: Condition<Stop>) throws -> Int {
            try store.perform { try $0.count(of: Stop.all.where(condition)) }
        }
        #expect(try count(\.grade == .low) == 1)
        #expect(try count(\.grade > .low) == 2)
        #expect(try count(\.line == nil) == 1)
        #expect(try count(\.line == .night) == 1)
        #expect(try count(\.services == [.lift, .toilets]) == 1)
        #expect(try count(\.code == .init("A", 1)) == 2)
        #expect(try count(\.oldCode != nil) == 1)
        #expect(try count(\.platform == .init(tracks: [1, .max], names: ["é": "\u{0}"])) == 1)
        #expect(try count(\.position.height.metres < 0) == 1)
        #expect(try count(\.kilometres == 3) == 1)
        let codes = try store.perform { try $0.fetch(Stop.all.sort(\.code, ascending: false).sort(\.grade), \.code) }
        #expect(codes.map(\.description) == ["Z-5", "A1", "A1"])
    }

    @Test func `of a class each row has an instance of its own, which may leave the perform`() throws {
        let store = try PersistentContainer(for: Station.Train.self, at: .tested)
        try store.perform { context in
            for (name, speed) in [("a", 1.5), ("b", nil)] {
                let train = Station.Train()
                train.name = name
                train.speed = speed
                try context.insert(train)
            }
        }
        let request = Station.Train.all.sort(\.name)
        let trains = try store.perform { try $0.decode(request) }
        #expect(trains.map(\.name) == ["a", "b"] && trains.map(\.speed) == [1.5, nil])
        #expect(trains.map(\.changes) == [1, 1])
        #expect(trains[0] !== trains[1])
        trains[0].name = "changed"
        #expect(trains[1].name == "b")
        let one = try store.perform { try $0.decodeOne(request) }
        #expect(one?.name == "a" && one !== trains[0])
        try store.perform { context in
            var seen: [Station.Train] = []
            try context.forEach(request) { seen.append($0) }
            #expect(seen.map(\.name) == ["a", "b"] && seen[0] !== seen[1])
            let objects = try context.fetch(request)
            #expect(try objects[0].decode() !== objects[0].decode())
            seen[0].name = "z"
            try objects[0].encode(seen[0])
            // With a change in the way the rows are laid over.
            #expect(try context.decode(request).map(\.name) == ["b", "z"])
        }
    }

    @Test func `a type without attributes has rows too`() throws {
        let store = try PersistentContainer(for: Station.Mark.self, at: .tested)
        try store.perform { context in
            let first = try context.insert(Station.Mark())
            first.next = try context.insert(Station.Mark())
        }
        #expect(try store.perform { try $0.decode(Station.Mark.all) } == [.init(), .init()])
        #expect(try store.perform { try $0.count(of: Station.Mark.all.where { $0.next == nil }) } == 1)
    }

    @Test func `invalid JSON in the store is an error that names the attribute`() throws {
        enum Raw {
            struct Stop: ManagedObjectConvertible {
                var platform = Data()
                static let attributes: Set<Attribute<Stop>> = [.init(\.platform, "platform")]
            }
        }
        struct Typed: ManagedObjectConvertible {
            var platform = Station.Platform()
            static let entityName = "Stop"
            static let attributes: Set<Attribute<Typed>> = [.init(\.platform, "platform")]
        }
        let context = try sharedContext(of: Raw.Stop.self)
        let store = PersistentContainer(managedObjectContext: { context })
        try store.perform { try $0.insert(Raw.Stop(platform: Data("{".utf8))) }
        #expect(throws: AttributeError.self) { try store.perform { try $0.decode(Typed.all) } }
        let error = #expect(throws: AttributeError.self) {
            try store.perform { try $0.fetch(Typed.all).first?.decode() }
        }
        #expect("\(try #require(error))".contains("Stop.platform"))
    }
}
