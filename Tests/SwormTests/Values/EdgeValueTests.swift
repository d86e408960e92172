import Foundation
import Sworm
import TestSupport
import Testing

@Suite("Values at their edges", .over(.file, .server))
struct EdgeValueTests {
    @Test func `truth values`() throws { try check(Bool.self) }
    @Test func `integers of 64 bits`() throws {
        try check(Int.self)
        try check(Int64.self)
    }
    @Test func `integers of 32 and 16 bits`() throws {
        try check(Int32.self)
        try check(Int16.self)
    }
    @Test func `floating-point numbers, to the last bit`() throws {
        try check(Double.self)
        try check(Float.self)
    }
    // A server rounds moments to the microsecond, and stores no strings with the character NUL.
    @Test(.over(.file)) func `moments, to the last bit`() throws { try check(Date.self) }
    @Test func `decimals of 38 digits and any exponent`() throws { try check(Decimal.self) }
    @Test(.over(.file)) func `strings, to the last byte`() throws { try check(String.self) }
    @Test func `bytes`() throws { try check(Data.self) }
    @Test func `identifiers`() throws { try check(UUID.self) }
    @Test func `addresses`() throws { try check(URL.self) }

    /// Every edge is saved, read before and after by every way there is, and compared.
    private func check<V: EdgeValue>(_ type: V.Type) throws {
        let location = StoreLocation.tested
        let edges = V.edges
        try #require(edges.count > 1)
        let holders = edges.enumerated().map { number, value in
            Holder(number: number, value: value, maybe: number % 3 == 2 ? nil : value)
        }
        do {
            let store = try PersistentContainer(for: Holder<V>.self, at: location)
            try store.perform { context in
                for holder in holders { try context.insert(holder) }
                try compare(holders, in: context, "unsaved")
            }
        }
        let store = try PersistentContainer(for: Holder<V>.self, at: location)
        try store.perform { try compare(holders, in: $0, "saved") }
        // Overwritten, each attribute with another value.
        let rotated = holders.map { holder in
            Holder(
                number: holder.number, value: edges[(holder.number + 1) % edges.count],
                maybe: holder.maybe == nil ? edges[holder.number] : nil)
        }
        try store.perform { context in
            for object in try context.fetch(Holder<V>.all.sort(\.number)) {
                try object.encode(rotated[object.decode(\.number)])
            }
        }
        let again = try PersistentContainer(for: Holder<V>.self, at: location)
        try again.perform { try compare(rotated, in: $0, "updated") }
    }

    private func compare<V: EdgeValue>(_ holders: [Holder<V>], in context: ManagedObjectContext, _ moment: String)
        throws
    {
        let request = Holder<V>.all.sort(\.number)
        let decoded = try context.decode(request)
        let objects = try context.fetch(request)
        let column = try context.fetch(request, \.value)
        let optionals = try context.fetch(request, \.maybe)
        var each: [Holder<V>] = []
        try context.forEach(request) { each.append($0) }
        let counts = [decoded.count, objects.count, column.count, optionals.count, each.count]
        try #require(counts == Array(repeating: holders.count, count: 5))
        func same(_ left: V?, _ right: V?) -> Bool {
            guard let left, let right else { return left == nil && right == nil }
            return V.same(left, right)
        }
        for (index, holder) in holders.enumerated() {
            let whole = try objects[index].decode()
            let ways: [(String, V, V?)] = [
                ("decode", decoded[index].value, decoded[index].maybe), ("object", whole.value, whole.maybe),
                ("key path", try objects[index].decode(\.value), try objects[index].decode(\.maybe)),
                ("column", column[index], optionals[index]), ("forEach", each[index].value, each[index].maybe),
            ]
            for (way, value, maybe) in ways {
                #expect(V.same(value, holder.value), "\(moment), \(way), \(index)")
                #expect(same(maybe, holder.maybe), "\(moment), \(way), \(index), optional")
            }
        }
    }
}
