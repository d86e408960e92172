import Foundation
import Sworm
import Testing

/// Tables of which no model can be made.
private enum Unbuildable {
    struct Twice: ManagedObjectConvertible {
        var a = 0
        var b = 0
        static let attributes: Set<Attribute<Twice>> = [.init(\.a, "a"), .init(\.b, "a"), .init(\.a, "other")]
    }

    struct Clash: ManagedObjectConvertible {
        var good = ""
        static let attributes: Set<Attribute<Clash>> = [.init(\.good, "good")]
        struct Relations: Sendable {
            let good = ToOneRelation<Goal>("good")
            let again = ToOneRelation<Goal>("again")
            let more = ToOneRelation<Goal>("again")
        }
        static let relations = Relations()
    }

    struct Goal: ManagedObjectConvertible {
        var x = 0
        static let attributes: Set<Attribute<Goal>> = [.init(\.x, "x")]
        struct Relations: Sendable { let claimed = ToOneRelation<Claims>("claimed") }
        static let relations = Relations()
    }

    struct Claims: ManagedObjectConvertible {
        var x = 0
        static let attributes: Set<Attribute<Claims>> = [.init(\.x, "x")]
        struct Relations: Sendable {
            let one = ToManyRelation<Goal>("one", inverse: \.claimed)
            let two = ToManyRelation<Goal>("two", inverse: \.claimed)
        }
        static let relations = Relations()
    }

    struct Stranger: ManagedObjectConvertible {
        var x = 0
        static let attributes: Set<Attribute<Stranger>> = [.init(\.x, "x")]
        struct Relations: Sendable { let goals = ToManyRelation<Goal>("goals", inverse: \.claimed) }
        static let relations = Relations()
    }

    /// Each names another one as its partner.
    struct Ring: ManagedObjectConvertible {
        var x = 0
        static let attributes: Set<Attribute<Ring>> = [.init(\.x, "x")]
        struct Relations: Sendable {
            let a: ToOneRelation<Ring> = .init("a", inverse: \.b)
            let b: ToOneRelation<Ring> = .init("b", inverse: \.c)
            let c: ToOneRelation<Ring> = .init("c", inverse: \.a)
        }
        static let relations = Relations()
    }

    struct Hidden: ManagedObjectConvertible {
        var x = 0
        static let attributes: Set<Attribute<Hidden>> = [.init(\.x, "x")]
        struct Relations: Sendable {
            let up = ToOneRelation<Hidden>("up", inverse: \.computed)
            var computed: ToManyRelation<Hidden> { ToManyRelation("computed") }
        }
        static let relations = Relations()
    }

    enum First { struct Same: ManagedObjectConvertible { static let attributes: Set<Attribute<Same>> = [] } }
    enum Second { struct Same: ManagedObjectConvertible { static let attributes: Set<Attribute<Same>> = [] } }
    struct SAME: ManagedObjectConvertible { static let attributes: Set<Attribute<SAME>> = [] }

    struct Names: ManagedObjectConvertible {
        static let entityName = "Na mes"
        var a = 0, b = 0, c = 0, d = 0, e = 0, f = 0
        static let attributes: Set<Attribute<Names>> = [
            .init(\.a, ""), .init(\.b, "two words"), .init(\.c, "3rd"), .init(\.d, "hash"), .init(\.e, "größe_2"),
            .init(\.f, "line\nbreak"),
        ]
    }

    struct Unnamed: ManagedObjectConvertible {
        static let entityName = ""
        static let attributes: Set<Attribute<Unnamed>> = []
    }

    struct Unfit: ManagedObjectConvertible {
        var big = 70_000
        var word = ""
        var outside = 0
        static let attributes: Set<Attribute<Unfit>> = [
            .init(\.big, "big", .type(.integer16)), .init(\.word, "word", .external, .range(1...2), .pattern("(")),
        ]
        struct Relations: Sendable {
            let one = ToOneRelation<Goal>("one", .count(1...2))
            let many = ToManyRelation<Goal>("many", .count(...1))
        }
        static let relations = Relations()
        static let uniquenessConstraints: [UniquenessConstraint<Unfit>] = [.init(\.word, \.word), .init(\.outside)]
        static let fetchIndexes: [FetchIndex<Unfit>] = [
            .init("empty", [FetchIndex<Unfit>.Element]().first ?? .ascending(\.outside))
        ]
    }

    struct Fine: ManagedObjectConvertible {
        var x = 0
        static let attributes: Set<Attribute<Fine>> = [.init(\.x, "x")]
        struct Relations: Sendable {
            let one = ToOneRelation<Fine>("one")
            let many = ToManyRelation<Fine>("many")
        }
        static let relations = Relations()
    }
}

