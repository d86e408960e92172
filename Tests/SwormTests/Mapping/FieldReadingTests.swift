import Foundation
@testable import Sworm
import SwormPredicates
import Testing

@Suite("Reading properties by their offsets")
struct FieldReadingTests {
    @Test func `values of a struct are those that its key paths give`() throws {
        var value = Everything()
        let plan = Everything.mapping
        for _ in 0..<3 {
            let values = try plan.values(of: value)
            #expect(values.count == plan.attributes.count)
            for index in values.indices {
                #expect(try plan.read(index, of: value) == values[index], "\(plan.attributes[index].name)")
            }
            value = Everything()
            value.optionalBool = false
            value.optionalInt = nil
            value.optionalData = Data(repeating: 7, count: 100)
            value.place.number = nil
            value.string = String(repeating: "long ", count: 20)
            value.optionalLevel = .low
        }
    }

    @Test func `optionals of every kind are read, with and without a value`() throws {
        let plan = Optionals.mapping
        #expect(try plan.values(of: Optionals()).allSatisfy { $0 == .null })
        let full = Optionals(
            bool: true, int: -1, int16: -2, int32: -3, int64: -4, float: 0.5, double: 0.25, decimal: 3,
            date: Date(timeIntervalSinceReferenceDate: 9), string: String(repeating: "x", count: 40),
            data: Data([1, 2]), uuid: UUID(), url: URL(filePath: "/a"))
        let values = try plan.values(of: full)
        for index in values.indices {
            #expect(values[index] != .null)
            #expect(try plan.read(index, of: full) == values[index], "\(plan.attributes[index].name)")
        }
    }

    @Test func `properties without an offset of their own are read through their key paths`() throws {
        let object = Counted()
        object.first = "a"
        object.second = 5
        #expect(try Counted.mapping.values(of: object) == [.string("a"), .int(5)])
        var computed = Computed()
        computed.half = 4
        #expect(try Computed.mapping.values(of: computed) == [.int(4), .int(8)])
    }

    @Test func `a read that fails half way leaks nothing`() throws {
        let before = Counted.Payload.alive.withLock { $0 }
        do {
            let value = Failing()
            for _ in 0..<50 {
                #expect(throws: AttributeError.self) { try Failing.mapping.values(of: value) }
            }
        }
        #expect(Counted.Payload.alive.withLock { $0 } == before)
    }

    @Test func `a struct and its first property are distinguished`() throws {
        let plan = Nested.mapping
        #expect(plan.attributes[try plan.index(of: \.pair.first)].name == "first")
        #expect(plan.attributes[try plan.index(of: \.pair.second)].name == "second")
        #expect(plan.attributes[try plan.index(of: \.last)].name == "last")
        #expect(throws: StoreError.self) { try plan.index(of: \.pair) }
        #expect(throws: StoreError.self) { try plan.index(of: \.self) }
        #expect(throws: StoreError.self) { try plan.index(of: \.pair.first.count) }
        let path = (\Nested.pair).appending(path: \.second)
        #expect(plan.attributes[try plan.index(of: path)].name == "second")
    }
}

private struct Optionals: ManagedObjectConvertible {
    var bool: Bool?
    var int: Int?
    var int16: Int16?
    var int32: Int32?
    var int64: Int64?
    var float: Float?
    var double: Double?
    var decimal: Decimal?
    var date: Date?
    var string: String?
    var data: Data?
    var uuid: UUID?
    var url: URL?

    static let attributes: Set<Attribute<Optionals>> = [
        .init(\.bool, "bool"), .init(\.int, "int"), .init(\.int16, "int16"), .init(\.int32, "int32"),
        .init(\.int64, "int64"), .init(\.float, "float"), .init(\.double, "double"), .init(\.decimal, "decimal"),
        .init(\.date, "date"), .init(\.string, "string"), .init(\.data, "data"), .init(\.uuid, "uuid"),
        .init(\.url, "url"),
    ]
}

private final class Counted: ManagedObjectConvertible {
    /// Counts the payloads that live.
    final class Payload: Sendable {
        static let alive = Locked(0)
        init() { Payload.alive.withLock { $0 += 1 } }
        deinit { Payload.alive.withLock { $0 -= 1 } }
    }

    var first = ""
    var second = 0
    init() {}

    static let attributes: Set<Attribute<Counted>> = [.init(\.first, "first"), .init(\.second, "second")]
}

private struct Computed: ManagedObjectConvertible {
    var whole = 0
    var half: Int {
        get { whole / 2 }
        set { whole = newValue * 2 }
    }

    static let attributes: Set<Attribute<Computed>> = [.init(\.half, "half"), .init(\.whole, "whole")]
}

/// Its text is kept in an object that counts itself, so that a leak of the text's value would show.
private struct Failing: ManagedObjectConvertible {
    struct Never: SupportedAttributeType {
        var payload = Counted.Payload()
        func encodePrimitiveValue() -> String { "" }
        func encoded() throws -> String { throw AttributeError.badInput(nil) }
        static func decode(primitiveValue: String) throws -> Never { Never() }
    }

    var a = String(repeating: "text ", count: 10)
    var b = Data(repeating: 1, count: 64)
    var z = Never()

    static let attributes: Set<Attribute<Failing>> = [.init(\.a, "a"), .init(\.b, "b"), .init(\.z, "z")]
}

private struct Nested: ManagedObjectConvertible {
    struct Pair {
        var first = ""
        var second = ""
    }

    var pair = Pair()
    var last = 0

    static let attributes: Set<Attribute<Nested>> = [
        .init(\.pair.first, "first"), .init(\.pair.second, "second"), .init(\.last, "last"),
    ]
}
