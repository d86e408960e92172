import Foundation
import Sworm
import TestSupport
import Testing

@Suite("Projections", .overEachStore)
struct ProjectionTests {
    typealias Item = Stock.Item

    struct Line: Equatable, Sendable {
        var name: String
        var maker: String?
        var labels: Int
    }

    private static let byID = Item.all.sort(\.id)

    @Test func `attributes, values through relations, and counts are returned as tuples`() throws {
        try Stock.eachWay { (context) throws in
            let rows = try context.fetch(Self.byID.select(\.name, \.maker.name, \.labels.count))
            let typed: [(String, String?, Int)] = rows
            #expect(typed.map(\.0) == ["cup", "jug", "cup", "pot"])
            #expect(typed.map(\.1) == ["Anna", "Anna", "Bert", nil])
            #expect(typed.map(\.2) == [2, 1, 0, 0])
        }
    }

    @Test func `rows become values of an own type`() throws {
        try Stock.eachWay { (context) throws in
            let lines = try context.fetch(
                Self.byID.limit(2).select(\.name, \.maker.name, \.labels.count, as: Line.init))
            #expect(
                lines == [Line(name: "cup", maker: "Anna", labels: 2), Line(name: "jug", maker: "Anna", labels: 1)])
            let texts = try context.fetch(Self.byID.select(\.id, \.maker.town) { "\($0) \($1 ?? "-")" })
            #expect(texts == ["1 Ulm", "2 Ulm", "3 -", "4 -"])
        }
    }

    @Test func `one column gives its values`() throws {
        try Stock.eachWay { (context) throws in
            #expect(try context.fetch(Self.byID.select(\.total)) == [10, nil, 30, 20])
            #expect(try context.fetchOne(Self.byID.offset(1).select(\.name)) == "jug")
            #expect(try context.fetchOne(Item.all.where { $0.id == 99 }.select(\.name)) == nil)
            #expect(try context.fetch(Item.all.where { $0.id > 99 }.select(\.name, \.id)).isEmpty)
        }
    }

    @Test func `every type of value comes as its own`() throws {
        try Stock.eachWay { (context) throws in
            let rows = try context.fetch(
                Self.byID.select(\.pieces, \.weight, \.price, \.bought, \.grade, \.other, \.isNew, \.photo))
            let third = rows[2]
            #expect(third.0 == Int16(7) && third.1 == nil && third.2 == nil && third.3 == Stock.day(9))
            #expect(third.4 == .good && third.5 == .poor && third.6 && third.7 == Stock.photo)
            #expect(rows.map(\.4) == [.good, .poor, .good, .good] && rows.map(\.5) == [nil, nil, .poor, nil])
            #expect(rows.map(\.2) == [2, Decimal(string: "2.5"), nil, 4])
        }
    }

    @Test func `the closure form calculates`() throws {
        try Stock.eachWay { (context) throws in
            let rows = try context.fetch(
                Self.byID.select { ($0.id * 10, $0.total + 1, $0.labels.filter { $0.text == "red" }.count) })
            #expect(
                rows.map(\.0) == [10, 20, 30, 40] && rows.map(\.1) == [11, nil, 31, 21]
                    && rows.map(\.2) == [1, 1, 0, 0])
            let makers = Stock.Maker.all.sort(\.name).select {
                ($0.name, $0.items.max(\.pieces), $0.items.sum(\.total))
            }
            let found = try context.fetch(makers)
            #expect(found.map(\.0) == ["Anna", "Bert"] && found.map(\.1) == [3, 7] && found.map(\.2) == [10, 30])
        }
    }

    @Test func `distinct rows come once, in the order of their columns`() throws {
        try Stock.eachWay { (context) throws in
            #expect(try context.fetch(Item.all.select(\.name).distinct()) == ["cup", "jug", "pot"])
            #expect(
                try context.fetch(Item.all.sort(\.name, ascending: false).limit(2).offset(1).select(\.name).distinct())
                    == ["jug", "cup"])
            #expect(try context.fetch(Item.all.select(\.maker.name).distinct()) == [nil, "Anna", "Bert"])
            let pairs = try context.fetch(Item.all.select(\.pieces, \.grade).distinct())
            #expect(pairs.map(\.0) == [1, 3, 7])
            let error = storeError { try context.fetch(Item.all.sort(\.id).select(\.name).distinct()) }
            #expect(error?.code == .invalidRequest && error?.message.contains("id") ?? false)
        }
    }

    @Test func `unsaved changes of every kind are in the rows`() throws {
        let store = try PersistentContainer(for: Item.self, at: .tested)
        try store.perform { try Stock.fill($0) }
        try store.perform { context in
            // A related object alone is changed.
            try context.fetchOne(Stock.Maker.all.where { $0.name == "Anna" })?.encode(\.name, "Zoe")
            #expect(try context.fetch(Self.byID.select(\.maker.name)) == ["Zoe", "Zoe", "Bert", nil])
            #expect(try context.max(of: Item.all, \.maker.name) == "Zoe")
            try context.fetchOne(Item.all.where { $0.id == 1 })?.encode(\.pieces, 30)
            try context.delete(Item.all.where { $0.id == 2 })
            try context.insert(Item(id: 5, name: "cup", pieces: 2))
            #expect(try context.fetch(Self.byID.select(\.pieces)) == [30, 7, 3, 2])
            #expect(try context.sum(of: Item.all, \.pieces) == 42)
            let groups = try context.fetch(Item.all.grouped(by: \.name).select { ($0.key, $0.count) })
            #expect(groups.map(\.0) == ["cup", "pot"] && groups.map(\.1) == [3, 1])
            try context.delete(Stock.Label.all.where { $0.text == "red" })
            #expect(try context.fetch(Self.byID.select(\.labels.count)) == [1, 0, 0, 0])
        }
    }

    @Test func `a projection may leave its thread and be checked beforehand`() async throws {
        let store = try PersistentContainer(for: Item.self, at: .tested)
        let projection = Self.byID.select(\.name, \.total)
        try projection.validate()
        try store.perform { try Stock.fill($0) }
        let names = try await store.schedule { try $0.fetch(projection).map(\.0) }
        #expect(names == ["cup", "jug", "cup", "pot"])
    }

    @Test func `expressions without a single value cannot be selected`() throws {
        try Stock.eachWay { (context) throws in
            let error = storeError { try context.fetch(Item.all.select { $0.labels.any.text }) }
            #expect(error?.code == .invalidRequest && error?.message.contains("any") ?? false)
            #expect(storeError { try Item.all.limit(-1).select(\.name).validate() }?.code == .invalidRequest)
            let mixed = storeError { try context.fetch(Item.all.grouped(by: \.name).select { _ in Item.outside }) }
            #expect(mixed?.code == .invalidRequest && mixed?.message.contains("pieces") ?? false)
        }
    }

    @Test func `a value that its type cannot hold is an error that names it`() throws {
        try Stock.eachWay { (context) throws in
            try context.fetchOne(Item.all.where { $0.id == 1 })?.encode(\.total, .max)
            let error = storeError { try context.fetch(Item.all.select { $0.total * 2 }) }
            #expect(error?.code == .overflow && error?.message.contains("total") ?? false)
        }
    }
}

extension Stock.Item {
    /// A term of rows, smuggled into where groups are selected.
    fileprivate static var outside: Term<Stock.Item, Int16, Int16> {
        // Unsafe: a term is taken out on purpose. The closure is called once and at once, on this thread.
        nonisolated(unsafe) var kept: Term<Stock.Item, Int16, Int16>?
        _ = Stock.Item.all.where { row in
            kept = row.pieces
            return row.id == 1
        }
        return kept.unsafelyUnwrapped
    }
}
