import Foundation
@testable import Sworm
import SwormPredicates
import SwormTools
import TestSupport
import Testing

@Suite("Properties in raw memory", .overEachStore)
struct RawMemoryTests {
    private typealias Depot = Memory.Depot

    private static let byNumber = Depot.all.sort(\.number)

    /// How values come into a store.
    enum Way: CaseIterable, Sendable { case insert, array, sequence, upsert, encode, column }

    private func write(_ depots: [Depot], _ way: Way, _ context: ManagedObjectContext) throws {
        switch way {
        case .insert: for depot in depots { try context.insert(depot) }
        case .array: try context.insert(contentsOf: depots)
        case .sequence: try context.insert(contentsOf: AnySequence(depots.lazy.map { $0 }))
        case .upsert:
            // Over other values with the same unique number.
            try context.insert(contentsOf: depots.map { Depot.other(than: $0) })
            let result = try context.upsert(depots, on: \.number)
            #expect(result.updated == depots.count)
        case .encode: for depot in depots { try context.insert(Depot.other(than: depot)).encode(depot) }
        case .column:
            for depot in depots {
                let object = try context.insert(depot)
                try object.encode(\.textBox.value, nil).encode(\.pair.1, "").encode(\.maybeUUID, UUID())
                try object.encode(\.textBox.value, depot.textBox.value).encode(\.pair.1, depot.pair.1)
                try object.encode(\.maybeUUID, depot.maybeUUID)
            }
        }
    }

    @Test(arguments: Way.allCases)
    func `every form of a property is written and read as its key path has it`(way: Way) throws {
        // More than the rows that one array is made for at first, and than one part of a batch.
        let depots = (0..<600).map { Depot($0) }
        let expected = try depots.map { try Memory.values($0) }
        let store = try TestStore(for: Depot.self, in: .file)
        try store.container.perform { context in try write(depots, way, context) }
        let reopened = try store.reopened()
        for container in [store.container, reopened] {
            try container.perform { context in
                var each: [Depot] = []
                try context.forEach(Self.byNumber) { each.append($0) }
                for found in [
                    try context.decode(Self.byNumber), each, try context.fetch(Self.byNumber).map { try $0.decode() },
                    try context.decodeOne(Self.byNumber.offset(599)).map { depots.dropLast() + [$0] } ?? [],
                ] {
                    #expect(try found.map { try Memory.values($0) } == expected)
                    #expect(found.allSatisfy { $0.isSound })
                }
                // The observer has run once for each row, and not for the row before.
                #expect(each.allSatisfy { $0.settings == 1 })
            }
        }
        try store.verify()
    }

    @Test func `a value is read by offsets as by its key paths`() throws {
        for depot in (0..<50).map({ Depot($0) }) {
            let expected = try Memory.values(depot)
            #expect(try Depot.mapping.values(of: depot) == expected)
            #expect(try expected.indices.map { try Depot.mapping.value($0, of: depot) } == expected)
            #expect(depot.isSound)
        }
    }

