import Foundation
import Sworm
import SwormPredicates
import SwormTools
import TestSupport
import Testing

/// Orders with lines and parts that belong to them, and customers that do not.
private enum Purchasing {
    struct Order: ManagedObjectConvertible, Equatable {
        var number = 0
        var note = ""
        var revision = 0
        var changed = Date(timeIntervalSinceReferenceDate: 0)

        static let attributes: Set<Attribute<Order>> = [
            .init(\.number, "number", .unique), .init(\.note, "note"), .init(\.revision, "revision"),
            .init(\.changed, "changed"),
        ]
        struct Relations: Sendable {
            let customer = ToOneRelation<Customer>("customer", inverse: \.orders)
            let lines = ToManyRelation<Line>("lines", inverse: \.order, deleteRule: .cascade)
        }
        static let relations = Relations()
    }

    struct Customer: ManagedObjectConvertible, Hashable {
        var name = ""
        var city = ""

        static let attributes: Set<Attribute<Customer>> = [.init(\.name, "name", .unique), .init(\.city, "city")]
        struct Relations: Sendable { let orders = ToManyRelation<Order>("orders") }
        static let relations = Relations()
    }

    struct Line: ManagedObjectConvertible, Equatable {
        var article = ""
        var count = 0

        static let attributes: Set<Attribute<Line>> = [
            .init(\.article, "article", .length(1...9)), .init(\.count, "count", .range(0...99)),
        ]
        struct Relations: Sendable {
            let order = ToOneRelation<Order>("order")
            let parts = ToManyRelation<Part>("parts", inverse: \.line, deleteRule: .cascade)
        }
        static let relations = Relations()
    }

    struct Part: ManagedObjectConvertible, Equatable {
        var name = ""
        var size = 0

        static let attributes: Set<Attribute<Part>> = [
            .init(\.name, "name", .length(1...9)), .init(\.size, "size"),
        ]
        struct Relations: Sendable { let line = ToOneRelation<Line>("line") }
        static let relations = Relations()
    }

    struct LineTree: ManagedTreeConvertible, Equatable {
        var article = ""
        var count = 0
        var parts: [Part] = []

        typealias Entity = Line
        static let attributes: Set<Attribute<LineTree>> = [.init(\.article, \.article), .init(\.count, \.count)]
        static let branches: [Branch<LineTree>] = [.init(\.parts, \.parts, .matched(by: \.name)) { $0.sort(\.name) }]
    }

    struct OrderTree: ManagedTreeConvertible, Equatable {
        var number = 0
        var note = ""
        var customer: Customer?
        var lines: [LineTree] = []
        var revision = 0

        typealias Entity = Order
        static let attributes: Set<Attribute<OrderTree>> = [
            .init(\.number, \.number), .init(\.note, \.note), .init(\.revision, \.revision),
        ]
        static let branches: [Branch<OrderTree>] = [
            .init(\.customer, \.customer, .shared),
            .init(\.lines, \.lines, .matched(by: \.article)) { $0.sort(\.article) }, .version(\.revision),
        ]
    }

    /// A tree whose version may be left out.
    struct OrderPatch: ManagedTreeConvertible {
        var number = 0
        var note: String?
        var revision: Int?

        typealias Entity = Order
        static let attributes: Set<Attribute<OrderPatch>> = [
            .init(\.number, \.number), .init(\.note, \.note, .ifPresent), .init(\.revision, \.revision, .ifPresent),
        ]
        static let branches: [Branch<OrderPatch>] = [.version(\.revision)]
    }

    /// A tree whose version is another one in each new instance.
    struct Stamped: ManagedTreeConvertible {
        var number = 0
        var changed = Date()

        typealias Entity = Order
        static let attributes: Set<Attribute<Stamped>> = [.init(\.number, \.number), .init(\.changed, \.changed)]
        static let branches: [Branch<Stamped>] = [.version(\.changed)]
    }

    /// A tree that links a customer.
    struct Linked: ManagedTreeConvertible {
        var number = 0
        var customer: String?
        var revision = 0

        typealias Entity = Order
        static let attributes: Set<Attribute<Linked>> = [.init(\.number, \.number), .init(\.revision, \.revision)]
        static let branches: [Branch<Linked>] = [
            .init(\.customer, \.customer, \.name, .linked), .version(\.revision),
        ]
    }

    /// A tree that adds lines.
    struct AddedLines: ManagedTreeConvertible {
        var number = 0
        var lines: [Line] = []
        var revision = 0

        typealias Entity = Order
        static let attributes: Set<Attribute<AddedLines>> = [.init(\.number, \.number), .init(\.revision, \.revision)]
        static let branches: [Branch<AddedLines>] = [
            .init(\.lines, \.lines, .added, .matched(by: \.article)), .version(\.revision),
        ]
    }

