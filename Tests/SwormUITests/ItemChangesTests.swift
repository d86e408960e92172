import Foundation
@testable import Sworm
@testable import SwormUI
import TestSupport
import Testing

@Suite("Item changes")
struct ItemChangesTests {
    @Test func `of a list without sections are in one section`() {
        var changes = ListChanges()
        (changes.removed, changes.inserted, changes.updated) = ([1], [0, 2], [3])
        changes.moved = [.init(from: 4, to: 1)]
        let items = ItemChanges(changes, section: 2)
        #expect(items.removed == [[2, 1]] && items.inserted == [[2, 0], [2, 2]] && items.updated == [[2, 3]])
        #expect(items.moved == [.init(from: [2, 4], to: [2, 1])])
        #expect(items.removedSections.isEmpty && items.insertedSections.isEmpty)
    }

    @Test func `leave out the items of sections that come and go`() {
        var changes = ListChanges()
        (changes.sections.removed, changes.sections.inserted) = ([0], [1])
        (changes.removed, changes.inserted) = ([0, 2], [0, 3])
        changes.moved = [.init(from: 1, to: 1), .init(from: 3, to: 2)]
        let items = ItemChanges(changes, from: [0..<2, 2..<5], to: [0..<2, 2..<4])
        #expect(items.removed == [[1, 0], [1, 1]])
        #expect(items.inserted == [[0, 0], [0, 1]])
        #expect(items.moved.isEmpty)
    }

    /// A long run: SWORM_LIST_CHANGES=1000000 swift test --filter ItemChangesTests
    @Test func `lead a view from any sections to any other ones`() {
        let environment = ProcessInfo.processInfo.environment
        let count = environment["SWORM_LIST_CHANGES"].flatMap { Int($0) } ?? 5_000
        let seed = environment["SWORM_RANDOM_SEED"].flatMap { UInt64($0) } ?? 1
        print("Item changes: \(count), SWORM_RANDOM_SEED=\(seed)")
        var random = SeededRandom(seed: seed)
        var old = RandomShelf()
        for turn in 0..<count {
            let new = old.next(&random)
            let list = SectionedLiveList(rows: new.rows, changes: new.rows.changes(since: old.rows), since: old.rows)
            guard SectionView(old).applied(ItemChanges(list), of: new) == SectionView(new).sections else {
                Issue.record("SWORM_RANDOM_SEED=\(seed), turn \(turn): \(old.books) to \(new.books)")
                return
            }
            #expect(list.changes.applied(to: old.books) { new.books[$0] } == new.books)
            if old.books.count <= 6 { #expect(list.changes.moved.count == old.fewestMoves(to: new)) }
            old = new
        }
    }
}

/// A list of books, sorted by a key, with the rows that a store would give for it.
private struct RandomShelf {
    struct Item: Equatable {
        var id: Int64
        var version: Int64
    }

    private(set) var books: [Item] = []
    /// The keys and the order belong to related objects, so that they change without a new version of the book.
    private var keys: [Int64: Int] = [:]
    private var orders: [Int64: Int] = [:]
    private var isAscending = true

    var rows: SectionedRows<Book, Int> {
        let records = books.map { item in
            LiveRecord(value: Book(), identity: LiveIdentity(key: item.id, source: 0), version: item.version)
        }
        var rows = SectionedRows<Book, Int>()
        rows.rows = LiveRows(records, stamps: LiveRecord.stamps(records))
        for (offset, item) in books.enumerated() {
            if let last = rows.sections.last, last.key == key(of: item) {
                rows.sections[rows.sections.count - 1].range = last.range.lowerBound..<offset + 1
            } else {
                rows.sections.append(
                    .init(
                        key: key(of: item), identity: .value(.int(Int64(key(of: item)))), range: offset..<offset + 1))
            }
        }
        return rows
    }

    func key(of item: Item) -> Int { keys[item.id] ?? Int(item.id % 4) }