@Suite("Faulty tables")
struct ModelFromTablesIssueTests {
    private func message(_ types: any ManagedObjectConvertible.Type...) throws -> String {
        let first = try #require(types.first)
        let error = storeError {
            switch types.count {
            case 1: try NSManagedObjectModel(tables: first)
            default: try NSManagedObjectModel(tables: first, try #require(types.last))
            }
        }
        #expect(error?.code == .invalidTable)
        return error?.message ?? ""
    }

    @Test func `a repeated name and a repeated key path are reported together`() throws {
        let message = try message(Unbuildable.Twice.self)
        #expect(message.contains("2 issues"))
        #expect(message.contains("Twice.a: two attributes have this name"))
        #expect(message.contains("is also the attribute"))
    }

    @Test func `an attribute and a relation of one name, and two relations of one name`() throws {
        let message = try message(Unbuildable.Clash.self)
        #expect(message.contains("Clash.good: an attribute and a relation have this name"))
        #expect(message.contains("Clash.again: two relations have this name"))
    }

    @Test func `two relations that claim one inverse`() throws {
        let message = try message(Unbuildable.Claims.self)
        #expect(message.contains("Claims.two: Goal.claimed is also named as the inverse of one"))
    }

    @Test func `an inverse with another destination`() throws {
        let message = try message(Unbuildable.Stranger.self)
        #expect(message.contains("Stranger.goals: the destination of its inverse Goal.claimed is Claims, not Stranger"))
    }

    @Test func `an inverse that names another inverse`() throws {
        let message = try message(Unbuildable.Ring.self)
        #expect(message.contains("Ring.a: its inverse Ring.b names Ring.c as its own inverse"))
        #expect(message.contains("3 issues"))
    }

    @Test func `an inverse that is not among the relations`() throws {
        #expect(
            try message(Unbuildable.Hidden.self).contains(
                "Hidden.up: its inverse Hidden.computed is not a stored property"))
    }

    @Test func `two types with one entity name, or with names that differ in case`() throws {
        let same = try message(Unbuildable.First.Same.self, Unbuildable.Second.Same.self)
        #expect(same.contains("Same: the types ") && same.contains("First.Same and "))
        #expect(same.contains("Second.Same both have this entity name"))
        #expect(try message(Unbuildable.First.Same.self, Unbuildable.SAME.self).contains("only in case"))
    }

    @Test func `names that are empty, illegal or taken by every object`() throws {
        let message = try message(Unbuildable.Names.self)
        #expect(message.contains("has an empty attribute name"))
        #expect(message.contains("Na mes: the entity name contains ' '"))
        #expect(message.contains("Na mes.two words: the name contains ' '"))
        #expect(message.contains("Na mes.3rd: the name begins with a digit"))
        #expect(message.contains("Na mes.hash: every managed object has a method of this name"))
        #expect(message.contains("contains a control character"))
        #expect(!message.contains("größe"))
        #expect(message.split(separator: "\n").count == 7)
        #expect(try self.message(Unbuildable.Unnamed.self).contains("empty entity name"))
    }

    @Test func `options that do not fit, each of them`() throws {
        let message = try message(Unbuildable.Unfit.self)
        for part in [
            "Unfit.big: a new instance has the value 70000, which an Integer 16 cannot hold",
            "`.external` is for binary data",
            "the bounds of `.range`", "is not a regular expression", "`.count` is for to-many relations",
            "Unfit.many: a to-many relation with at most one destination",
            "a uniqueness constraint names one attribute twice",
            "a uniqueness constraint names", "the index 'empty' names",
        ] {
            #expect(message.contains(part), "\(part)")
        }
    }

    @Test func `issues of all tables are in one error, one line each`() throws {
        let message = try message(Unbuildable.Clash.self, Unbuildable.Twice.self)
        // Clash reaches Goal and Claims.
        #expect(message.split(separator: "\n").dropFirst().allSatisfy { $0.hasPrefix("- ") })
        #expect(message.contains("Twice.a") && message.contains("Clash.again") && message.contains("Claims.two"))
        let error = storeError {
            try PersistentContainer(for: Unbuildable.Clash.self, Unbuildable.Twice.self, at: .memory)
        }
        #expect(error?.message == message)
    }

    @Test func `relations without an inverse are not issues`() throws {
        let store = try PersistentContainer(for: Unbuildable.Fine.self, at: .memory)
        try store.perform { context in
            let one = try context.insert(Unbuildable.Fine())
            let other = try context.insert(Unbuildable.Fine(x: 1))
            one.one = other
            try one.many.add(other)
        }
        let found = try store.perform {
            try $0.decode(Unbuildable.Fine.all.where { $0.one.x == 1 && $0.many.count == 1 })
        }
        #expect(found.count == 1)
    }
}
