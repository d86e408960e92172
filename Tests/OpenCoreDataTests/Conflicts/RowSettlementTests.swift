import Foundation
import SwormPredicates
import Testing

@testable import OpenCoreData
@testable import SwormStore

/// Rows that were changed or deleted in the store, by policy: what is written, and what the objects become.
@Suite("Settling rows")
struct RowSettlementTests {
    /// The lines by the four policies, in the order of ``SettlementCase/policies``.
    private func expect(
        _ wanted: [[String]], _ world: SettlementCase, _ conflicts: [MergeConflict],
        location: SourceLocation = #_sourceLocation
    ) {
        for (policy, wanted) in zip(SettlementCase.policies, wanted) {
            var settlement = world.settlement(policy)
            settlement.settle(conflicts)
            #expect(world.lines(settlement) == wanted, "policy \(policy)", sourceLocation: location)
        }
    }

    @Test func `an update of an updated row`() throws {
        var world = try SettlementCase()
        let row = world.person(1)
        world.update(row, version: 3, ["age": .int(20), "name": .string("Ann")])
        world.update(world.person(2), ["age": .int(7)])
        let cached = world.snapshot(
            row, version: 3, ["age": .value(.int(1)), "name": .value(.string("Leo")), "upper": .value(.string("LEO"))],
            toOnes: ["boss": world.person(8)])
        let persisted = world.snapshot(
            row, version: 5, ["age": .value(.int(10)), "name": .value(.string("Leo"))],
            toOnes: ["boss": world.person(9)])
        let (other, merge) = ("update Person 2@1 age=7", "- merge Person 1")
        expect(
            [
                ["update Person 1@5 name=Ann", other, merge],
                ["update Person 1@5 age=20 name=Ann", other, merge],
                // Every stored property is written; what is transient or derived is not.
                [
                    "update Person 1@5 age=20 name=Ann photo=nil boss=Person 8 card=nil host=nil parent=nil", other,
                    merge,
                ],
                [other, "- roll back Person 1"],
            ], world, [world.conflict(row, cached: cached, persisted: persisted)])
    }

    @Test func `an update of a relationship that was changed in the store`() throws {
        var world = try SettlementCase()
        let row = world.card(1)
        world.update(row, ["name": .string("mine")], toOnes: [("holder", world.person(3))])
        let cached = world.snapshot(row, version: 1, toOnes: ["holder": world.person(1)])
        let persisted = world.snapshot(row, version: 2, toOnes: ["holder": world.person(2)])
        expect(
            [
                ["update Card 1@2 name=mine", "- merge Card 1"],
                ["update Card 1@2 name=mine holder=Person 3", "- merge Card 1"],
                ["update Card 1@2 name=mine holder=Person 3", "- merge Card 1"],
                ["- roll back Card 1"],
            ], world, [world.conflict(row, cached: cached, persisted: persisted)])
    }

    @Test func `an update that leaves nothing over is not written`() throws {
        var world = try SettlementCase()
        let row = world.card(1)
        world.update(row, ["name": .string("mine")])
        let cached = world.snapshot(row, version: 1, ["name": .value(.string("e\u{301}"))])
        // Equal for Swift, and other bytes for the store.
        let persisted = world.snapshot(row, version: 2, ["name": .value(.string("\u{e9}"))])
        var settlement = world.settlement(.mergeByPropertyStoreTrumpMergePolicyType)
        settlement.settle([world.conflict(row, cached: cached, persisted: persisted)])
        #expect(world.lines(settlement) == ["- merge Card 1"] && settlement.request.isEmpty)
    }

    @Test func `an update of a deleted row`() throws {
        var world = try SettlementCase()
        let row = world.card(1)
        world.update(row, version: 4, ["name": .string("mine")])
        world.update(world.person(2), [:], toOnes: [("card", row)])
        let cached = world.snapshot(row, version: 4, ["name": .value(.string("old"))])
        let object = world.snapshot(row, version: 4, ["name": .value(.string("mine"))])
        let gone = ["update Person 2@1 card=nil", "- forget Card 1"]
        let anew = ["insert Card 1 after 4 name=mine", "update Person 2@1 card=Card 1", "- insert Card 1 anew"]
        expect(
            [gone, anew, anew, gone], world, [world.conflict(row, cached: cached, persisted: nil, object: object)])
        // What was never read cannot be written anew.
        let unread = world.conflict(row, cached: nil, persisted: nil)
        expect([gone, gone, gone, gone], world, [unread])
        // Nor can content that is not there any more.
        let photo = world.person(5)
        let lost = world.snapshot(photo, version: 1, ["photo": .reference(Data([2]))])
        expect(
            Array(
                repeating: ["update Card 1@4 name=mine", "update Person 2@1 card=Card 1", "- forget Person 5"], count: 4
            ),
            world, [world.conflict(photo, cached: lost, persisted: nil)])
    }

