import Foundation
@testable import Sworm
import SwormPredicates

/// Models whose memory has every form that a property can take.
enum Memory {
    enum Grade: Int, SupportedAttributeType { case low = -5, high = 1_000_000 }
    enum Colour: String, SupportedAttributeType { case red, night = "a name that does not fit into sixteen bytes" }
    struct Tags: CodableAttribute, Equatable { var words: [String] = [] }

    /// A property of a generic struct lies at another place for each argument.
    struct Box<Value: Sendable>: Sendable {
        var mark: UInt8 = 0xAA
        var value: Value
        var end: UInt8 = 0xBB
    }
    struct Street: Sendable {
        var name = ""
        var number: Int16?
    }
    struct Address: Sendable {
        var isHome = true
        var street = Street()
    }

    /// The thirteen types, their optionals, and what is made of them, in an order that leaves gaps everywhere.
    struct Depot: ManagedObjectConvertible, Sendable {
        var number = 0
        var bool = false
        var int16: Int16 = 0
        var string = ""
        var maybeBool: Bool?
        var int64: Int64 = 0
        var maybeInt16: Int16?
        var float: Float = 0
        var maybeInt64: Int64?
        var int32: Int32 = 0
        var double = 0.0
        var maybeFloat: Float?
        var maybeInt32: Int32?
        var date = Date(timeIntervalSinceReferenceDate: 0)
        var maybeDouble: Double?
        var maybeInt: Int?
        var decimal = Decimal.zero
        var maybeDate: Date?
        var data = Data()
        var maybeDecimal: Decimal?
        var uuid = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
        var maybeString: String?
        var maybeUUID: UUID?
        var url = URL(filePath: "/")
        var maybeData: Data?
        var maybeURL: URL?
        var grade = Grade.low
        var maybeGrade: Grade?
        var colour = Colour.red
        var maybeColour: Colour?
        var tags = Tags()
        var maybeTags: Tags?
        var address = Address()
        var box = Box(value: 0)
        var textBox = Box<String?>(value: nil)
        var pair = (UInt8(7), "", Int16(0))
        /// How often the property below was set.
        var settings = 0
        var observed = "" { didSet { settings += 1 } }
        var half = 0
        /// Has no place in memory.
        var whole: Int {
            get { half &* 2 }
            set { half = newValue / 2 }
        }
        /// Not in the table, and of a kind that holds a reference.
        lazy var note = "made when it is asked for, for number \(number)"
        var list = ["not", "in the table"]

        static let attributes: Set<Attribute<Depot>> = [
            .init(\.number, "number", .unique), .init(\.bool, "bool"), .init(\.int16, "int16"),
            .init(\.string, "string"), .init(\.maybeBool, "maybeBool"), .init(\.int64, "int64"),
            .init(\.maybeInt16, "maybeInt16"), .init(\.float, "float"), .init(\.maybeInt64, "maybeInt64"),
            .init(\.int32, "int32"), .init(\.double, "double"), .init(\.maybeFloat, "maybeFloat"),
            .init(\.maybeInt32, "maybeInt32"), .init(\.date, "date"), .init(\.maybeDouble, "maybeDouble"),
            .init(\.maybeInt, "maybeInt"), .init(\.decimal, "decimal"), .init(\.maybeDate, "maybeDate"),
            .init(\.data, "data"), .init(\.maybeDecimal, "maybeDecimal"), .init(\.uuid, "uuid"),
            .init(\.maybeString, "maybeString"), .init(\.maybeUUID, "maybeUUID"), .init(\.url, "url"),
            .init(\.maybeData, "maybeData"), .init(\.maybeURL, "maybeURL"), .init(\.grade, "grade"),
            .init(\.maybeGrade, "maybeGrade"), .init(\.colour, "colour"), .init(\.maybeColour, "maybeColour"),
            .init(\.tags, "tags"), .init(\.maybeTags, "maybeTags"), .init(\.address.street.name, "streetName"),
            .init(\.address.street.number, "streetNumber"), .init(\.box.value, "boxed"),
            .init(\.textBox.value, "boxedText"), .init(\.pair.1, "pairText"), .init(\.pair.2, "pairNumber"),
            .init(\.observed, "observed"), .init(\.whole, "whole"),
        ]

        init() {}

        /// One of a row of values: every third has none where none is allowed, and texts and data are of all lengths.
        init(_ index: Int) {
            let isFull = index % 3 != 2
            func text(_ word: String) -> String { String(repeating: word, count: index % 40) + "\(index)" }
            number = index
            bool = index % 2 == 1
            (int16, int32, int64) = (.max - Int16(index), .min + Int32(index), .min + Int64(index))
            (float, double) = (Float(index) / 3, Double(index) / 7)
            (string, data) = (text("ü"), Data(repeating: UInt8(index & 255), count: index % 100))
            date = Date(timeIntervalSinceReferenceDate: Double(index) + 0.125)
            decimal = Decimal(index) / 8
            uuid = Self.uuid(index)
            url = URL(filePath: "/\(index)")
            (grade, colour) = (index % 2 == 0 ? .low : .high, index % 2 == 0 ? .night : .red)
            tags = Tags(words: [text("t")])
            address.street.name = text("street ")
            (box.value, pair.1, pair.2) = (-index, text("pair "), Int16(index))
            (observed, whole) = (text("seen "), index * 2)
            guard isFull else { return }
            maybeBool = index % 2 == 0
            (maybeInt, maybeInt16, maybeInt32, maybeInt64) = (index, -1, Int32(index), .max)
            (maybeFloat, maybeDouble) = (0.5, -0.25)
            (maybeDate, maybeDecimal) = (date, Decimal(-index))
            (maybeString, maybeData) = (text("long "), Data([UInt8(index & 255)]))
            (maybeUUID, maybeURL) = (Self.uuid(-index), URL(string: "https://example.org/\(index)"))
            (maybeGrade, maybeColour, maybeTags) = (.high, .night, Tags(words: ["a", text("b")]))
            address.street.number = Int16(index)
            textBox.value = text("boxed ")
        }

