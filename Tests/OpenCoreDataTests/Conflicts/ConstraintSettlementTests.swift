import SwormPredicates
import Testing

@testable import OpenCoreData
@testable import SwormStore

/// Unique values of a save that rows of the store hold, by policy.
@Suite("Settling unique values")
struct ConstraintSettlementTests {
    private func conflict(_ object: RowID, _ existing: RowSnapshot) -> ConstraintConflict {
        ConstraintConflict(
            constraint: ["name"], databaseObject: existing.row, databaseSnapshot: existing,
            conflictingObjects: [object])
    }

    private func expect(
        _ wanted: [[String]?], _ world: SettlementCase, _ conflicts: [ConstraintConflict],
        location: SourceLocation = #_sourceLocation
    ) {
        for (policy, wanted) in zip(SettlementCase.policies, wanted) {
            var settlement = world.settlement(policy)
            let isSettled = settlement.settle(conflicts)
            #expect(isSettled == (wanted != nil), "policy \(policy)", sourceLocation: location)
            #expect(
                world.lines(settlement) == wanted ?? world.lines(world.request), "policy \(policy)",
                sourceLocation: location)
        }
    }

    @Test func `an inserted object becomes one with the row`() throws {
        var world = try SettlementCase()
        let new = world.person(-1)
        world.insert(
            new, ["name": .string("Leo"), "age": .int(5), "scratch": .string("s")],
            toOnes: ["boss": world.person(9), "host": world.person(7)])
        world.insert(world.card(-2), ["name": .string("c")])
        let row = world.snapshot(
            world.person(4), version: 6, ["name": .value(.string("Leo")), "age": .value(.int(1))],
            toOnes: ["boss": world.person(8), "host": world.person(7)])
        let stored = ["insert Card -2 name=c", "- unite Person -1 with Person 4"]
        // What the row has already is not written.
        let mine = [
            "insert Card -2 name=c", "update Person 4@6 age=5 boss=Person 9", "- unite Person -1 with Person 4",
        ]
        expect([stored, mine, mine, stored], world, [conflict(new, row)])
    }

    @Test func `links to the object point to the row`() throws {
        var world = try SettlementCase()
        let new = world.person(-1)
        world.insert(new, ["name": .string("Leo")])
        world.insert(world.person(-2), toOnes: ["boss": new])
        world.update(world.person(3), toOnes: [("parent", new)])
        world.request.addedLinks = [world.link(new, "tags", world.tag(1))]
        world.request.positions = [SaveRequest.Position(link: world.link(new, "tags", world.tag(1)), orderKey: 8)]
        let row = world.snapshot(world.person(4), version: 1, ["name": .value(.string("Leo"))])
        let wanted = [
            "insert Person -2 boss=Person 4", "update Person 3@1 parent=Person 4", "link Person 4.tags Tag 1",
            "place Person 4.tags Tag 1 at 8", "- unite Person -1 with Person 4",
        ]
        expect([wanted, wanted, wanted, wanted], world, [conflict(new, row)])
    }

    @Test func `the partner of the object is the partner of the row where the context wins, and no other object's`()
        throws
    {
        var world = try SettlementCase()
        let new = world.person(-1)
        world.insert(new, ["name": .string("Leo")], toOnes: ["card": world.card(2)])
        world.update(world.card(2), toOnes: [("holder", new)])
        let row = world.snapshot(
            world.person(4), version: 1, ["name": .value(.string("Leo"))], toOnes: ["card": world.card(1)])
        let stored = ["update Card 2@1 holder=nil", "- unite Person -1 with Person 4"]
        let mine = [
            "update Card 2@1 holder=Person 4", "update Person 4@1 card=Card 2", "- unite Person -1 with Person 4",
        ]
        expect([stored, mine, mine, stored], world, [conflict(new, row)])
    }

    @Test func `a row of another entity takes the values that it has a property for`() throws {
        var world = try SettlementCase()
        let hero = world.row("Hero", -1)
        world.insert(hero, ["name": .string("Leo"), "power": .int(9), "age": .int(3)])
        let row = world.snapshot(world.person(4), version: 1, ["name": .value(.string("Leo"))])
        let mine = ["update Person 4@1 age=3", "- unite Hero -1 with Person 4"]
        let stored = ["- unite Hero -1 with Person 4"]
        expect([stored, mine, mine, stored], world, [conflict(hero, row)])
    }

    @Test func `an update of the row by the same save is overlaid, or stays`() throws {
        var world = try SettlementCase()
        let new = world.person(-1)
        world.insert(new, ["name": .string("Leo"), "age": .int(1)])
        world.update(world.person(4), version: 6, ["age": .int(8)], toOnes: [("boss", world.person(9))])
        let row = world.snapshot(
            world.person(4), version: 6, ["name": .value(.string("Leo")), "age": .value(.int(1))])
        let stored = ["update Person 4@6 age=8 boss=Person 9", "- unite Person -1 with Person 4"]
        let mine = ["update Person 4@6 boss=Person 9", "- unite Person -1 with Person 4"]
        expect([stored, mine, mine, stored], world, [conflict(new, row)])
    }

    @Test func `an object with the values of two rows becomes one with the first of them`() throws {
        var world = try SettlementCase()
        world.insert(world.person(-1), ["name": .string("Leo")])
        world.insert(world.person(-2), ["name": .string("Ann")])
        let rows = [("Leo", 4), ("Ann", 5), ("Leo", 6)].map { name, key in
            world.snapshot(world.person(Int64(key)), version: 1, ["name": .value(.string(name))])
        }
        let wanted = ["- unite Person -1 with Person 4", "- unite Person -2 with Person 5"]
        expect(
            [wanted, wanted, wanted, wanted], world,
            [
                conflict(world.person(-1), rows[0]), conflict(world.person(-2), rows[1]),
                conflict(world.person(-1), rows[2]),
            ])
    }

    @Test func `objects of one save become one, as if they had been saved one after the other`() throws {
        var world = try SettlementCase()
        let (first, second, third) = (world.person(-1), world.person(-2), world.row("Hero", -3))
        world.insert(first, ["name": .string("Leo"), "age": .int(1)], toOnes: ["boss": world.person(9)])
        world.insert(second, ["name": .string("Leo"), "age": .int(2), "scratch": .string("s")])
        world.insert(
            third, ["name": .string("Leo"), "age": .int(3), "power": .int(4)], toOnes: ["host": world.person(7)])
        world.insert(world.card(-4), toOnes: ["holder": third])
        world.request.addedLinks = [world.link(second, "tags", world.tag(1))]
        let steps = ["- unite Person -2 with Person -1", "- unite Hero -3 with Person -1"]
        let links = ["insert Card -4 holder=Person -1", "link Person -1.tags Tag 1"]
        let kept = ["insert Person -1 age=1 name=Leo boss=Person 9"] + links + steps
        let updated = ["insert Person -1 age=3 name=Leo boss=Person 9 host=Person 7"] + links + steps
        let conflict = ConstraintConflict(constraint: ["name"], conflictingObjects: [first, second, third])
        expect([kept, updated, updated, kept], world, [conflict])
    }

    @Test func `an inserted object becomes one with an object that is updated to its values`() throws {
        var world = try SettlementCase()
        world.insert(world.person(-1), ["name": .string("Leo"), "age": .int(1)])
        world.update(world.person(3), version: 6, ["name": .string("Leo"), "age": .int(8)])
        world.fresh.insert(world.snapshot(world.person(3), version: 6, ["name": .value(.string("Ann"))]))
        let conflict = ConstraintConflict(
            constraint: ["name"], conflictingObjects: [world.person(-1), world.person(3)])
        let kept = ["update Person 3@6 age=8 name=Leo", "- unite Person -1 with Person 3"]
        let updated = ["update Person 3@6 age=1 name=Leo", "- unite Person -1 with Person 3"]
        expect([kept, updated, updated, kept], world, [conflict])
    }

    @Test func `objects that become one with a row in the same pass are not united with each other`() throws {
        var world = try SettlementCase()
        world.insert(world.person(-1), ["name": .string("Leo")])
        world.insert(world.person(-2), ["name": .string("Leo")])
        let row = world.snapshot(world.person(4), version: 1, ["name": .value(.string("Leo"))])
        let twins = ConstraintConflict(
            constraint: ["age"], conflictingObjects: [world.person(-1), world.person(-2)])
        // The second object is compared with the row in the next pass.
        let wanted = ["insert Person -2 name=Leo", "- unite Person -1 with Person 4"]
        expect([wanted, wanted, wanted, wanted], world, [conflict(world.person(-1), row), twins])
        // An object may become one with an object that then becomes one with the row.
        world.insert(world.card(-5), toOnes: ["holder": world.person(-2)])
        let chain = [
            "insert Card -5 holder=Person 4", "- unite Person -2 with Person -1", "- unite Person -1 with Person 4",
        ]
        expect([chain, chain, chain, chain], world, [twins, conflict(world.person(-1), row)])
    }

    @Test func `a row that is updated to the values of another row is settled by no policy`() throws {
        var world = try SettlementCase()
        world.insert(world.person(-1), ["name": .string("Leo")])
        world.insert(world.person(-2), ["name": .string("Leo")])
        for key in [3, 5] as [Int64] {
            world.update(world.person(key), ["name": .string("Leo")])
            world.fresh.insert(world.snapshot(world.person(key), version: 1))
        }
        world.update(world.person(6), ["name": .string("Leo")])
        func twins(_ keys: Int64...) -> ConstraintConflict {
            ConstraintConflict(constraint: ["name"], conflictingObjects: keys.map { world.person($0) })
        }
        let row = world.snapshot(world.person(4), version: 1, ["name": .value(.string("Leo"))])
        // Also where the other one is written anew under its key.
        let anew = conflict(world.person(-1), world.snapshot(world.person(-2), version: 1))
        for conflicts in [
            [twins(3, 5)], [conflict(world.person(-1), row), twins(3, 5)], [twins(-1, 3, 5)],
            [conflict(world.person(3), row)], [anew],
            // The row of this one could not be read.
            [twins(-1, 6)], [],
        ] {
            expect([nil, nil, nil, nil], world, conflicts)
        }
    }

    @Test func `a chain of conflicts ends after as many passes as there are objects`() throws {
        var world = try SettlementCase()
        let count: Int64 = 12
        // The boss of each is unique, so that the row of one is known once its boss has become a row.
        for key in 1...count {
            world.insert(world.person(-key), toOnes: key == 1 ? [:] : ["boss": world.person(1 - key)])
        }
        var (settled, passes) = (SettledConflicts(), 0)
        while let next = world.request.insertions.first(where: { insertion in
            let boss = insertion.toOnes[world.slot("boss", of: insertion.row)]
            return boss.map { $0.key > 0 } ?? true
        }) {
            let row = world.snapshot(world.person(100 - next.row.key), version: 1)
            let met = UniquenessConflicts(conflicts: [.init(row: next.row, existing: row.row, constraint: ["boss"])])
            let isNew = settled.note(.constraints(met))
            #expect(isNew)
            var settlement = world.settlement(.mergeByPropertyStoreTrumpMergePolicyType)
            let isSettled = settlement.settle([conflict(next.row, row)])
            #expect(isSettled)
            world.request = settlement.request
            passes += 1
        }
        #expect(passes == Int(count) && world.request.isEmpty)
    }

    @Test func `a pass that meets only settled conflicts makes no progress`() throws {
        let world = try SettlementCase()
        let (one, other) = (world.person(1), world.person(2))
        var settled = SettledConflicts()
        func links(isDeletion: Bool) -> MetConflicts {
            .links(
                LinkConflicts(conflicts: [
                    .init(row: one, relationship: 0, destination: other, isDeletion: isDeletion)
                ]))
        }
        func row(_ row: RowID, _ version: Int64) -> SaveConflicts.Conflict {
            SaveConflicts.Conflict(row: row, expected: version, exists: true)
        }
        // One that is new is enough.
        let passes: [(met: MetConflicts, isNew: Bool)] = [
            (.rows(SaveConflicts(conflicts: [row(one, 1)])), true), (links(isDeletion: true), true),
            (links(isDeletion: false), true), (links(isDeletion: true), false),
            (.rows(SaveConflicts(conflicts: [row(one, 5)])), false),
            (.rows(SaveConflicts(conflicts: [row(one, 1), row(other, 1)])), true),
        ]
        for pass in passes {
            let isNew = settled.note(pass.met)
            #expect(isNew == pass.isNew)
        }
        if MetConflicts(CoreDataError(NSManagedObjectMergeError, "")) != nil { Issue.record("no conflict of a store") }
    }
}