    func next(_ random: inout SeededRandom) -> RandomShelf {
        var next = self
        let limit = random.chance(50) ? 6 : 20
        for _ in 0...random.pick(5) {
            let number = next.books.isEmpty ? 0 : random.pick(next.books.count)
            switch random.pick(6) {
            case 0, 1:
                let id = Int64(random.pick(40))
                if next.books.count < limit, !next.books.contains(where: { $0.id == id }) {
                    next.books.append(Item(id: id, version: 0))
                }
            case 2: if !next.books.isEmpty { next.books.remove(at: number) }
            case 3: if !next.books.isEmpty { next.keys[next.books[number].id] = random.pick(4) }
            case 4: if !next.books.isEmpty { next.orders[next.books[number].id] = random.pick(9) }
            default: if !next.books.isEmpty { next.books[number].version += 1 }
            }
        }
        if next.books.count > limit { next.books.removeLast(next.books.count - limit) }
        // Another request may have the opposite order.
        if random.chance(5) { next.isAscending.toggle() }
        let sign = next.isAscending ? 1 : -1
        func rank(_ item: Item) -> (Int, Int, Int64) { (sign * next.key(of: item), next.orders[item.id] ?? 0, item.id) }
        next.books = next.books.sorted { rank($0) < rank($1) }
        return next
    }

    /// Returns the smallest number of moves: all kept books but the largest set that keeps its order and its sections.
    func fewestMoves(to new: RandomShelf) -> Int {
        let kept = books.enumerated().compactMap { old in
            new.books.firstIndex { $0.id == old.element.id }.map { (old: old.offset, new: $0) }
        }
        var best = 0
        for set in 0..<(1 << kept.count) {
            let stays = kept.indices.filter { set & (1 << $0) != 0 }.map { kept[$0] }
            let isOrdered = zip(stays, stays.dropFirst()).allSatisfy { $0.new < $1.new }
            let isInSection = stays.allSatisfy { key(of: books[$0.old]) == new.key(of: new.books[$0.new]) }
            if isOrdered, isInSection { best = max(best, stays.count) }
        }
        return kept.count - best
    }
}

/// The items of a table view, which are changed by its rules.
private struct SectionView {
    private(set) var sections: [[RandomShelf.Item]]

    init(_ shelf: RandomShelf) { sections = shelf.rows.sections.map { Array(shelf.books[$0.range]) } }

    /// Returns the items after a batch: sections and items are deleted by their old paths, inserted by their new ones, and
    /// then reloaded. Nil if a rule is broken.
    func applied(_ changes: ItemChanges, of shelf: RandomShelf) -> [[RandomShelf.Item]]? {
        let new = SectionView(shelf).sections
        let leaving = changes.removed + changes.moved.map(\.from)
        let entering =
            changes.inserted.map { ($0, new[$0[0]][$0[1]]) }
            + changes.moved.map { ($0.to, sections[$0.from[0]][$0.from[1]]) }
        guard Set(leaving).count == leaving.count, Set(entering.map(\.0)).count == entering.count,
            leaving.allSatisfy({ !changes.removedSections.contains($0[0]) }),
            entering.allSatisfy({ !changes.insertedSections.contains($0.0[0]) })
        else { return nil }
        var result: [[RandomShelf.Item]] = []
        for (number, items) in sections.enumerated() where !changes.removedSections.contains(number) {
            let gone = Set(leaving.filter { $0[0] == number }.map { $0[1] })
            result.append(items.enumerated().filter { !gone.contains($0.offset) }.map(\.element))
        }
        for number in changes.insertedSections {
            guard number <= result.count else { return nil }
            result.insert(new[number], at: number)
        }
        for (path, item) in entering.sorted(by: { $0.0 < $1.0 }) {
            guard path[0] < result.count, path[1] <= result[path[0]].count else { return nil }
            result[path[0]].insert(item, at: path[1])
        }
        for path in changes.updated { result[path[0]][path[1]] = new[path[0]][path[1]] }
        return result
    }
}
