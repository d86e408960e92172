import Foundation
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

/// Positions in ordered relationships: what they say, and how much is looked at for them.
@Suite("Ordered members", .overEachStore) struct OrderedMemberTests {
    static let seeds: [UInt64] =
        ProcessInfo.processInfo.environment["SWORM_SEED"].flatMap { UInt64($0) }.map { [$0] } ?? [1, 2, 3]

    private func objects(_ count: Int) -> [NSManagedObject] {
        let entity = NSEntityDescription()
        return (0..<count).map { _ in NSManagedObject(entity: entity, insertInto: nil) }
    }

    @Test(arguments: seeds) func `an order agrees with an array, and stays low`(seed: UInt64) {
        print("order of numbers, seed \(seed)")
        var random = SeededRandom(seed: seed)
        var plain = Array(0..<300)
        let order = MemberOrder(plain)
        var free = Array(300..<2000)
        let before = order.steps
        for step in 0..<4000 {
            switch random.next() % 4 {
            case 0:
                guard !free.isEmpty else { continue }
                let number = free.removeLast()
                let position = Int(random.next() % UInt64(plain.count + 1))
                plain.insert(number, at: position)
                order.insert(number, at: position)
            case 1:
                guard plain.count > 1 else { continue }
                let number = plain.remove(at: Int(random.next() % UInt64(plain.count)))
                free.append(number)
                order.remove(number)
            case 2:
                let position = Int(random.next() % UInt64(plain.count))
                #expect(order.number(at: position) == plain[position])
            default:
                let position = Int(random.next() % UInt64(plain.count))
                #expect(order.position(of: plain[position]) == position)
            }
            if step % 500 == 0 {
                #expect(MemberOrder(copying: order).numbers == plain)
                #expect(MemberOrder(plain).numbers == plain)
            }
        }
        #expect(order.numbers == plain)
        #expect(order.count == plain.count)
        // Some 300 members: a depth of about 2 * ln(300) = 11, and as much again for what is turned on the way.
        #expect(order.steps - before < 4000 * 30, "\(order.steps - before)")
    }

    @Test(arguments: seeds) func `members agree with an array, before they are loaded and after`(seed: UInt64) {
        print("members, seed \(seed)")
        var random = SeededRandom(seed: seed)
        let all = objects(120)
        for isLoaded in [true, false] {
            let members = ToManyMembers(isLoaded: isLoaded)
            let stored = isLoaded ? [] : Array(all[..<40])
            var plain = stored
            func pick() -> NSManagedObject { all[Int(random.next() % UInt64(all.count))] }
            if !isLoaded {
                for _ in 0..<200 {
                    let object = pick()
                    let isIn = plain.contains { $0 === object }
                    if isIn { members.remove(object) } else { members.add(object) }
                    if isIn { plain.removeAll { $0 === object } } else { plain.append(object) }
                }
                #expect(members.count == 0 && members.objects.isEmpty && !members.contains(plain[0]))
                members.load(stored.map { ($0, nil) })
            }
            for step in 0..<3000 {
                let object = pick()
                let place = plain.firstIndex { $0 === object }
                switch random.next() % 8 {
                case 0, 1:
                    members.add(object)
                    if place == nil { plain.append(object) }
                case 2:
                    members.remove(object)
                    if let place { plain.remove(at: place) }
                case 3, 4:
                    let position = Int(random.next() % 140) - 10
                    members.move(object, to: position)
                    if let place {
                        plain.remove(at: place)
                        plain.insert(object, at: max(0, min(position, plain.count)))
                    }
                case 5: #expect(members.position(of: object) == place)
                case 6:
                    let position = Int(random.next() % 140)
                    #expect(members.object(at: position) === (position < plain.count ? plain[position] : nil))
                default:
                    guard step % 9 == 0 else { continue }
                    plain.shuffle(using: &random)
                    members.reorder(plain)
                }
                #expect(members.count == plain.count)
                if step % 50 == 0 {
                    #expect(ToManyMembers(copying: members).objects == plain)
                    #expect(members.object(at: members.count - 1) === plain.last)
                }
                if step % 300 == 0 { #expect(members.objects == plain) }
            }
            #expect(members.objects == plain)
            #expect(Set(members.difference().added) == Set(plain).subtracting(stored))
            #expect(Set(members.difference().removed) == Set(stored).subtracting(plain))
        }
    }

    /// How many members and nodes are looked at by as many changes as there are members.
    private func steps(
        _ count: Int, _ change: (_ members: ToManyMembers, _ object: NSManagedObject, _ index: Int) -> Void
    ) -> Int {
        let all = objects(2 * count)
        let members = ToManyMembers(isLoaded: true)
        for object in all[..<count] { members.add(object) }
        let before = members.steps
        for index in 0..<count { change(members, all[count + index], index) }
        return members.steps - before
    }

    private func expectLinear(
        sourceLocation: SourceLocation = #_sourceLocation,
        _ change: (_ members: ToManyMembers, _ object: NSManagedObject, _ index: Int) -> Void
    ) {
        let (few, many) = (steps(1000, change), steps(8000, change))
        // n log n: each change looks at three nodes more.
        #expect(many < few * 8 * 2 + 8000, "\(few) and \(many)", sourceLocation: sourceLocation)
        #expect(many < 8000 * 80, "\(many)", sourceLocation: sourceLocation)
    }

    @Test func `insertions, moves and removals at any position look at few members`() {
        expectLinear { members, object, _ in
            members.add(object)
            members.move(object, to: 0)
        }
        expectLinear { members, object, index in
            members.add(object)
            members.move(object, to: index / 2)
        }
        expectLinear { members, _, _ in
            if let last = members.object(at: members.count - 1) { members.move(last, to: 0) }
        }
        expectLinear { members, _, index in
            if let object = members.object(at: index * 7919 % members.count) { members.move(object, to: index) }
        }
        expectLinear { members, _, _ in
            if let first = members.object(at: 0) { members.remove(first) }
        }
        expectLinear { members, _, index in
            if let object = members.object(at: index * 7919 % members.count) { members.remove(object) }
        }
        // A queue: what is added at one end is taken out at the other.
        expectLinear { members, object, _ in
            members.add(object)
            if let first = members.object(at: 0) { members.remove(first) }
        }
    }

    @Test func `members that are only appended, read and taken from the end are looked at by their names alone`() {
        #expect(steps(1000) { members, object, _ in members.add(object) } == 0)
        #expect(steps(1000) { members, _, index in _ = members.object(at: index) } == 0)
        #expect(
            steps(1000) { members, _, _ in
                if let last = members.object(at: members.count - 1) { members.remove(last) }
            } == 0)
        // Before they are loaded, too.
        let members = ToManyMembers(isLoaded: false)
        let all = objects(2000)
        for object in all { members.add(object) }
        for object in all { members.remove(object) }
        #expect(members.steps < 10 * all.count, "\(members.steps)")
        #expect(members.noted.added.isEmpty && members.noted.removed.count == 2000)
    }

