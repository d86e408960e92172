import Foundation
import Sworm
import TestSupport
import Testing

@Suite("Groups by computed terms, and limits before and after grouping", .overEachStore)
struct GroupingTests {
    typealias Item = Stock.Item

    @Test func `rows are grouped by a computed term in closure form`() throws {
        try Stock.eachWay { (context) throws in
            let tens = try context.fetch(Item.all.grouped { $0.pieces / 3 }.select { ($0.key, $0.count) })
            #expect(tens.map(\.0) == [0, 1, 2] && tens.map(\.1) == [1, 2, 1])
            let pairs = try context.fetch(
                Item.all.grouped { ($0.maker.name, $0.id.remainder(dividingBy: 2)) }.select {
                    ($0.key.0, $0.key.1, $0.count)
                })
            #expect(pairs.map(\.0) == [nil, "Anna", "Anna", "Bert"])
            #expect(pairs.map(\.1) == [0, 0, 1, 1] && pairs.map(\.2) == [1, 1, 1, 1])
        }
    }

    @Test func `a computed term with a name is grouped by, sorted by and asked for`() throws {
        try Stock.eachWay { (context) throws in
            #expect(try context.count(of: Item.all.where { $0.isOdd == 1 }) == 2)
            let groups = Item.all.grouped(by: \.isOdd).sort(ascending: false) { $0.key }
            let rows = try context.fetch(groups.select { ($0.key, $0.sum(\.pieces)) })
            #expect(rows.map(\.0) == [1, 0] && rows.map(\.1) == [10, 4])
        }
    }

    @Test func `the largest groups come first, up to a limit`() throws {
        try Stock.eachWay { (context) throws in
            let largest = Item.all.grouped(by: \.name).sort(ascending: false) { $0.sum(\.pieces) }
            #expect(try context.fetch(largest.limit(1).select { $0.key }) == ["cup"])
            #expect(try context.fetch(largest.limit(9).limit(2).select { $0.key }) == ["cup", "pot"])
            #expect(try context.fetch(largest.offset(2).select { $0.key }) == ["jug"])
            #expect(try context.fetchOne(largest.offset(1).select { $0.key }) == "pot")
            #expect(try context.fetch(largest.limit(0).select { $0.key }).isEmpty)
        }
    }

    @Test func `a limit before grouping chooses the rows, in their order`() throws {
        try Stock.eachWay { (context) throws in
            let newest = Item.all.sort(\.id, ascending: false).limit(3).grouped(by: \.name)
            let rows = try context.fetch(newest.select { ($0.key, $0.count) })
            #expect(rows.map(\.0) == ["cup", "jug", "pot"] && rows.map(\.1) == [1, 1, 1])
            let rest = Item.all.sort(\.id).offset(1).where { $0.pieces > 1 }.grouped(by: \.name)
            let others = try context.fetch(
                rest.sort(ascending: false) { $0.key }.limit(1).select { ($0.key, $0.count) })
            #expect(others.map(\.0) == ["pot"] && others.map(\.1) == [1])
            let byKey = Item.all.sort(\.id).limit(2).grouped(by: \.maker.name).having { $0.count > 1 }
            #expect(try context.fetch(byKey.select { $0.key }) == ["Anna"])
        }
    }

    @Test func `a limit of groups below zero is an error that names it`() throws {
        try Stock.eachWay { (context) throws in
            let groups = Item.all.grouped(by: \.name)
            for wrong in [groups.limit(-3), groups.offset(-3)] {
                let error = storeError { try context.fetch(wrong.select { $0.key }) }
                #expect(error?.code == .invalidRequest && error?.message.contains("-3") == true)
            }
        }
    }

    @Test func `an aggregate is not a key of groups`() throws {
        try Stock.eachWay { (context) throws in
            let error = storeError {
                try context.fetch(Item.all.grouped { $0.labels.any.text }.select { $0.count })
            }
            #expect(error?.code == .invalidRequest, "\(error as Any)")
        }
    }
}

extension EntityPath<Stock.Item, Stock.Item> {
    fileprivate var isOdd: Term<Stock.Item, Int, Int> { self.id.remainder(dividingBy: 2) }
}
