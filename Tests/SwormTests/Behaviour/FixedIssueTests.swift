import Foundation
import Sworm
import TestSupport
import Testing

/// An entity whose names are words of the predicate language.
private struct ReservedNames: ManagedObjectConvertible, Equatable {
    var first = 0
    var last = ""
    var size: Int?
    var inside = false
    static let attributes: Set<Attribute<ReservedNames>> = [
        .init(\.first, "first"), .init(\.last, "last"), .init(\.size, "size"), .init(\.inside, "in"),
    ]
    struct Relations: Sendable {
        let any = ToManyRelation<ReservedNames>("any", inverse: \.not)
        let not: ToOneRelation<ReservedNames> = .init("not")
    }
    static let relations = Relations()
}

/// Tables that do not agree with the model of `Shelf`.
private enum Misnamed {
    struct Attributes: ManagedObjectConvertible {
        var title = ""
        static let entityName = "Volume"
        static let attributes: Set<Attribute<Attributes>> = [.init(\.title, "titel")]
    }
    struct Types: ManagedObjectConvertible {
        var title = 0
        static let entityName = "Volume"
        static let attributes: Set<Attribute<Types>> = [.init(\.title, "title")]
    }
    struct Links: ManagedObjectConvertible {
        static let entityName = "Volume"
        static let attributes: Set<Attribute<Links>> = []
        struct Relations: Sendable { let remark = ToOneRelation<Shelf.Remark>("remark") }
        static let relations = Relations()
    }
    struct Volum: ManagedObjectConvertible {
        static let attributes: Set<Attribute<Volum>> = []
    }
}

@Suite("Fixed issues", .overEachStore)
struct FixedIssueTests {
    typealias Volume = Shelf.Volume
    typealias Remark = Shelf.Remark

    @Test func `attributes and relations may have the names of keywords of the predicate language`() throws {
        let store = try PersistentContainer(for: ReservedNames.self, at: .tested)
        try store.perform { context in
            let one = try context.insert(ReservedNames(first: 1, last: "a", size: 3, inside: true))
            let two = try context.insert(ReservedNames(first: 2, last: "b"))
            try one.any.add(two)
        }
        func firsts(_ request: Request<ReservedNames>) throws -> [Int] {
            try store.perform { try $0.fetch(request.sort(\.first), \.first) }
        }
        #expect(try firsts(ReservedNames.all.where(\.first == 1 && \.size > 2)) == [1])
        #expect(try firsts(ReservedNames.all.where(\.inside == false && \.last == "b")) == [2])
        #expect(try firsts(ReservedNames.all.where { $0.any.count == 1 && $0.not == nil }) == [1])
        #expect(try firsts(ReservedNames.all.where { $0.not.size == 3 }) == [2])
        #expect(try firsts(ReservedNames.all.where { $0.any.any.last == "b" }.sort(\.last)) == [1])
        // The same over an unsaved change.
        try store.perform { context in
            try context.insert(ReservedNames(first: 3, last: "b"))
            #expect(try context.fetch(ReservedNames.all.where(\.last == "b").sort(\.first), \.first) == [2, 3])
        }
    }

    @Test func `a name that the model does not have is an error with the nearest one`() throws {
        let context = try sharedContext(of: Volume.self)
        let store = PersistentContainer(managedObjectContext: { context })
        try store.perform { try $0.insert(Volume(id: 1)) }
        let attribute = storeError { try store.perform { try $0.decode(Misnamed.Attributes.all) } }
        #expect(attribute?.code == .unknownName && attribute?.attribute == "titel")
        #expect(attribute?.message.contains("'title'") == true)
        let entity = storeError { try store.perform { try $0.insert(Misnamed.Volum()) } }
        #expect(entity?.code == .unknownName && entity?.message.contains("'Volume'") == true)
        let type = storeError { try store.perform { try $0.fetchOne(Misnamed.Types.all) } }
        #expect(type?.code == .contractViolation && type?.attribute == "title")
        let relation = storeError { try store.perform { _ = try $0.fetchOne(Misnamed.Links.all)?.remark } }
        #expect(relation?.code == .unknownName && relation?.attribute == "remark")
        #expect(relation?.message.contains("remarks") == true)
        let raw = storeError { try store.perform { try $0.count(of: Volume.all.where(raw: "titel == %@", "x")) } }
        #expect(raw?.code == .invalidCondition && raw?.message.contains("titel") == true)
    }

