import Foundation
import Sworm

enum Level: Int16, SupportedAttributeType { case low, high = 700 }
struct Flags: OptionSet, SupportedAttributeType {
    var rawValue: Int32
    static let read = Flags(rawValue: 1)
    static let kept = Flags(rawValue: 4)
}
enum Shape: CodableAttribute, Equatable { case point, circle(radius: Double) }

/// A type of one's own with a text form.
struct Version: SupportedAttributeType, Equatable {
    var numbers: [Int] = []
    func encodePrimitiveValue() -> String { numbers.map(String.init).joined(separator: ".") }
    static func decode(primitiveValue: String) throws -> Version {
        Version(
            numbers: try primitiveValue.split(separator: ".").map {
                guard let number = Int($0) else { throw AttributeError.badInput(primitiveValue) }
                return number
            })
    }
}

struct Everything: ManagedObjectConvertible, Equatable {
    struct Place: Equatable {
        var street = ""
        var number: Int?
    }

    var bool = true
    var int = Int.min
    var int16 = Int16.max
    var int32 = Int32.min
    var int64 = Int64.max
    var float = Float.pi
    var double = -Double.greatestFiniteMagnitude
    var decimal = Decimal(string: "12345678901234567890.123456789012345678") ?? 0
    var date = Date(timeIntervalSinceReferenceDate: 0.1)
    var string = "a\u{0}b"
    var data = Data([0, 255])
    var uuid = UUID()
    var url = URL(filePath: "/tmp/x")
    var level = Level.high
    var flags: Flags = [.read, .kept]
    var shape = Shape.circle(radius: 1.5)
    var version = Version(numbers: [1, 2])
    var place = Place(street: "Am Bach", number: 3)
    var optionalBool: Bool?
    var optionalInt: Int? = 3
    var optionalData: Data? = Data()
    var optionalLevel: Level?
    var optionalShape: Shape? = .point

    static let attributes: Set<Attribute<Everything>> = [
        .init(\.bool, "bool"), .init(\.int, "int"), .init(\.int16, "int16"), .init(\.int32, "int32"),
        .init(\.int64, "int64"), .init(\.float, "float"), .init(\.double, "double"), .init(\.decimal, "decimal"),
        .init(\.date, "date"), .init(\.string, "string"), .init(\.data, "data", .external), .init(\.uuid, "uuid"),
        .init(\.url, "url"), .init(\.level, "level"), .init(\.flags, "flags"), .init(\.shape, "shape"),
        .init(\.version, "version"), .init(\.place.street, "street"), .init(\.place.number, "number"),
        .init(\.optionalBool, "optionalBool"), .init(\.optionalInt, "optionalInt"),
        .init(\.optionalData, "optionalData"), .init(\.optionalLevel, "optionalLevel"),
        .init(\.optionalShape, "optionalShape"),
    ]
}

/// A class as a model.
final class Note: ManagedObjectConvertible {
    var text = "new"
    var stars: Int?
    static let attributes: Set<Attribute<Note>> = [.init(\.text, "text"), .init(\.stars, "stars")]
}

/// Every option that a table has.
struct Configured: ManagedObjectConvertible {
    var code = "x"
    var count = 5
    var ratio = 0.5
    var picture = Data()
    var note = ""
    static let attributes: Set<Attribute<Configured>> = [
        .init(\.code, "code", .unique, .indexed, .length(1...8), .pattern("[a-z]+"), .renamed(from: "key")),
        .init(\.count, "count", .type(.integer16), .range(0...10)),
        .init(\.ratio, "ratio", .type(.float), .range(0...1), .hashModifier("v2")),
        .init(\.picture, "picture", .external, .optional),
        .init(\.note, "note", .preservedOnDeletion, .length(...100)),
    ]
    static let uniquenessConstraints: [UniquenessConstraint<Configured>] = [.init(\.code, \.count)]
    static let fetchIndexes: [FetchIndex<Configured>] = [
        .init("byCount", .descending(\.count), .ascending(\.code)), .init("byRatio", \.ratio, \.note),
    ]
    struct Relations: Sendable {
        let parent = ToOneRelation<Configured>("parent", .required, .renamed(from: "owner"))
        let children = ToManyRelation<Configured>(
            "children", inverse: \.parent, deleteRule: .deny, .count(1...5), .hashModifier("x"))
    }
    static let relations = Relations()
}

/// A table with one issue of almost every kind.
struct Faulty: ManagedObjectConvertible {
    var a = 0
    var b = 0
    var c = ""
    var d = ""
    var e = 0
    var f = 0.0
    static let attributes: Set<Attribute<Faulty>> = [
        .init(\.a, "a"), .init(\.a, "a2"), .init(\.b, "a"), .init(\.c, ""), .init(\.d, "parent"),
        .init(\.e, "e", .external, .length(1...2), .pattern("("), .range(0.5...1)),
        .init(\.f, "f", .type(.integer16), .range(Date.distantPast...)),
    ]
    static let uniquenessConstraints: [UniquenessConstraint<Faulty>] = [.init(\.self)]
    static let fetchIndexes: [FetchIndex<Faulty>] = [.init("i", \.a), .init("i", \.e), .init("", \.a)]
    struct Relations: Sendable {
        let parent = ToOneRelation<Faulty>("parent", .count(1...2))
        let other: ToOneRelation<Author> = .init("other", inverse: \.books)
        let twice = ToManyRelation<Faulty>("twice", inverse: \.parent)
        let again = ToManyRelation<Faulty>("again", inverse: \.parent)
        let same = ToOneRelation<Faulty>("again")
        let empty = ToOneRelation<Faulty>("")
    }
    static let relations = Relations()
}
