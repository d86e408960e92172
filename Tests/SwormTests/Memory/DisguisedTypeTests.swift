import Foundation
@testable import Sworm
import SwormPredicates
import SwormTools
import Testing

/// Types that conform to the protocol of the thirteen primitive types, which none but those should do.
@Suite("Types that say to be another one")
struct DisguisedTypeTests {
    /// One byte, which says to be an integer of eight.
    struct Level: PrimitiveAttribute, SupportedAttributeType, Equatable {
        var byte: Int8
        static let primitiveKind = PrimitiveKind.int
        var attributeValue: AttributeValue { .int(Int64(byte)) }
        init(_ byte: Int8) { self.byte = byte }
        init(attributeValue: AttributeValue) throws {
            guard case .int(let number) = attributeValue, let byte = Int8(exactly: number) else {
                throw AttributeError.badInput(attributeValue)
            }
            self.byte = byte
        }
    }

    /// A reference, which says to be a text.
    final class Word: PrimitiveAttribute, SupportedAttributeType, Equatable {
        let text: String
        static let primitiveKind = PrimitiveKind.string
        var attributeValue: AttributeValue { .string(text) }
        init(_ text: String) { self.text = text }
        init(attributeValue: AttributeValue) throws {
            guard case .string(let text) = attributeValue else { throw AttributeError.badInput(attributeValue) }
            self.text = text
        }
        static func == (left: Word, right: Word) -> Bool { left.text == right.text }
    }

    struct Scale: ManagedObjectConvertible, Equatable {
        var number = 0
        var before: UInt8 = 11
        var level = Level(1)
        var between: UInt8 = 22
        var maybeLevel: Level?
        var word = Word("fresh")
        var list = ["not", "in the table"]
        var maybeWord: Word?
        var end: UInt64 = 33
        static let attributes: Set<Attribute<Scale>> = [
            .init(\.number, "number", .unique), .init(\.level, "level"), .init(\.maybeLevel, "maybeLevel"),
            .init(\.word, "word"), .init(\.maybeWord, "maybeWord"),
        ]
    }

    private static let scales = [
        Scale(number: 0), Scale(number: 1, level: .init(.min), maybeLevel: .init(.max), maybeWord: .init("other")),
        Scale(number: 2, level: .init(-1), word: .init("a word that does not fit into sixteen bytes")),
    ]

    @Test func `their memory is left to them`() throws {
        let store = try TestStore(for: Scale.self, in: .file)
        let request = Scale.all.sort(\.number)
        try store.container.perform { context in
            try context.insert(contentsOf: Self.scales)
            try context.upsert(Self.scales, on: \.number)
            for scale in Self.scales { try context.fetchOne(Scale.all.where(\.number == scale.number))?.encode(scale) }
        }
        try store.reopened().perform { context in
            var each: [Scale] = []
            try context.forEach(request) { each.append($0) }
            #expect(each == Self.scales)
            #expect(try context.decode(request) == Self.scales)
            #expect(try context.fetch(request).map { try $0.decode() } == Self.scales)
            #expect(try context.fetch(request, \.word) == Self.scales.map(\.word))
            let rows = try context.fetch(request.select(\.level, \.word, \.maybeLevel, \.number, \.maybeWord))
            #expect(rows.map(\.0) == Self.scales.map(\.level) && rows.map(\.1) == Self.scales.map(\.word))
            #expect(rows.map(\.2) == Self.scales.map(\.maybeLevel) && rows.map(\.3) == [0, 1, 2])
            #expect(rows.map(\.4) == Self.scales.map(\.maybeWord))
        }
        for scale in Self.scales {
            #expect(try Scale.mapping.values(of: scale) == Memory.values(scale))
        }
    }
}
