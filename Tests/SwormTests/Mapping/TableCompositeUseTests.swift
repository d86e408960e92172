import Foundation
@testable import Sworm
import SwormTools
import TestSupport
import Testing

/// A type with a composite whose table has a nested key path, and with rules for its elements.
private struct Parcel: ManagedObjectConvertible, CompositeOwner, Equatable {
    struct Size: Equatable { var width = 1 }

    struct Box: CompositeConvertible, Equatable {
        var size = Size()
        var color = "red"
        var note: String?
        static let attributes: Set<Attribute<Box>> = [
            .init(\.size.width, "width", .type(.integer16)), .init(\.color, "color"), .init(\.note, "note"),
        ]
    }

    var code = 0
    var box = Box()
    var lid: Box?
    static let attributes: Set<Attribute<Parcel>> = [
        .init(\.code, "code", .unique), .init(\.box, "box"), .init(\.lid, "lid"),
    ]
}

private struct Constrained: ManagedObjectConvertible, CompositeOwner {
    var box = Parcel.Box()
    static let attributes: Set<Attribute<Constrained>> = [.init(\.box, "box")]
    static let uniquenessConstraints: [UniquenessConstraint<Constrained>] = [.init(\.box)]
}

@Suite("Composite attributes as a whole", .overEachStore) struct TableCompositeUseTests {
    private func store() throws -> TestStore {
        try TestStore.tested(for: Parcel.self) { context in
            try context.insert(contentsOf: [
                Parcel(code: 1), Parcel(code: 2, box: Parcel.Box(size: Parcel.Size(width: 5)), lid: Parcel.Box()),
            ])
        }
    }

    @Test func `a predicate of Foundation follows nested key paths of their tables`() throws {
        let store = try store().container
        let wide = #Predicate<Row<Parcel>> { $0.box.size.width > 2 }
        let lidded = #Predicate<Row<Parcel>> { $0.lid?.size.width == 1 }
        let found = try store.perform { context in
            [try context.fetch(Parcel.all.where(wide), \.code), try context.fetch(Parcel.all.where(lidded), \.code)]
        }
        #expect(found == [[2], [2]])
    }

    @Test func `a value that is rejected leaves all elements as they were`() throws {
        let store = try store().container
        try store.perform { context in
            let handle = try #require(try context.fetchOne(Parcel.all.where { $0.code == 1 }))
            let wrong = Parcel.Box(size: Parcel.Size(width: 100_000), color: "blue", note: "x")
            #expect(throws: (any Error).self) { try handle.encode(\.box, wrong) }
            let kept = try handle.decode(\.box)
            #expect(kept == Parcel.Box())
        }
    }

    @Test func `an allow list and an upsert name them as a whole`() throws {
        let list = ConditionAllowList().allowing(Parcel.self, \.box, \.lid)
        try Condition<Parcel> { $0.box.color == "red" && $0.lid.color == "red" }.check(against: list)
        let store = try store().container
        let new = Parcel(code: 1, box: Parcel.Box(color: "blue"), lid: Parcel.Box(note: "n"))
        try store.perform { context in
            let result = try context.upsert([new], on: \.code, onConflict: .update(\.box))
            #expect(result == Upsert.Result(updated: 1))
            let found = try context.decodeOne(Parcel.all.where { $0.code == 1 })
            #expect(found == Parcel(code: 1, box: Parcel.Box(color: "blue")))
        }
    }

    @Test func `a constraint over one is rejected with the way out`() throws {
        let error = try #require(throws: StoreError.self) { try NSManagedObjectModel(tables: Constrained.self) }
        #expect(error.message.contains("which is a composite attribute; declare the property outside of the composite"))
    }
}
