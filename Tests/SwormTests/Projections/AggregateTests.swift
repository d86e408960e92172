import Foundation
import Sworm
import TestSupport
import Testing

@Suite("Values of all rows, and of groups", .overEachStore)
struct AggregateTests {
    typealias Item = Stock.Item

    struct Pair: Equatable, Sendable {
        var name: String
        var pieces: Int16
        var count: Int
    }

    @Test func `the extremes, the sum, the average and the count have the column's type`() throws {
        try Stock.eachWay { (context) throws in
            let (least, most): (Int16?, Int16?) = (
                try context.min(of: Item.all, \.pieces), try context.max(of: Item.all, \.pieces)
            )
            #expect(least == 1 && most == 7)
            #expect(try context.max(of: Item.all, \.bought) == Stock.day(9))
            #expect(try context.min(of: Item.all, \.name) == "cup")
            #expect(try context.max(of: Item.all, \.price) == 4)
            #expect(try context.max(of: Item.all, \.grade) == .poor)
            #expect(try context.max(of: Item.all, \.labels.count) == 2)
            let (pieces, total): (Int16, Int) = (
                try context.sum(of: Item.all, \.pieces), try context.sum(of: Item.all, \.total)
            )
            #expect(pieces == 14 && total == 60)
            #expect(try context.sum(of: Item.all, \.weight) == 4)
            #expect(try context.sum(of: Item.all, \.price) == Decimal(string: "8.5"))
            #expect(try context.average(of: Item.all, \.total) == 20)
            #expect(try context.count(of: Item.all, \.total) == 3)
            #expect(try context.count(of: Item.all, \.maker.name) == 3)
        }
    }

    @Test func `conditions and limits count`() throws {
        try Stock.eachWay { (context) throws in
            #expect(try context.sum(of: Item.all.where { $0.maker.name == "Anna" }, \.pieces) == 4)
            #expect(try context.sum(of: Item.all.sort(\.pieces, ascending: false).limit(2), \.pieces) == 10)
            #expect(try context.max(of: Item.all.sort(\.pieces).offset(1).limit(2).where { $0.id > 0 }, \.pieces) == 3)
        }
    }

    @Test func `without rows the sum is zero, and minimum, maximum and average are nil`() throws {
        try Stock.eachWay { (context) throws in
            let none = Item.all.where { $0.id > 99 }
            #expect(try context.min(of: none, \.pieces) == nil)
            #expect(try context.max(of: none, \.bought) == nil)
            #expect(try context.average(of: none, \.weight) == nil)
            #expect(try context.sum(of: none, \.weight) == 0)
            #expect(try context.sum(of: none, \.total) == 0)
            #expect(try context.sum(of: none, \.price) == 0)
            #expect(try context.count(of: none, \.name) == 0)
            #expect(try context.fetch(none.grouped(by: \.name).select { $0.count }).isEmpty)
        }
    }

    @Test func `a sum that its type cannot hold is an error`() throws {
        try Stock.eachWay { (context) throws in
            try context.fetchOne(Item.all.where { $0.id == 1 })?.encode(\.total, .max).encode(\.pieces, .max)
            #expect(storeError { try context.sum(of: Item.all, \.total) }?.code == .overflow)
            #expect(storeError { try context.sum(of: Item.all, \.pieces) }?.code == .overflow)
            #expect(try context.max(of: Item.all, \.total) == .max)
            try context.fetchOne(Item.all.where { $0.id == 3 })?.encode(\.total, .min + 1)
            // The parts may be beyond the type, as long as the whole is not.
            #expect(try context.sum(of: Item.all, \.total) == 20)
        }
        let store = try PersistentContainer(for: Item.self, at: .tested)
        try store.perform { for id in 1...2 { try $0.insert(Item(id: id, pieces: .max, total: .max)) } }
        let sum = storeError { try store.perform { try $0.sum(of: Item.all, \.total) } }
        #expect(sum?.code == .overflow && sum?.message.contains("total") ?? false)
        #expect(storeError { try store.perform { try $0.sum(of: Item.all, \.pieces) } }?.code == .overflow)
    }