        private static func uuid(_ index: Int) -> UUID {
            let byte = UInt8(truncatingIfNeeded: index)
            return UUID(uuid: (byte, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, ~byte))
        }

        /// Whether nothing that the table does not name was written over.
        var isSound: Bool {
            var copy = self
            return box.mark == 0xAA && box.end == 0xBB && textBox.mark == 0xAA && textBox.end == 0xBB && pair.0 == 7
                && address.isHome && list == ["not", "in the table"]
                && copy.note == "made when it is asked for, for number \(number)"
        }
    }

    /// The values of an object as its key paths give them, which know nothing of places in memory.
    static func values<T: ManagedObjectConvertible>(_ object: T) throws -> [AttributeValue] {
        try T.mapping.attributes.indices.map { try T.mapping.read($0, of: object) }
    }

    /// Counts the instances alive. The tests of a tally run one after the other.
    final class Token: Sendable {
        private static let count = Locked(0)
        static var alive: Int { count.withLock { $0 } }
        init() { Token.count.withLock { $0 += 1 } }
        deinit { Token.count.withLock { $0 -= 1 } }
    }

    /// A value that holds an object. It can be neither read nor written when its text ends in "bad".
    struct Counted: SupportedAttributeType, Sendable {
        let token = Token()
        var text: String
        init(_ text: String = "fresh") { self.text = text }
        func encodePrimitiveValue() -> String { text }
        func encoded() throws -> String {
            if text.hasSuffix("bad") { throw AttributeError.badInput(text) }
            return text
        }
        static func decode(primitiveValue: String) throws -> Counted {
            if primitiveValue.hasSuffix("bad") { throw AttributeError.badInput(primitiveValue) }
            return Counted(primitiveValue)
        }
    }

    /// What `Parcel`, `Crate` and `Wagon` are read from: it takes what they cannot hold.
    struct Raw: ManagedObjectConvertible, Sendable {
        var number = 0
        var name = ""
        var label = ""
        var weight = 0
        static let entityName = "Goods"
        static let attributes: Set<Attribute<Raw>> = [
            .init(\.number, "number", .unique), .init(\.name, "name"), .init(\.label, "label"),
            .init(\.weight, "weight"),
        ]
    }

    /// Its table covers all of its memory, so that rows are copies of one instance.
    struct Parcel: ManagedObjectConvertible, Sendable {
        var number = 0
        var name = ""
        var label = Counted()
        var weight: Int16 = 0
        static let entityName = "Goods"
        static let attributes: Set<Attribute<Parcel>> = [
            .init(\.number, "number", .unique), .init(\.name, "name"), .init(\.label, "label"),
            .init(\.weight, "weight"),
        ]
        init() {}
        init(_ number: Int, _ label: String) {
            (self.number, self.name, self.label) = (number, "the name of number \(number)", Counted(label))
        }
    }

    /// Holds an object that the table does not name, so that each row needs an instance of its own.
    struct Crate: ManagedObjectConvertible, Sendable {
        var token = Token()
        var number = 0
        var name = ""
        var weight: Int16 = 0
        static let entityName = "Goods"
        static let attributes: Set<Attribute<Crate>> = [
            .init(\.number, "number", .unique), .init(\.name, "name"), .init(\.weight, "weight"),
        ]
    }

    /// A class.
    final class Wagon: ManagedObjectConvertible {
        let token = Token()
        var number = 0
        var name = ""
        var label = Counted()
        var weight: Int16 = 0
        lazy var note = "note"
        static let entityName = "Goods"
        static let attributes: Set<Attribute<Wagon>> = [
            .init(\.number, "number", .unique), .init(\.name, "name"), .init(\.label, "label"),
            .init(\.weight, "weight"),
        ]
    }

    /// Sees the bytes that a transformer made.
    struct Archive: ManagedObjectConvertible, Equatable {
        var flag = false
        var bytes = Data()
        var number: Int16 = 0
        var maybeBytes: Data?
        static let attributes: Set<Attribute<Archive>> = [
            .init(\.number, "number"), .init(\.bytes, "bytes"), .init(\.maybeBytes, "maybeBytes"),
        ]
    }

    /// A class with a lazy property in its table.
    final class Shed: ManagedObjectConvertible {
        var number = 0
        lazy var name = "worked out for \(number)"
        static let attributes: Set<Attribute<Shed>> = [.init(\.number, "number"), .init(\.name, "name")]
    }
}
