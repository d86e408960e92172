import Sworm
import SwormPredicates
import TestSupport
import Testing

/// An attribute and a relation with names that mean the object itself in formats.
struct Mirror: Equatable {
    var own = 0
}

extension Mirror: ManagedObjectConvertible {
    static let attributes: Set<Attribute<Mirror>> = [.init(\.own, "SELF")]

    struct Relations: Sendable {
        let parts = ToManyRelation<MirrorPart>("parts", inverse: \.mirror)
    }
    static let relations = Relations()
}

struct MirrorPart: Equatable {
    var size = 0
}

extension MirrorPart: ManagedObjectConvertible {
    static let attributes: Set<Attribute<MirrorPart>> = [.init(\.size, "size")]

    struct Relations: Sendable {
        let mirror = ToOneRelation<Mirror>("mirror")
    }
    static let relations = Relations()
}

@Suite("An attribute named SELF", .overEachStore)
struct SelfNameTests {
    private func container() throws -> PersistentContainer {
        let store = try PersistentContainer(for: Mirror.self, MirrorPart.self, at: .tested)
        try store.perform { context in
            for own in [3, 1, 2] {
                let mirror = try context.insert(Mirror(own: own))
                try context.insert(MirrorPart(size: own)).mirror = mirror
            }
        }
        return store
    }

    @Test(arguments: [
        Condition<Mirror>(format: "#SELF > 1"), Condition<Mirror>(format: "%K > 1", "SELF"), \Mirror.own > 1,
        Condition<Mirror>(format: "SELF.#SELF > 1"),
    ])
    func `is asked for by its name`(condition: Condition<Mirror>) throws {
        try container().perform { context in
            let counts = [
                try context.count(of: Mirror.all.where(condition)),
                try context.fetch(Mirror.all).filtered(by: condition).count,
            ]
            #expect(counts == [2, 2])
            #expect(try condition.matches(Mirror(own: 2)))
            #expect(try condition.matches(Mirror(own: 1)) == false)
        }
    }

    @Test func `can be used through a relation and as a sort key`() throws {
        try container().perform { context in
            for format in ["mirror.#SELF > 1", "mirror.%K > 1"] {
                let condition = Condition<MirrorPart>(format: format, "SELF")
                #expect(try context.count(of: MirrorPart.all.where(condition)) == 2)
                #expect(try context.fetch(MirrorPart.all).filtered(by: condition).count == 2)
            }
            #expect(try context.decode(Mirror.all.sort(\.own)).map(\.own) == [1, 2, 3])
            try context.insert(Mirror(own: 0))
            #expect(try context.decode(Mirror.all.sort(\.own)).map(\.own) == [0, 1, 2, 3])
        }
    }
}
