import Foundation
import SwormPredicates
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("The tables of a context's objects")
struct IdentityTableTests {
    private func object() -> NSManagedObject {
        NSManagedObject(entity: NSEntityDescription(), insertInto: nil)
    }

    @Test func `entries are found, replaced and removed as in a dictionary`() {
        var random = SeededRandom(seed: 20_261_121)
        for retains in [true, false] {
            let origins = [object(), object()].map(ObjectIdentifier.init)
            let objects = (0..<50).map { _ in object() }
            var table = IdentityTable(retains: retains)
            var expected: [IdentityTable.Key: NSManagedObject] = [:]
            for _ in 0..<20_000 {
                // Few keys, so that runs of neighbours arise and holes are made in them; and the edges.
                let edges: [Int64] = [.min, .min + 1, .max, 0, -1]
                let number = random.next()
                let raw = number % 20 == 0 ? edges[Int(number / 20 % 5)] : Int64(number / 20 % 300)
                let key = IdentityTable.Key(
                    origin: origins[Int(random.next() % 2)], root: Int(random.next() % 2), key: raw)
                switch random.next() % 4 {
                case 0, 1:
                    let object = objects[Int(random.next() % 50)]
                    table[key] = object
                    expected[key] = object
                case 2:
                    table[key] = nil
                    expected[key] = nil
                default: break
                }
                #expect(table[key] === expected[key])
                if number % 100 == 0 { #expect(table.checkInvariants()) }
            }
            for (key, object) in expected { #expect(table[key] === object) }
            #expect(table.objects.count == expected.count && table.entryCount == expected.count)
            table.retains.toggle()
            for (key, object) in expected { #expect(table[key] === object) }
        }
    }

    @Test func `keys that are all multiples of one number, or follow each other, are found and removed`() {
        let objects = (0..<50).map { _ in object() }
        let origin = ObjectIdentifier(objects[0])
        for distance in [Int64(1), -1, 16, 64, 1 << 40] {
            var table = IdentityTable(retains: true)
            func key(_ number: Int) -> IdentityTable.Key {
                .init(origin: origin, root: 1, key: Int64(number) &* distance)
            }
            for number in 0..<3000 { table[key(number)] = objects[number % 50] }
            for number in stride(from: 0, to: 3000, by: 3) { table[key(number)] = nil }
            #expect(table.objects.count == 2000)
            for number in 0..<3000 {
                let found = table[key(number)]
                #expect(number % 3 == 0 ? found == nil : found === objects[number % 50])
            }
        }
    }

    @Test func `only a table that retains keeps its objects alive`() {
        let origin = ObjectIdentifier(object())
        for retains in [true, false] {
            var table = IdentityTable(retains: retains)
            for key in 0..<1000 { table[.init(origin: origin, root: 1, key: Int64(key))] = object() }
            #expect(table.objects.count == (retains ? 1000 : 0))
            #expect((table[.init(origin: origin, root: 1, key: 5)] != nil) == retains)
        }
    }

    @Test func `emptying returns the objects that are referenced elsewhere, and releases the rest`() {
        let kept = object()
        var table = IdentityTable(retains: true)
        let origin = ObjectIdentifier(kept)
        weak var lost: NSManagedObject?
        do {
            let other = object()
            lost = other
            table[.init(origin: origin, root: 1, key: 1)] = other
        }
        table[.init(origin: origin, root: 1, key: 2)] = kept
        table[.init(origin: origin, root: 2, key: .min)] = kept
        #expect(lost != nil)
        var handed: [NSManagedObject] = []
        table.drain { handed.append($0) }
        #expect(handed.count == 2 && handed.allSatisfy { $0 === kept })
        #expect(lost == nil)
        #expect(table.isEmpty && table.objects.isEmpty)
    }

    @Test func `the smallest key counts, and its object is released like any other`() {
        let origin = ObjectIdentifier(object())
        let key = IdentityTable.Key(origin: origin, root: 1, key: .min)
        var table = IdentityTable(retains: true)
        table[key] = object()
        table[.init(origin: origin, root: 1, key: 1)] = object()
        #expect(table.entryCount == 2)
        #expect(!table.removeAll(inGroupOf: key, expecting: 1) && table[key] != nil)
        var handed = 0
        table.drain { _ in handed += 1 }
        #expect(handed == 0 && table.isEmpty)
        table[key] = object()
        #expect(table.removeAll(inGroupOf: key, expecting: 1) && table[key] == nil)
    }

    @Test func `a list keeps the order of insertion through removals and copies`() {
        var random = SeededRandom(seed: 20_261_121)
        let objects = (0..<100).map { _ in object() }
        var list = ObjectList()
        var expected: [NSManagedObject] = []
        var old: (list: ObjectList, expected: [NSManagedObject])?
        for step in 0..<5000 {
            let object = objects[Int(random.next() % 100)]
            if random.next() % 2 == 0 {
                list.insert(object)
                if !expected.contains(where: { $0 === object }) { expected.append(object) }
            } else {
                list.remove(object)
                expected.removeAll { $0 === object }
            }
            #expect(list.contains(object) == expected.contains { $0 === object })
            #expect(list.count == expected.count)
            if step == 2000 { old = (list, expected) }
            if step == 4000, let copy = old {
                (list, expected) = copy
                list.settle()
            }
        }
        #expect(list.objects.map(ObjectIdentifier.init) == expected.map(ObjectIdentifier.init))
        #expect(
            Array(list.entities) == (expected.isEmpty ? [] : Array(Set(expected.map(\.compiledEntity.number))).sorted())
        )
    }
}
