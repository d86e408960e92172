import Foundation
@testable import Sworm
import SwormTools
import TestSupport
import Testing

/// A long run: SWORM_LIVE_TRANSACTIONS=100000 swift test --filter LiveRandomTests. The seed of a run that failed replays
/// it: SWORM_RANDOM_SEED=…
@Suite("Live requests, at random")
struct LiveRandomTests {
    @Test(arguments: [TestStore.Place.memory, .file])
    func `always equal a new fetch`(place: TestStore.Place) throws {
        let environment = ProcessInfo.processInfo.environment
        let count = environment["SWORM_LIVE_TRANSACTIONS"].flatMap { Int($0) } ?? 400
        let first = environment["SWORM_RANDOM_SEED"].flatMap { UInt64($0) } ?? 1
        print("Live transactions: \(count), SWORM_RANDOM_SEED=\(first)")
        var (done, seed) = (0, first)
        while done < count {
            // Each store starts small again, so that lists are short and changes hit them.
            let run = try LiveRandomRun(seed: seed, in: place)
            for _ in 0..<min(250, count - done) {
                try run.step()
                done += 1
                guard run.isRight else { return }
            }
            run.end()
            seed += 1
        }
    }
}

/// Random transactions in a store with live requests.
final class LiveRandomRun {
    typealias Folder = Archive.Folder
    typealias Shelf = Archive.Shelf

    private struct Failure: Swift.Error {}

    private let seed: UInt64
    private let test: TestStore
    private var random: SeededRandom
    private var checks: [any LiveCheck] = []
    private var log: [String] = []
    private(set) var isRight = true
    var store: PersistentContainer { test.container }

    init(seed: UInt64, in place: TestStore.Place) throws {
        self.seed = seed
        random = SeededRandom(seed: seed)
        test = try Archive.store(in: place)
        let folders: [Request<Folder>] = [
            Folder.all, Folder.all.sort(\.title), Folder.all.where { $0.rank < 4 }.sort(\.rank).sort(\.number),
            Folder.all.where { $0.rank < 5 }.sort(\.rank, ascending: false).limit(6),
            Folder.all.sort(\.title).offset(3).limit(5), Folder.all.where { $0.rating == nil },
            Folder.all.where { $0.shelf.floor > 0 }.sort(\.shelf.name),
            Folder.all.where { $0.marks.any.word == "red" }, Folder.all.where { $0.marks.count > 1 },
            Folder.all.where { $0.pinnedOn.floor == 1 && $0.rating > 1 },
        ]
        for request in folders { checks.append(LiveListCheck(request, in: store)) }
        checks.append(LiveListCheck(Shelf.all.where { $0.folders.any.rank == 3 }.sort(\.name), in: store))
        checks.append(LiveListCheck(Shelf.all.where { $0.notes.count > 0 || $0.folders.count > 8 }, in: store))
        checks.append(LiveListCheck(Archive.Mark.all.where { $0.folders.any.shelf.floor == 1 }, in: store))
        checks.append(
            LiveSectionsCheck(
                Folder.all.sort(\.number).sections(by: \.rank),
                keys: Folder.all.sort(\.rank).sort(\.number).select(\.rank), in: store))
        checks.append(
            LiveSectionsCheck(
                Folder.all.sort(\.number).sections(by: \.shelf.name, ascending: false),
                keys: Folder.all.sort(\.shelf.name, ascending: false).sort(\.number).select(\.shelf.name), in: store))
        checks.append(
            LiveSectionsCheck(
                Folder.all.where { $0.rank < 6 }.sort(\.number).offset(2).limit(7).sections(by: \.rating),
                keys: Folder.all.where { $0.rank < 6 }.sort(\.rating).sort(\.number).offset(2).limit(7).select(
                    \.rating),
                in: store))
        try check()
    }

    func end() {
        for check in checks { check.end() }
        store.live.queue.sync {}
        #expect(store.live.isIdle)
    }