    /// The names of the parts of an order's lines.
    struct PartNames: ManagedTreeConvertible {
        var article = ""
        var parts: [String] = []

        typealias Entity = Line
        static let attributes: Set<Attribute<PartNames>> = [.init(\.article, \.article)]
        static let branches: [Branch<PartNames>] = [.init(\.parts, \.parts, \.name, .added)]
    }
}

@Suite("Versions of trees", .overEachStore) struct TreeVersionTests {
    private typealias OrderTree = Purchasing.OrderTree
    private typealias LineTree = Purchasing.LineTree

    private static let first = OrderTree(
        number: 1, customer: Purchasing.Customer(name: "Leo", city: "Tula"),
        lines: [
            LineTree(article: "lamp", count: 1, parts: [Purchasing.Part(name: "bulb", size: 3)]),
            LineTree(article: "table", count: 2),
        ])

    /// The changes of a tree, and whether they move its version on.
    private static let changes: [(name: String, isCounted: Bool, change: @Sendable (inout OrderTree) -> Void)] = [
        ("nothing", false, { _ in }),
        ("an attribute", true, { $0.note = "soon" }),
        ("a child", true, { $0.lines[1].count = 7 }),
        ("a new child", true, { $0.lines.append(LineTree(article: "vase", count: 1)) }),
        ("a child that is gone", true, { $0.lines.removeLast() }),
        ("a child of a child", true, { $0.lines[0].parts[0].size = 4 }),
        ("a new child of a child", true, { $0.lines[1].parts = [Purchasing.Part(name: "leg", size: 70)] }),
        ("a child of a child that is gone", true, { $0.lines[0].parts = [] }),
        ("a link", true, { $0.customer = nil }),
        ("a shared object", false, { $0.customer?.city = "Kyiv" }),
    ]

    @Test(arguments: [false, true])
    func `a version moves on with everything that belongs to the object`(isThroughObjects: Bool) throws {
        for (name, isCounted, change) in Self.changes {
            let test = try TestStore.tested(for: Purchasing.Order.self)
            try test.container.perform { _ = try $0.save(Self.first) }
            var tree = Self.first
            change(&tree)
            let preview = try test.container.read { try $0.plan(saving: [tree]) }
            let result = try test.container.perform { context in
                if isThroughObjects { try context.insert(Purchasing.Customer(name: "other")) }
                return try context.save(contentsOf: [tree])
            }
            #expect(preview.result == result, "\(name)")
            let saved = try #require(try test.container.read { try $0.decodeOne(OrderTree.all) })
            #expect(saved.revision == (isCounted ? 1 : 0), "\(name)")
            var wanted = tree
            wanted.revision = saved.revision
            #expect(saved == wanted, "\(name)")
            // The tree was read before.
            tree.lines.append(LineTree(article: "late"))
            let late = Result { try test.container.perform { try $0.save(contentsOf: [tree]) } }
            if isCounted {
                let error = #expect(throws: StoreError.self, "\(name)") { try late.get() }
                #expect(error?.code == .conflict && error?.path == "[0].revision", "\(name)")
            } else {
                #expect(try late.get().inserted == 1, "\(name)")
            }
            try test.verifyIfFile()
        }
    }

