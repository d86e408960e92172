import SwormPredicates
import Testing

@testable import OpenCoreData
@testable import SwormStore

/// Links that were made in the store to what a save deletes or pairs, by policy.
@Suite("Settling links")
struct LinkSettlementTests {
    private func deletion(
        _ world: SettlementCase, _ row: RowID, _ name: String, _ destination: RowID
    ) -> LinkConflicts.Conflict {
        LinkConflicts.Conflict(
            row: row, relationship: world.slot(name, of: row), destination: destination, isDeletion: true)
    }

    private func pair(
        _ world: SettlementCase, _ row: RowID, _ name: String, _ destination: RowID
    ) -> LinkConflicts.Conflict {
        LinkConflicts.Conflict(
            row: row, relationship: world.slot(name, of: row), destination: destination, isDeletion: false)
    }

    private func expect(
        _ wanted: [[String]], _ world: SettlementCase, _ conflicts: LinkConflicts,
        location: SourceLocation = #_sourceLocation
    ) {
        for (policy, wanted) in zip(SettlementCase.policies, wanted) {
            var settlement = world.settlement(policy)
            settlement.settle(conflicts)
            #expect(world.lines(settlement) == wanted, "policy \(policy)", sourceLocation: location)
        }
    }

    @Test(arguments: [
        ("boss", ["update Person 2@6 boss=nil", "delete Person 1@1", "- lead Person 2.boss to nil"]),
        ("parent", ["delete Person 1@1", "delete Person 2@6", "- delete Person 2"]),
        ("host", ["delete Person 1@1", "- deny Person 1.guests"]),
    ])
    func `a row that points to a deleted one`(name: String, followed: [String]) throws {
        var world = try SettlementCase()
        world.delete(world.person(1))
        world.fresh.insert(world.snapshot(world.person(2), version: 6, toOnes: [name: world.person(1)]))
        let kept = ["- keep Person 1"]
        let conflicts = LinkConflicts(conflicts: [deletion(world, world.person(2), name, world.person(1))])
        expect([kept, followed, followed, kept], world, conflicts)
    }

    @Test func `two rows that point to one deleted object keep it once`() throws {
        var world = try SettlementCase()
        world.delete(world.person(1))
        for key in [2, 3] as [Int64] {
            world.fresh.insert(world.snapshot(world.person(key), version: 6, toOnes: ["boss": world.person(1)]))
        }
        let conflicts = LinkConflicts(
            conflicts: [2, 3].map { deletion(world, world.person($0), "boss", world.person(1)) })
        let kept = ["- keep Person 1"]
        let cut = [
            "update Person 2@6 boss=nil", "update Person 3@6 boss=nil", "delete Person 1@1",
            "- lead Person 2.boss to nil", "- lead Person 3.boss to nil",
        ]
        expect([kept, cut, cut, kept], world, conflicts)
    }

    @Test(arguments: [
        ("tags", ["delete Person 1@1", "delete Tag 1@2", "- delete Tag 1"]),
        ("marks", ["delete Person 1@1", "- deny Person 1.marks"]),
    ])
    func `a member that a deleted object does not know of`(name: String, followed: [String]) throws {
        var world = try SettlementCase()
        world.delete(world.person(1))
        world.fresh.insert(world.snapshot(world.tag(1), version: 2))
        let member = LinkConflicts.Member(
            owner: world.person(1), relationship: world.slot(name, of: world.person(1)), member: world.tag(1))
        let kept = ["- keep Person 1"]
        expect([kept, followed, followed, kept], world, LinkConflicts(members: [member]))
    }

    @Test func `a row that the save pairs with one that has another partner by now`() throws {
        var world = try SettlementCase()
        let (mine, card) = (world.person(1), world.card(1))
        world.update(mine, version: 3, toOnes: [("card", card)])
        world.fresh.insert(world.snapshot(card, version: 5, toOnes: ["holder": world.person(2)]))
        world.fresh.insert(world.snapshot(world.person(2), version: 7, toOnes: ["card": card]))
        let prevailing = [
            "update Person 1@3 card=Card 1", "update Person 2@7 card=nil", "update Card 1@5 holder=Person 1",
            "- lead Person 2.card to nil", "- lead Card 1.holder to Person 1",
        ]
        let taken = ["- take back Person 1.card"]
        expect(
            [taken, prevailing, prevailing, taken], world,
            LinkConflicts(conflicts: [pair(world, mine, "card", card)]))
    }

    @Test func `a row of the store that points to an object which the save has paired otherwise`() throws {
        var world = try SettlementCase()
        let (mine, card) = (world.person(1), world.card(1))
        world.update(mine, version: 3, toOnes: [("card", world.card(9))])
        world.fresh.insert(world.snapshot(card, version: 5, toOnes: ["holder": mine]))
        let cut = ["update Person 1@3 card=Card 9", "update Card 1@5 holder=nil", "- lead Card 1.holder to nil"]
        let taken = ["- take back Person 1.card"]
        expect(
            [taken, cut, cut, taken], world, LinkConflicts(conflicts: [pair(world, card, "holder", mine)]))
    }

    @Test func `an inserted object takes a partner, or has none`() throws {
        var world = try SettlementCase()
        let (new, card) = (world.person(-1), world.card(1))
        world.insert(new, toOnes: ["card": card])
        world.fresh.insert(world.snapshot(card, version: 5, toOnes: ["holder": world.person(2)]))
        let alone = ["insert Person -1", "- lead Person -1.card to nil"]
        let paired = [
            "insert Person -1 card=Card 1", "update Card 1@5 holder=Person -1", "- lead Card 1.holder to Person -1",
        ]
        expect(
            [alone, paired, paired, alone], world, LinkConflicts(conflicts: [pair(world, new, "card", card)]))
    }

    @Test func `a pair of which one was deleted, or now points elsewhere, is not a conflict`() throws {
        var world = try SettlementCase()
        world.update(world.person(1), toOnes: [("card", world.card(2))])
        world.fresh.insert(world.snapshot(world.card(1), version: 1))
        let same = ["update Person 1@1 card=Card 2"]
        let conflicts = LinkConflicts(conflicts: [
            pair(world, world.person(1), "card", world.card(1)), pair(world, world.person(1), "card", world.card(2)),
        ])
        expect([same, same, same, same], world, conflicts)
    }
}
