import SwormPredicates
import TestSupport
import Testing

@Suite("Differences of lists")
struct ListDifferenceTests {
    private func difference(_ old: [Int], _ new: [Int], _ canStay: (Int, Int) -> Bool) -> ListDifference {
        ListDifference(from: old.count, { old[$0] }, to: new.count, { new[$0] }, canStay: canStay) { _, _ in true }
    }

    @Test func `objects that may not stay are moved, also where their offsets are equal`() {
        let list = [1, 2, 3, 4, 5]
        #expect(difference(list, list) { _, _ in true }.moved.isEmpty)
        let moved = difference(list, list) { old, _ in ![0, 3].contains(old) }.moved
        #expect(moved == [.init(old: 0, new: 0), .init(old: 3, new: 3)])
    }

    @Test func `the objects that stay keep their order, and are as many as possible`() {
        print("seed 1")
        var random = SeededRandom(seed: 1)
        for _ in 0..<2_000 {
            let old = Array(0..<random.pick(9)).shuffled(using: &random)
            let kept = old.filter { _ in random.chance(80) }.shuffled(using: &random)
            let new = kept + [100, 101].prefix(random.pick(3))
            let fixed = Set(old.filter { _ in random.chance(20) })
            let found = difference(old, new) { old_, _ in !fixed.contains(old[old_]) }
            let moved = Set(found.moved.map { old[$0.old] })
            let stays = new.filter { old.contains($0) && !moved.contains($0) }
            #expect(stays == old.filter { new.contains($0) && !moved.contains($0) })
            #expect(fixed.isDisjoint(with: stays))
            // The longest common order of those that may stay, by trying all of them.
            let candidates = new.filter { old.contains($0) && !fixed.contains($0) }
            let best = (0..<(1 << candidates.count)).filter { mask in
                let chosen = candidates.indices.filter { mask & (1 << $0) != 0 }.map { candidates[$0] }
                return chosen == old.filter { chosen.contains($0) }
            }.map(\.nonzeroBitCount).max()
            #expect(stays.count == best ?? 0)
            #expect(found.removed.map { old[$0] } == old.filter { !new.contains($0) })
            #expect(found.inserted.map { new[$0] } == new.filter { !old.contains($0) })
        }
    }
}