    @Test func `an ordered set is counted, indexed, arranged and replaced`() throws {
        let store = try PersistentContainer(for: Volume.self, at: .tested)
        func texts(_ context: ManagedObjectContext) throws -> [String] {
            try #require(try context.fetchOne(Volume.all)).remarks.decode().map(\.text)
        }
        try store.perform { context in
            let volume = try context.insert(Volume(id: 1))
            let remarks = volume.remarks
            #expect(remarks.isEmpty && remarks.first == nil && remarks.last == nil && remarks[0] == nil)
            let made = try ["a", "b", "c", "d"].map { try context.insert(Remark(text: $0)) }
            try remarks.replace(with: made)
            #expect(remarks.count == 4 && remarks.underestimatedCount == 4)
            #expect(remarks.first == made[0] && remarks.last == made[3] && remarks[2] == made[2])
            #expect(remarks[4] == nil && remarks[-1] == nil)
            #expect(remarks.contains(made[1]) && remarks.index(of: made[2]) == 2)
            try remarks.move(from: 3, to: 0)
            try remarks.insert(made[0], at: 99)
            try remarks.add(made[1])
            #expect(storeError { try remarks.move(from: 4, to: 0) }?.code == .objectNotFound)
            #expect(try texts(context) == ["d", "b", "c", "a"])
        }
        #expect(try store.perform(action: texts) == ["d", "b", "c", "a"])
        try store.perform { context in
            let remarks = try #require(try context.fetchOne(Volume.all)).remarks
            try remarks.insert(context.insert(Remark(text: "x")), at: 1)
            try remarks.delete(#require(remarks.last), context: context)
            try remarks.insert(context.insert(Remark(text: "y")), at: -5)
        }
        #expect(try store.perform(action: texts) == ["y", "d", "x", "b", "c"])
        try store.perform { try $0.fetchOne(Volume.all)?.remarks.removeAll() }
        try store.perform { context in
            let volume = try #require(try context.fetchOne(Volume.all))
            #expect(volume.remarks.isEmpty)
            // They were taken out, and not deleted.
            #expect(try context.count(of: Remark.all.where { $0.volume == nil }) == 5)
        }
    }

    @Test func `a set is counted, searched and replaced, and the other ends follow`() throws {
        let store = try PersistentContainer(for: Volume.self, at: .tested)
        try store.perform { context in
            let volume = try context.insert(Volume(id: 1))
            let writers = try (0..<4).map { try context.insert(Shelf.Writer(id: $0)) }
            try volume.writers.replace(with: writers)
            #expect(volume.writers.count == 4 && !volume.writers.isEmpty && volume.writers.contains(writers[2]))
            try volume.writers.replace(with: [writers[1], writers[1]])
            #expect(volume.writers.count == 1 && writers[0].volumes.isEmpty && writers[1].volumes.count == 1)
            try volume.writers.delete(writers[1], context: context)
            #expect(volume.writers.isEmpty)
            try writers[3].volumes.add(volume)
            try writers[3].volumes.add(volume)
        }
        try store.perform { context in
            let volume = try #require(try context.fetchOne(Volume.all))
            #expect(try volume.writers.decode().map(\.id) == [3])
            try volume.writers.removeAll()
            #expect(try context.count(of: Shelf.Writer.all) == 3)
        }
        #expect(try store.perform { try $0.count(of: Shelf.Writer.all.where { $0.volumes.isEmpty }) } == 3)
    }

    @Test func `a new destination is linked, and the old shared one is unchanged`() throws {
        let store = try PersistentContainer(for: Volume.self, at: .tested)
        try store.perform { context in
            let shared = try context.insert(Volume(id: 1, title: "shared"))
            for id in 2...3 { try context.insert(Volume(id: id)).sequel = shared }
            let two = try #require(try context.fetchOne(Volume.all.where(\.id == 2)))
            try two.set(\.sequel, value: Volume(id: 4, title: "own"), context: context)
            #expect(try two.sequel?.decode(\.title) == "own")
            let three = try #require(try context.fetchOne(Volume.all.where(\.id == 3)))
            #expect(try three.sequel?.decode(\.title) == "shared")
            #expect(shared.prequels.count == 1)
            try two.set(\.sequel, value: nil, context: context)
            #expect(two.sequel == nil)
        }
        #expect(try store.perform { try $0.count(of: Volume.all) } == 4)
    }

    @Test func `objects live as long as their handles, also when nothing else keeps them`() throws {
        let context = try sharedContext(of: Volume.self)
        let store = PersistentContainer(managedObjectContext: { context })
        try store.perform { context in
            for id in 0..<50 { try context.insert(Volume(id: id)).remarks.add(context.insert(Remark(text: "\(id)"))) }
        }
        try store.perform { context in
            let remarks = try context.fetch(Volume.all.sort(\.id)).compactMap { $0.remarks.first }
            _ = try context.fetch(Volume.all)
            #expect(try remarks.map { try $0.decode(\.text) } == (0..<50).map(String.init))
            #expect(try remarks.map { try $0.volume?.decode(\.id) } == (0..<50).map(Optional.some))
        }
    }
}