    @Test func `a row that is inserted again is paired with partners without another partner`() throws {
        var world = try SettlementCase()
        let row = world.person(1)
        world.update(row, ["name": .string("mine")])
        let cached = world.snapshot(row, version: 1, toOnes: ["card": world.card(1)])
        let conflict = world.conflict(row, cached: cached, persisted: nil)
        func lines(_ card: RowSnapshot?) -> [String] {
            world.fresh = FreshRows(model: world.model, card.map { [$0] } ?? [])
            var settlement = world.settlement(.overwriteMergePolicyType)
            settlement.settle([conflict])
            return world.lines(settlement)
        }
        let alone = ["insert Person 1 after 1", "- insert Person 1 anew", "- lead Person 1.card to nil"]
        #expect(
            lines(world.snapshot(world.card(1), version: 6)) == [
                "insert Person 1 after 1 card=Card 1", "update Card 1@6 holder=Person 1", "- insert Person 1 anew",
                "- lead Card 1.holder to Person 1",
            ])
        #expect(lines(world.snapshot(world.card(1), version: 6, toOnes: ["holder": world.person(9)])) == alone)
        #expect(lines(nil) == alone)
    }

    @Test func `a deletion of an updated row`() throws {
        var world = try SettlementCase()
        let row = world.person(1)
        world.delete(row, version: 1)
        world.request.addedLinks = [world.link(world.person(2), "tags", world.tag(1))]
        world.request.removedLinks = [world.link(row, "tags", world.tag(1))]
        let cached = world.snapshot(row, version: 1, ["age": .value(.int(1))])
        let persisted = world.snapshot(row, version: 2, ["age": .value(.int(2))])
        let kept = ["link Person 2.tags Tag 1", "- keep Person 1, rolled back"]
        let deleted = [
            "delete Person 1@2", "link Person 2.tags Tag 1", "unlink Person 1.tags Tag 1", "- merge Person 1",
        ]
        expect(
            [kept, deleted, deleted, kept], world, [world.conflict(row, cached: cached, persisted: persisted)])
    }

    @Test func `a deletion of a deleted row is done`() throws {
        var world = try SettlementCase()
        let row = world.person(1)
        world.delete(row)
        let conflict = world.conflict(row, cached: world.snapshot(row, version: 1), persisted: nil)
        expect(Array(repeating: ["- forget Person 1"], count: 4), world, [conflict])
    }

    @Test func `a destination of the save that another context has deleted`() throws {
        var world = try SettlementCase()
        let (boss, tag) = (world.person(1), world.tag(1))
        world.insert(world.person(-1), ["name": .string("new")], toOnes: ["boss": boss])
        world.request.addedLinks = [world.link(world.person(-1), "tags", tag)]
        let conflicts = [boss, tag].map { row in
            world.conflict(
                row, cached: world.snapshot(row, version: 2, ["name": .value(.string("old"))]), persisted: nil)
        }
        let gone = ["insert Person -1 name=new", "- forget Person 1", "- forget Tag 1"]
        let anew = [
            "insert Person -1 name=new boss=Person 1", "insert Person 1 after 2 name=old",
            "insert Tag 1 after 2 name=old", "link Person -1.tags Tag 1", "- insert Person 1 anew",
            "- insert Tag 1 anew",
        ]
        expect([gone, anew, anew, gone], world, conflicts)
    }

    @Test func `content that was not read is compared by its reference`() throws {
        var world = try SettlementCase()
        let row = world.person(1)
        world.update(row, ["photo": .data(Data([7])), "age": .int(5)])
        let (one, other) = (SnapshotValue.reference(Data([2, 1])), SnapshotValue.reference(Data([2, 2])))
        let cached = world.snapshot(row, version: 1, ["photo": one])
        func photo(_ policy: NSMergePolicyType, _ persisted: SnapshotValue) -> AttributeValue? {
            var settlement = world.settlement(policy)
            settlement.settle([
                world.conflict(
                    row, cached: cached, persisted: world.snapshot(row, version: 2, ["photo": persisted]))
            ])
            return settlement.request.updates.first?.attributes[world.slot("photo", of: row)]
        }
        let mine = AttributeValue.data(Data([7]))
        #expect(photo(.mergeByPropertyStoreTrumpMergePolicyType, one) == mine)
        for changed in [other, .value(.null), .value(.data(Data([1])))] {
            #expect(photo(.mergeByPropertyStoreTrumpMergePolicyType, changed) == nil)
            #expect(photo(.mergeByPropertyObjectTrumpMergePolicyType, changed) == mine)
        }
        // A row that is overwritten completely keeps content that was never read.
        world.request.updates[0].attributes[world.slot("photo", of: row)] = nil
        #expect(photo(.overwriteMergePolicyType, other) == nil)
        let known = world.snapshot(row, version: 1, ["photo": .value(.data(Data([3])))])
        var settlement = world.settlement(.overwriteMergePolicyType)
        settlement.settle([
            world.conflict(row, cached: known, persisted: world.snapshot(row, version: 2, ["photo": other]))
        ])
        #expect(settlement.request.updates.first?.attributes[world.slot("photo", of: row)] == .data(Data([3])))
    }

    @Test func `a rollback omits the links of its object, and keeps the links of other objects`() throws {
        var world = try SettlementCase()
        let row = world.person(1)
        world.update(row, ["age": .int(5)])
        world.request.addedLinks = [
            world.link(row, "tags", world.tag(1)), world.link(world.person(2), "tags", world.tag(1)),
        ]
        world.request.positions = [SaveRequest.Position(link: world.link(row, "tags", world.tag(1)), orderKey: 4)]
        var settlement = world.settlement(.rollbackMergePolicyType)
        settlement.settle([
            world.conflict(
                row, cached: world.snapshot(row, version: 1), persisted: world.snapshot(row, version: 2))
        ])
        #expect(world.lines(settlement) == ["link Person 2.tags Tag 1", "- roll back Person 1"])
    }

    @Test func `a conflict has the version numbers of Core Data's`() throws {
        let world = try SettlementCase()
        let row = world.person(1)
        let changed = world.conflict(
            row, cached: world.snapshot(row, version: 2), persisted: world.snapshot(row, version: 7))
        #expect(changed.oldVersionNumber == 2 && changed.newVersionNumber == 7)
        let deleted = world.conflict(row, cached: world.snapshot(row, version: 2), persisted: nil)
        #expect(deleted.newVersionNumber == 0)
    }
}