    @Test func `a sum of both infinities is an error that says so, and their average is missing`() throws {
        try Stock.eachWay { (context) throws in
            try context.fetchOne(Item.all.where { $0.id == 1 })?.encode(\.weight, .infinity)
            #expect(try context.sum(of: Item.all, \.weight) == .infinity)
            try context.fetchOne(Item.all.where { $0.id == 2 })?.encode(\.weight, -.infinity)
            let failures = [
                storeError { try context.sum(of: Item.all, \.weight) },
                storeError { try context.fetch(Item.all.grouped(by: \.maker.name).select { $0.sum(\.weight) }) },
                storeError { try context.fetch(Stock.Maker.all.select { $0.items.sum(\.weight) }) },
            ]
            for failure in failures {
                #expect(failure?.code == .overflow, "\(String(describing: failure))")
                #expect(failure?.message.contains("weight") ?? false)
                #expect(failure?.message.contains("infinity and minus infinity") ?? false)
            }
            #expect(try context.average(of: Item.all, \.weight) == nil)
            #expect(try context.sum(of: Item.all.where { $0.id != 2 }, \.weight) == .infinity)
        }
    }

    @Test func `groups have their key and the aggregates of their rows`() throws {
        try Stock.eachWay { (context) throws in
            let groups = try context.fetch(
                Item.all.grouped(by: \.maker.name).select { ($0.key, $0.count, $0.max(\.total), $0.sum(\.pieces)) })
            #expect(groups.map(\.0) == [nil, "Anna", "Bert"])
            #expect(groups.map(\.1) == [1, 2, 1])
            #expect(groups.map(\.2) == [20, 10, 30])
            #expect(groups.map(\.3) == [3, 4, 7])
        }
    }

    @Test func `groups can be chosen, sorted and cut`() throws {
        try Stock.eachWay { (context) throws in
            let byName = Item.all.grouped(by: \.name)
            #expect(try context.fetch(byName.having { $0.count > 1 }.select { $0.key }) == ["cup"])
            #expect(try context.fetch(byName.having { $0.count == 1 && $0.key > "k" }.select { $0.key }) == ["pot"])
            #expect(
                try context.fetch(byName.having { $0.count == 1 }.having { $0.max(\.weight) < 2 }.select { $0.key })
                    == ["jug"])
            #expect(
                try context.fetch(byName.sort(ascending: false) { $0.sum(\.pieces) }.select { $0.key }) == [
                    "cup", "pot", "jug",
                ])
            #expect(try context.fetch(byName.limit(1).offset(1).select { $0.key }) == ["jug"])
            #expect(
                try context.fetch(Item.all.sort(\.name, ascending: false).grouped(by: \.name).select { $0.key }) == [
                    "pot", "jug", "cup",
                ])
            #expect(try context.fetch(byName.select { $0.count }.distinct()) == [1, 2])
        }
    }

    @Test func `several keys are a tuple`() throws {
        try Stock.eachWay { (context) throws in
            let grouping = Item.all.grouped(by: \.pieces, \.isNew)
            let rows = try context.fetch(grouping.select { ($0.key.0, $0.key.1, $0.count) })
            #expect(rows.map(\.0) == [1, 3, 7])
            #expect(rows.map(\.1) == [false, false, true])
            #expect(rows.map(\.2) == [1, 2, 1])
            let pairs = Item.all.grouped(by: \.name, \.pieces)
            let projection = pairs.select { ($0.key.0, $0.key.1, $0.count) }
            let found = try context.fetch(projection.map { Pair(name: $0, pieces: $1, count: $2) })
            #expect(found.first == Pair(name: "cup", pieces: 3, count: 1) && found.count == 4)
        }
    }

    @Test func `a group cannot be sorted by a column that differs between its rows`() throws {
        try Stock.eachWay { (context) throws in
            let error = storeError { try context.fetch(Item.all.sort(\.id).grouped(by: \.name).select { $0.key }) }
            #expect(error?.code == .invalidRequest && error?.message.contains("id") ?? false)
        }
    }
}