    @Test func `only stored properties of a struct have an offset`() throws {
        func offset<T: ManagedObjectConvertible>(_ type: T.Type, _ name: String) throws -> Int? {
            try T.mapping.attributes[#require(T.mapping.index(named: name))].directOffset
        }
        for name in ["observed", "whole", "grade", "maybeColour", "tags"] {
            #expect(try offset(Depot.self, name) == nil, "\(name)")
        }
        for name in ["streetName", "streetNumber", "boxed", "boxedText", "pairText", "pairNumber", "maybeUUID"] {
            #expect(try offset(Depot.self, name) != nil, "\(name)")
        }
        for name in ["number", "name"] { #expect(try offset(Memory.Shed.self, name) == nil) }
        // A lazy property and a list are not covered by the table.
        #expect(!Depot.mapping.sharesTemplate)
    }

    @Test func `columns come side by side in a tuple, whatever their sizes`() throws {
        let depots = (0..<300).map { Depot($0) }
        let store = try TestStore(for: Depot.self) { try $0.insert(contentsOf: depots) }
        let first = try store.container.perform { context in
            try context.fetch(
                Self.byNumber.select(
                    \.bool, \.maybeInt16, \.string, \.maybeBool, \.decimal, \.int16, \.maybeData, \.uuid, \.float,
                    \.maybeURL, \.maybeGrade, \.tags, \.maybeDate))
        }
        let second = try store.container.perform { context in
            try context.fetch(
                Self.byNumber.select(
                    \.maybeUUID, \.int32, \.maybeDecimal, \.colour, \.url, \.maybeFloat, \.data, \.maybeInt64,
                    \.double, \.maybeString, \.date, \.maybeInt32, \.int64, \.maybeDouble, \.maybeInt))
        }
        try #require(first.count == 300 && second.count == 300)
        for (depot, row) in zip(depots, first) {
            #expect(row.0 == depot.bool && row.1 == depot.maybeInt16 && row.2 == depot.string)
            #expect(row.3 == depot.maybeBool && row.4 == depot.decimal && row.5 == depot.int16)
            #expect(row.6 == depot.maybeData && row.7 == depot.uuid && row.8 == depot.float)
            #expect(row.9 == depot.maybeURL && row.10 == depot.maybeGrade && row.11 == depot.tags)
            #expect(row.12 == depot.maybeDate)
        }
        for (depot, row) in zip(depots, second) {
            #expect(row.0 == depot.maybeUUID && row.1 == depot.int32 && row.2 == depot.maybeDecimal)
            #expect(row.3 == depot.colour && row.4 == depot.url && row.5 == depot.maybeFloat)
            #expect(row.6 == depot.data && row.7 == depot.maybeInt64 && row.8 == depot.double)
            #expect(row.9 == depot.maybeString && row.10 == depot.date && row.11 == depot.maybeInt32)
            #expect(row.12 == depot.int64 && row.13 == depot.maybeDouble && row.14 == depot.maybeInt)
        }
    }

    @Test func `a value kept from a stream stays as it was`() throws {
        let depots = (0..<300).map { Depot($0) }
        let store = try TestStore(for: Depot.self) { try $0.insert(contentsOf: depots) }
        try store.container.perform { context in
            var first: Depot?
            var all: [Depot] = []
            try context.forEach(Self.byNumber) { depot in
                if first == nil { first = depot }
                var changed = depot
                changed.string += "changed"
                changed.data.append(1)
                changed.list.append("changed")
                #expect(depot.isSound)
                all.append(depot)
            }
            #expect(try Memory.values(try #require(first)) == Memory.values(depots[0]))
            #expect(try all.map { try Memory.values($0) } == depots.map { try Memory.values($0) })
        }
    }

    #if !canImport(CoreData)
    @Test func `of a transformable attribute the bytes are written and read`() throws {
        let model = try ModelFixture.model(
            """
            <entity name="Archive" representedClassName="Archive" syncable="YES">
                <attribute name="number" attributeType="Integer 16" defaultValueString="0" usesScalarValueType="YES"/>
                <attribute name="bytes" attributeType="Transformable"/>
                <attribute name="maybeBytes" optional="YES" attributeType="Transformable"/>
            </entity>
            """)
        let store = try PersistentContainer(model: model, checking: Memory.Archive.self, at: .tested)
        let archives = (0..<300).map { index in
            Memory.Archive(
                bytes: Data(repeating: UInt8(index & 255), count: index), number: Int16(index),
                maybeBytes: index % 3 == 0 ? nil : Data(repeating: 1, count: index % 50))
        }
        try store.perform { try $0.insert(contentsOf: archives) }
        try store.perform { context in
            let request = Memory.Archive.all.sort(\.number)
            var each: [Memory.Archive] = []
            try context.forEach(request) { each.append($0) }
            #expect(each == archives)
            #expect(try context.decode(request) == archives)
            #expect(try context.fetch(request).map { try $0.decode() } == archives)
            let rows = try context.fetch(request.select(\.maybeBytes, \.number, \.bytes))
            #expect(rows.map(\.0) == archives.map(\.maybeBytes) && rows.map(\.2) == archives.map(\.bytes))
        }
    }
    #endif

    @Test func `a lazy property of a class is read when it is written`() throws {
        let store = try TestStore(for: Memory.Shed.self, in: .file)
        let sheds = (0..<3).map { index in
            let shed = Memory.Shed()
            shed.number = index
            return shed
        }
        try store.container.perform { try $0.insert(contentsOf: sheds) }
        let found = try store.reopened().perform { try $0.decode(Memory.Shed.all.sort(\.number)) }
        #expect(found.map(\.name) == ["worked out for 0", "worked out for 1", "worked out for 2"])
        #expect(Set(found.map { ObjectIdentifier($0) }).count == 3)
    }

    #if !canImport(CoreData)
    @Test(.over(.memory, .file)) func `statements that are reported with their values show the memory of their rows`()
        throws
    {
        let reported = Locked<[String]>([])
        let store = try PersistentContainer(
            for: Depot.self, at: .tested,
            trace: { statement in
                guard let text = statement.sqlWithValues, text.hasPrefix("INSERT INTO ZDEPOT") else { return }
                reported.withLock { $0.append(text) }
            }, tracesValues: true)
        let depots = (0..<300).map { Depot($0) }
        try store.perform { context in
            try context.insert(contentsOf: depots)
            try context.upsert(depots.map { Depot.other(than: $0) }, on: \.number)
        }
        let texts = reported.withLock { $0 }
        try #require(texts.count == 600)
        for (depot, text) in zip(depots, texts) {
            let bytes = withUnsafeBytes(of: depot.uuid.uuid) { $0.map { String(format: "%02x", $0) }.joined() }
            #expect(text.contains("x'\(bytes)'") && text.contains("'\(depot.string)'"))
        }
    }
    #endif
}

extension Memory.Depot {
    /// Another value with the same unique number, and with a value where the first has none.
    fileprivate static func other(than depot: Self) -> Self {
        var other = Self(depot.number + (depot.number % 3 == 2 ? 1 : 2))
        other.number = depot.number
        return other
    }
}
