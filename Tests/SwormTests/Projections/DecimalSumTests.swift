import Foundation
import Sworm
import TestSupport
import Testing

@Suite("Sums of decimals", .overEachStore)
struct DecimalSumTests {
    typealias Item = Stock.Item

    /// Items of a maker, in a store or not saved yet.
    private func eachWay(_ prices: [String?], _ body: (ManagedObjectContext) throws -> Void) throws {
        for isSaved in [true, false] {
            let store = try PersistentContainer(for: Item.self, at: .tested)
            func fill(_ context: ManagedObjectContext) throws {
                let maker = try context.insert(Stock.Maker(name: "Anna"))
                for (index, price) in prices.enumerated() {
                    var item = Item(id: index, name: "item")
                    item.price = price.flatMap { Decimal(string: $0) }
                    try context.insert(item).maker = maker
                }
            }
            if isSaved { try store.perform { try fill($0) } }
            try store.perform { context in
                if !isSaved { try fill(context) }
                try body(context)
            }
        }
    }

    @Test(arguments: [
        (["0.1", "0.2"], "0.3"), (["0.1", nil, "0.2", "0.4"], "0.7"),
        (["12345678901234567890.12", "0.01"], "12345678901234567890.13"),
        (["1000000000000000000", "0.000000000000000001"], "1000000000000000000.000000000000000001"),
        ([nil], "0"), ([], "0"), (["3", "4"], "7"), (["-0.1", "0.1"], "0"),
    ])
    func `keep all digits, of all rows, of groups and of members`(prices: [String?], sum: String) throws {
        let expected = try #require(Decimal(string: sum))
        try eachWay(prices) { context in
            let whole: Decimal = try context.sum(of: Item.all, \.price)
            #expect(whole == expected)
            let groups = try context.fetch(Item.all.grouped(by: \.name).select { ($0.key, $0.sum(\.price)) })
            #expect(groups.map(\.1) == (prices.isEmpty ? [] : [expected]))
            let members = try context.fetch(Stock.Maker.all.select { $0.items.sum(\.price) })
            #expect(members == [expected])
            let numbers = prices.compactMap { $0.flatMap { Decimal(string: $0) } }
            let (least, most) = (try context.min(of: Item.all, \.price), try context.max(of: Item.all, \.price))
            #expect(least == numbers.min() && most == numbers.max())
            let extremes = try context.fetch(Stock.Maker.all.select { ($0.items.min(\.price), $0.items.max(\.price)) })
            #expect(extremes.map(\.0) == [numbers.min()] && extremes.map(\.1) == [numbers.max()])
        }
    }

    @Test func `groups are chosen and sorted by their sums`() throws {
        try eachWay(["0.1", "0.2", "12345678901234567890.12"]) { (context) throws in
            let groups = Item.all.grouped(by: \.id)
            let small = groups.having { $0.sum(\.price) < 1 }.sort(ascending: false) { $0.sum(\.price) }
            #expect(try context.fetch(small.select { $0.key }) == [1, 0])
            let largest = groups.sort(ascending: false) { $0.max(\.price) }.limit(1)
            #expect(try context.fetch(largest.select { $0.key }) == [2])
        }
    }
}