    @Test func `a tree of a deleted object is a conflict`() throws {
        let test = try TestStore.tested(for: Purchasing.Order.self)
        var tree = Self.first
        tree.revision = 3
        for isThroughObjects in [false, true] {
            let error = #expect(throws: StoreError.self) {
                try test.container.perform { context in
                    if isThroughObjects { try context.insert(Purchasing.Customer(name: "other")) }
                    try context.save(contentsOf: [tree])
                }
            }
            #expect(error?.code == .conflict && error?.path == "[0].revision")
            #expect(
                error?.message
                    == "[0]: there is no such Order any more: its 'revision' was 3 when the tree was read. Give it the value of a new tree to insert it."
            )
        }
        let late = Purchasing.OrderPatch(number: 1, note: "late", revision: 3)
        #expect(throws: StoreError.Code.conflict) { try test.container.perform { _ = try $0.save(late) } }
        #expect(throws: StoreError.Code.conflict) { try test.container.write { _ = try $0.save(contentsOf: [late]) } }
        #expect(try test.container.read { try $0.count(of: Purchasing.Order.all) } == 0)
    }

    @Test func `a version that differs in each new instance is an error of the table`() throws {
        let store = try PersistentContainer(for: Purchasing.Order.self, at: .memory)
        let error = #expect(throws: StoreError.self) {
            try store.perform { _ = try $0.save(Purchasing.Stamped(number: 1)) }
        }
        #expect(error?.message.contains("the version has another value in each new instance") == true)
        // Trees that are only read have no new instances.
        #expect(try store.perform { try $0.decode(Purchasing.Stamped.all) }.isEmpty)
    }

    @Test func `a version that is left out is not compared, and moves on`() throws {
        let test = try TestStore.tested(for: Purchasing.Order.self)
        try test.container.perform { _ = try $0.save(Purchasing.OrderPatch(number: 1, note: "new")) }
        func revision() throws -> Int? { try test.container.read { try $0.decodeOne(Purchasing.Order.all)?.revision } }
        #expect(try revision() == 0)
        for number in 1...3 {
            try test.container.perform { _ = try $0.save(Purchasing.OrderPatch(number: 1, note: "note \(number)")) }
            #expect(try revision() == number)
        }
        try test.container.perform { _ = try $0.save(Purchasing.OrderPatch(number: 1, note: "read", revision: 3)) }
        #expect(try revision() == 4)
        #expect(throws: StoreError.Code.conflict) {
            try test.container.perform { try $0.save(Purchasing.OrderPatch(number: 1, note: "late", revision: 3)) }
        }
    }

    @Test func `a call is not repeated because of a version`() throws {
        let test = try TestStore.tested(for: Purchasing.Order.self)
        try test.container.perform { _ = try $0.save(Self.first) }
        var tree = Self.first
        tree.note = "soon"
        try test.container.perform { _ = try $0.save(tree) }
        tree.note = "late"
        var runs = 0
        let error = #expect(throws: StoreError.self) {
            try test.container.perform(retrying: 5) { context in
                runs += 1
                _ = try context.save(tree)
            }
        }
        #expect(error?.path == "revision")
        #expect(runs == 1)
        let atHandle = #expect(throws: StoreError.self) {
            try test.container.perform { try $0.fetchOne(Purchasing.Order.all)?.save(tree) }
        }
        #expect(atHandle?.code == .conflict && atHandle?.path == "revision")
    }

    @Test func `each invalid value of an object has its position`() throws {
        let test = try TestStore.tested(for: Purchasing.Order.self)
        var tree = Self.first
        for isNew in [true, false] {
            tree.lines[0] = LineTree(article: "lamp", count: 100)
            tree.lines[1] = LineTree(article: "a table for six", count: -1)
            let error = #expect(throws: StoreError.self) {
                try test.container.perform { try $0.save(contentsOf: [tree]) }
            }
            #expect(
                error?.issues.map(\.path) == ["[0].lines[0].count", "[0].lines[1].article", "[0].lines[1].count"],
                "\(error?.issues ?? [])")
            #expect(error?.issues.map(\.attribute) == ["count", "article", "count"])
            if isNew { try test.container.perform { _ = try $0.save(Self.first) } }
        }
    }

    @Test func `an old version is reported before anything else of a tree`() throws {
        let test = try TestStore.tested(for: Purchasing.Order.self)
        try test.container.perform { _ = try $0.save(Self.first) }
        let stale = Purchasing.Linked(number: 1, customer: "unknown", revision: 7)
        let error = #expect(throws: StoreError.self) { try test.container.perform { try $0.save(contentsOf: [stale]) } }
        #expect(error?.code == .conflict && error?.path == "[0].revision")
        let unknown = Purchasing.Linked(number: 1, customer: "unknown", revision: 0)
        #expect(throws: StoreError.Code.objectNotFound) {
            try test.container.perform { try $0.save(contentsOf: [unknown]) }
        }
    }

    @Test func `a version moves on with children that are deleted with their owner, whatever their role`() throws {
        let test = try TestStore.tested(for: Purchasing.Order.self)
        try test.container.perform { _ = try $0.save(Self.first) }
        var tree = Purchasing.AddedLines(number: 1, lines: [Purchasing.Line(article: "lamp", count: 5)], revision: 0)
        for isThroughObjects in [false, true] {
            let result = try test.container.perform { context in
                if isThroughObjects { try context.insert(Purchasing.Customer(name: "other")) }
                return try context.save(contentsOf: [tree])
            }
            #expect(result == TreeSaveResult(updated: 2))
            #expect(throws: StoreError.Code.conflict) { try test.container.perform { try $0.save(contentsOf: [tree]) } }
            tree.revision += 1
            tree.lines[0].count += 1
        }
        let lines = try test.container.read { try $0.decode(Purchasing.Line.all.sort(\.article)) }
        #expect(lines.map(\.count) == [6, 2])
    }

    @Test func `the position of an attribute in a branch is that of the element`() throws {
        let test = try TestStore.tested(for: Purchasing.Order.self)
        let error = #expect(throws: StoreError.self) {
            try test.container.perform { context in
                let line = try context.insert(Purchasing.Line(article: "lamp"))
                try line.save(Purchasing.PartNames(article: "lamp", parts: ["bulb", "much too long"]))
            }
        }
        #expect(error?.code == .validation && error?.path == "parts[1]", "\(error?.message ?? "")")
    }
}