    @Test func `an object's ordered relationship takes insertions and moves without a look at all members`() throws {
        func steps(_ count: Int) throws -> Int {
            let context = try GraphLibrary.context()
            let book = try context.make("Book", ["title": "A"])
            guard case .relationship(let slot)? = book.compiledEntity.slot(named: "reviews") else { return 0 }
            for mark in 0..<count {
                try book.insertMember(slot, object: try context.make("Review", ["mark": mark]), at: 0)
            }
            try context.save()
            let before = book.members(slot).steps
            for mark in 0..<count {
                try book.insertMember(slot, object: try context.make("Review", ["mark": mark]), at: 1)
                try book.moveMember(slot, from: 2 * mark % count, to: mark)
            }
            let found = book.members(slot).steps - before
            try context.save()
            let order = book.list("reviews").map(\.objectID)
            #expect(order.count == 2 * count)
            context.reset()
            #expect(try #require(try context.all("Book").first).list("reviews").map(\.objectID) == order)
            return found
        }
        let (few, many) = (try steps(100), try steps(800))
        #expect(many < few * 8 * 2 + 800, "\(few) and \(many)")
    }

    @Test(arguments: seeds) func `the members of an ordered set that Foundation sees follow each change`(seed: UInt64)
        throws
    {
        print("ordered set, seed \(seed)")
        var random = SeededRandom(seed: seed)
        let context = try GraphLibrary.context()
        let book = try context.make("Book", ["title": "A"])
        let reviews = try (0..<12).map { try context.make("Review", ["mark": $0]) }
        let set = book.mutableOrderedSetValue(forKey: "reviews")
        for _ in 0..<400 {
            let review = reviews[Int(random.next() % 12)]
            let position = Int(random.next() % UInt64(set.count + 1))
            switch random.next() % 6 {
            case 0: set.add(review)
            case 1: set.insert(review, at: position)
            case 2: set.remove(review)
            case 3: if position < set.count { set.removeObject(at: position) }
            case 4: if position < set.count { set.replaceObject(at: position, with: review) }
            default: review.setValue(random.next() % 2 == 0 ? book : nil, forKey: "book")
            }
            // A change that came another way is seen with the next one through the set.
            set.remove(reviews[0])
            let present = book.list("reviews")
            #expect(set.count == present.count)
            if !present.contains(reviews[0]), let last = present.last {
                #expect(set.object(at: present.count - 1) as? NSManagedObject === last)
                #expect(set.index(of: last) == present.count - 1)
            }
        }
        set.add(reviews[3])
        set.insert(reviews[0], at: 0)
        #expect(set.array as? [NSManagedObject] == book.list("reviews"))
    }
}