    func step() throws {
        switch random.pick(10) {
        case 0: try fail { try perform(in: $0) }
        case 1:
            try store.perform { context in
                try perform(in: context)
                try fail { try perform(in: $0) }
                try store.perform { try perform(in: $0) }
            }
        case 2: try store.write { context in for _ in 0..<3 { try perform(in: context) } }
        default: try store.perform { try perform(in: $0) }
        }
        try check()
    }

    private func fail(_ body: (ManagedObjectContext) throws -> Void) throws {
        log.append("failing:")
        do {
            try store.perform { context in
                try body(context)
                throw Failure()
            }
        } catch is Failure {}
    }

    private func check() throws {
        store.live.settle()
        for check in checks {
            if let problem = try check.problem() {
                isRight = false
                Issue.record("SWORM_RANDOM_SEED=\(seed): \(problem), after\n\(log.suffix(8).joined(separator: "\n"))")
                return
            }
        }
    }

    private func perform(in context: ManagedObjectContext) throws {
        let number = random.pick(60)
        let some = Folder.all.where { $0.number == number }
        let operation = random.pick(16)
        log.append("operation \(operation), number \(number)")
        func folder() throws -> ManagedObject<Folder>? {
            try context.fetchOne(Folder.all.where { $0.number >= number }.sort(\.number))
        }
        func shelf() throws -> ManagedObject<Shelf>? {
            try context.fetch(Shelf.all.sort(\.name)).randomElement(using: &random)
        }
        switch operation {
        case 0:
            guard try context.count(of: some) == 0 else { return }
            let inserted = try context.insert(makeFolder(number))
            if random.chance(70) { inserted.shelf = try shelf() }
        case 1: try folder()?.encode(\.title, "title \(random.pick(9))")
        case 2: try folder()?.encode(\.rank, random.pick(8))
        case 3: try folder()?.encode(\.rating, random.chance(50) ? nil : random.pick(5))
        case 4: if let folder = try folder() { try context.delete(folder) }
        case 5:
            let (low, rank) = (random.pick(8), random.pick(8))
            _ = try context.update(Folder.all.where { $0.rank == low }, set: (\.rank, rank))
        case 6: _ = try context.update(some, set: (\.title, "same"), (\.rating, random.pick(4)))
        case 7: _ = try context.upsert((0..<3).map { makeFolder((number + $0) % 60) }, on: \.number)
        case 8: if random.chance(30) { _ = try context.batchDelete(Folder.all.where { $0.rank == number % 8 }) }
        case 9:
            let free = try (60..<64).filter { free in
                try context.count(of: Folder.all.where { $0.number == free }) == 0
            }
            do {
                try context.insert(contentsOf: free.map { makeFolder($0) })
            } catch StoreError.Code.uniquenessViolation {
                // The deletion of a folder with the number is not saved yet.
            }
        case 10: try folder()?.shelf = random.chance(20) ? nil : try shelf()
        case 11:
            let marks = try context.fetch(Archive.Mark.all.sort(\.word))
            guard let folder = try folder(), let mark = marks.randomElement(using: &random) else { return }
            if random.chance(50) { try folder.marks.add(mark) } else { try folder.marks.remove(mark) }
        case 12:
            guard let shelf = try shelf() else { return }
            let pinned = try context.fetch(Folder.all.where { $0.number < 8 }).shuffled(using: &random)
            try shelf.notes.replace(with: Array(pinned.prefix(random.pick(4))))
        case 13: try shelf()?.encode(\.floor, random.pick(3))
        case 14: try context.fetchOne(Archive.Mark.all)?.encode(\.word, ["red", "green"][random.pick(2)])
        default:
            if random.chance(15), let shelf = try shelf() { try context.delete(shelf) }
            if random.chance(25) { _ = try context.insert(Shelf(name: "shelf \(number)", floor: random.pick(3))) }
        }
    }

    private func makeFolder(_ number: Int) -> Folder {
        Folder(
            number: number, title: "title \(random.pick(9))", rank: random.pick(8),
            rating: random.chance(30) ? nil : random.pick(5))
    }
}
