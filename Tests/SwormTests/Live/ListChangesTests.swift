import Foundation
@testable import Sworm
import TestSupport
import Testing

@Suite("List changes")
struct ListChangesTests {
    private struct Item: Equatable {
        var id: Int
        var value: Int
    }

    private func changes(from old: [Item], to new: [Item]) -> ListChanges {
        ListChanges(from: old.count, { old[$0].id }, to: new.count, { new[$0].id }) { old[$0].value == new[$1].value }
    }

    @Test func `of equal lists are empty`() {
        let list = [Item(id: 1, value: 1), Item(id: 2, value: 2)]
        #expect(changes(from: list, to: list).isEmpty)
        #expect(changes(from: [], to: []).isEmpty)
    }

    @Test func `name offsets in the old list and in the new one`() {
        let old = "abcde".utf8.map { Item(id: Int($0), value: 0) }
        var new = "xbeda".utf8.map { Item(id: Int($0), value: 0) }
        new[1].value = 1
        let changes = changes(from: old, to: new)
        #expect(changes.removed == [2])
        #expect(changes.inserted == [0])
        #expect(changes.moved.count == 2)
        #expect(changes.updated == [1])
    }

    /// A long run: SWORM_LIST_CHANGES=1000000 swift test --filter ListChangesTests
    @Test func `lead from any list to any other one with the fewest moves`() throws {
        let environment = ProcessInfo.processInfo.environment
        let count = environment["SWORM_LIST_CHANGES"].flatMap { Int($0) } ?? 20_000
        let seed = environment["SWORM_RANDOM_SEED"].flatMap { UInt64($0) } ?? 1
        print("List changes: \(count), SWORM_RANDOM_SEED=\(seed)")
        var random = SeededRandom(seed: seed)
        var list: [Item] = []
        for turn in 0..<count {
            let length = turn % 3 == 0 ? 7 : 40
            let new = next(list, length: length, &random)
            let changes = changes(from: list, to: new)
            #expect(changes.applied(to: list) { new[$0] } == new)
            let isSorted = [changes.removed, changes.inserted, changes.updated, changes.moved.map(\.to)]
                .allSatisfy { zip($0, $0.dropFirst()).allSatisfy(<) }
            #expect(isSorted)
            if list.count <= 7, new.count <= 7 { #expect(changes.moved.count == fewestMoves(from: list, to: new)) }
            let copy = try JSONDecoder().decode(ListChanges.self, from: JSONEncoder().encode(changes))
            if turn % 100 == 0 { #expect(copy == changes) }
            list = new
        }
    }

    private func next(_ list: [Item], length: Int, _ random: inout SeededRandom) -> [Item] {
        var list = list
        for _ in 0...random.pick(4) {
            switch random.pick(5) {
            case 0 where !list.isEmpty: list.remove(at: random.pick(list.count))
            case 1 where !list.isEmpty: list[random.pick(list.count)].value += 1
            case 2 where !list.isEmpty:
                let item = list.remove(at: random.pick(list.count))
                list.insert(item, at: random.pick(list.count + 1))
            case 3 where random.chance(10): list.shuffle(using: &random)
            default:
                let id = random.pick(1_000_000)
                if !list.contains(where: { $0.id == id }) {
                    list.insert(Item(id: id, value: 0), at: random.pick(list.count + 1))
                }
            }
        }
        while list.count > length { list.remove(at: random.pick(list.count)) }
        return list
    }

    /// Tries every set of items that stay where they are.
    private func fewestMoves(from old: [Item], to new: [Item]) -> Int {
        let positions = new.compactMap { item in old.firstIndex { $0.id == item.id } }
        var longest = 0
        for mask in 0..<(1 << positions.count) {
            let chosen = positions.indices.filter { mask & (1 << $0) != 0 }.map { positions[$0] }
            if zip(chosen, chosen.dropFirst()).allSatisfy(<) { longest = max(longest, chosen.count) }
        }
        return positions.count - longest
    }
}
