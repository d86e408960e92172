import Foundation
import SwormSQLite
import Testing
import TestSupport

@testable import OpenCoreData
@testable import SwormStore

/// Writers with all policies save into one file at random, and a plain model says what each save leaves.
///
/// `SWORM_SEED` runs one seed, `SWORM_SEEDS` that many, `SWORM_STEPS` sets the steps of each.
@Suite("Random settling")
struct RandomSettlingTests {
    private static func number(_ name: String) -> Int? { ProcessInfo.processInfo.environment[name].flatMap { Int($0) } }
    static let seeds = number("SWORM_SEED").map { [$0] } ?? Array(1...(number("SWORM_SEEDS") ?? 4))
    static let steps = number("SWORM_STEPS") ?? 500

    @Test(arguments: seeds, [2, 3]) func `every save leaves the state of a plain model`(seed: Int, writers: Int) throws
    {
        let folder = try StoreFolder()
        var run = try SettlingRun(seed: UInt64(seed), writers: writers, url: folder.url())
        for _ in 0..<Self.steps where !run.hasFailed { try run.step() }
        print("random settling, seed \(seed), \(writers) writers: \(run.saves) saves, \(run.conflicts) with conflicts")
        #expect(run.saves > Self.steps / 20 && run.conflicts > Self.steps / 50)
    }
}

/// A row as the plain model has it.
private struct PlainRow: Equatable {
    var x: Int64
    var y: Int64
    /// Unique.
    var code: Int64?
    /// Another one after each write, of all rows.
    var stamp = 0

    var values: [Int64?] { [x, y, code] }
}

private struct Writer {
    var context: NSManagedObjectContext
    /// The rows as they were read, with their objects.
    var known: [Int64: (object: NSManagedObject, row: PlainRow)] = [:]
    var changed: [Int64: PlainRow] = [:]
    /// The rows of which a value was set, in the order of the first time.
    var touched: [Int64] = []
    var deleted: Set<Int64> = []
    var inserted: [(object: NSManagedObject, row: PlainRow)] = []

    mutating func forgetChanges() { (changed, touched, deleted, inserted) = ([:], [], [], []) }
}

private struct SettlingRun {
    let seed: UInt64
    private var random: SeededRandom
    private var writers: [Writer] = []
    private var rows: [Int64: PlainRow] = [:]
    private var lastStamp = 0
    private let folder: URL
    private(set) var saves = 0
    private(set) var conflicts = 0
    private(set) var hasFailed = false
    private var log: [String] = []

    init(seed: UInt64, writers count: Int, url: URL) throws {
        self.seed = seed
        random = SeededRandom(seed: seed)
        folder = url
        let thing = Build.entity(
            "Thing", ["code", "x", "y"].map { Build.attribute($0, .integer64AttributeType) })
        thing.uniquenessConstraints = [["code"]]
        for _ in 0..<count {
            let coordinator = try GraphLibrary.coordinator(at: url, model: Build.model(thing))
            writers.append(Writer(context: GraphLibrary.context(coordinator)))
        }
    }

    mutating func step() throws {
        let index = random.pick(writers.count)
        switch random.pick(12) {
        case 0: try refresh(index)
        case 1..<3: try save(index)
        case 3..<5: try insert(index)
        case 5: delete(index)
        default: change(index)
        }
    }

    private mutating func refresh(_ index: Int) throws {
        writers[index].context.reset()
        writers[index] = Writer(context: writers[index].context)
        for object in try writers[index].context.all("Thing") {
            let key = object.objectID.key
            guard let row = rows[key] else { return fail("row \(key) is in the store and not in the model") }
            writers[index].known[key] = (object, row)
            // What is read is kept.
            expect(object, row, "read")
        }
        log.append("\(index): reads \(writers[index].known.keys.sorted())")
    }

    private mutating func pick(_ index: Int) -> Int64? {
        random.pick(writers[index].known.keys.filter { !writers[index].deleted.contains($0) }.sorted())
    }

    private mutating func change(_ index: Int) {
        guard let key = pick(index), let known = writers[index].known[key] else { return }
        var row = writers[index].changed[key] ?? known.row
        let (name, value) = (random.chance(50) ? "x" : "y", Int64(random.pick(4)))
        if name == "x" { row.x = value } else { row.y = value }
        known.object.setValue(NSNumber(value: value), forKey: name)
        // A value that is set back is no change.
        writers[index].changed[key] = row == known.row ? nil : row
        if !writers[index].touched.contains(key) { writers[index].touched.append(key) }
        log.append("\(index): \(key).\(name) = \(value)")
    }

    private mutating func delete(_ index: Int) {
        guard let key = pick(index), let known = writers[index].known[key] else { return }
        writers[index].context.delete(known.object)
        writers[index].deleted.insert(key)
        writers[index].changed[key] = nil
        writers[index].touched.removeAll { $0 == key }
        log.append("\(index): deletes \(key)")
    }

    private mutating func insert(_ index: Int) throws {
        let row = PlainRow(
            x: Int64(random.pick(4)), y: Int64(random.pick(4)), code: random.chance(70) ? Int64(random.pick(8)) : nil)
        let object = try writers[index].context.make("Thing", ["x": row.x, "y": row.y])
        object.setValue(row.code.map { NSNumber(value: $0) }, forKey: "code")
        writers[index].inserted.append((object, row))
        log.append("\(index): inserts \(row.values)")
    }

    // MARK: Saving

    /// What the plain model expects of a save.
    private struct Expectation {
        var rows: [Int64: PlainRow]
        /// The rows that inserted objects become, by the place of the insertion; nil for a new row.
        var merged: [Int: Int64] = [:]
        /// The new rows, by the place of the insertion.
        var added: [Int: PlainRow] = [:]
        /// The insertions that become one with a new row.
        var twins: Set<Int> = []
        var hasConflicts = false
        var fails = false
        /// The rows that are known as they are in the store afterwards.
        var seen: Set<Int64> = []
        /// Rows that were inserted anew and then became one with another row.
        var moved: [Int64: Int64] = [:]
    }

    private mutating func save(_ index: Int) throws {
        let policy = ContentionModel.policies[random.pick(5)]
        let expected = expectation(writers[index], policy)
        let context = writers[index].context
        context.mergePolicy = NSMergePolicy(merge: policy)
        let error = coreDataError { try context.save() }
        log.append("\(index): saves by policy \(policy.rawValue), error \(error?.message ?? "-")")
        if expected.hasConflicts { conflicts += 1 }
        guard (error != nil) == expected.fails else {
            return fail("expected \(expected.fails ? "an error" : "success")")
        }
        guard error == nil else {
            check(rows)
            if random.chance(60) {
                context.rollback()
                writers[index].forgetChanges()
            }
            return
        }
        saves += 1
        rows = expected.rows
        adopt(index, expected)
        check(rows)
    }

    private func contextPrevails(_ policy: NSMergePolicyType) -> Bool {
        policy == .overwriteMergePolicyType || policy == .mergeByPropertyObjectTrumpMergePolicyType
    }

    private func expectation(_ writer: Writer, _ policy: NSMergePolicyType) -> Expectation {
        var result = Expectation(rows: rows)
        // Two objects of one context with the same code. That is looked at where insertions may bring new ones.
        let codes =
            writer.inserted.compactMap(\.row.code)
            + writer.touched.compactMap { writer.changed[$0] == nil ? nil : writer.known[$0]?.row.code }
        if policy == .errorMergePolicyType, !writer.inserted.isEmpty, Set(codes).count < codes.count {
            result.fails = true
            return result
        }
        var anew: [(key: Int64, row: PlainRow)] = []
        for key in writer.touched {
            guard let mine = writer.changed[key], let base = writer.known[key]?.row else { continue }
            result.seen.insert(key)
            guard let now = rows[key] else {
                result.hasConflicts = true
                if contextPrevails(policy) { anew.append((key, mine)) }
                continue
            }
            guard now.stamp != base.stamp else {
                result.rows[key] = mine
                continue
            }
            result.hasConflicts = true
            result.rows[key] = settled(base, mine, now, policy)
        }
        for key in writer.deleted {
            guard let base = writer.known[key]?.row, let now = rows[key] else {
                result.hasConflicts = true
                continue
            }
            result.seen.insert(key)
            let isStale = now.stamp != base.stamp
            if isStale { result.hasConflicts = true }
            if !isStale || contextPrevails(policy) { result.rows[key] = nil }
        }
        for (key, row) in anew {
            if let holder = holder(of: row.code, in: result.rows) {
                result.moved[key] = holder
                result.seen.insert(holder)
                result.rows[holder]?.x = row.x
                result.rows[holder]?.y = row.y
            } else {
                result.rows[key] = row
            }
        }
        for (place, insertion) in writer.inserted.enumerated() {
            guard let key = holder(of: insertion.row.code, in: result.rows) else {
                guard let code = insertion.row.code, let first = result.added.first(where: { $0.value.code == code })
                else {
                    result.added[place] = insertion.row
                    continue
                }
                // As if they had been saved one after the other.
                result.hasConflicts = true
                result.twins.insert(place)
                if contextPrevails(policy) { result.added[first.key] = insertion.row }
                continue
            }
            result.hasConflicts = true
            result.merged[place] = key
            result.seen.insert(key)
            guard contextPrevails(policy) else { continue }
            result.rows[key]?.x = insertion.row.x
            result.rows[key]?.y = insertion.row.y
        }
        if policy == .errorMergePolicyType, result.hasConflicts { result.fails = true }
        return result
    }

    private func settled(
        _ base: PlainRow, _ mine: PlainRow, _ now: PlainRow, _ policy: NSMergePolicyType
    ) -> PlainRow {
        var result = now
        switch policy {
        case .overwriteMergePolicyType: (result.x, result.y) = (mine.x, mine.y)
        case .mergeByPropertyObjectTrumpMergePolicyType:
            if mine.x != base.x { result.x = mine.x }
            if mine.y != base.y { result.y = mine.y }
        case .mergeByPropertyStoreTrumpMergePolicyType:
            if mine.x != base.x, now.x == base.x { result.x = mine.x }
            if mine.y != base.y, now.y == base.y { result.y = mine.y }
        case .rollbackMergePolicyType, .errorMergePolicyType: break
        }
        return result
    }

    private func holder(of code: Int64?, in rows: [Int64: PlainRow]) -> Int64? {
        code == nil ? nil : rows.first { $0.value.code == code }?.key
    }

    // MARK: After a save

    /// Takes the keys of new rows, gives rows that were written their stamps, and looks at the objects.
    private mutating func adopt(_ index: Int, _ expected: Expectation) {
        let before = writers[index]
        var seen = expected.seen
        for (place, insertion) in before.inserted.enumerated() {
            if expected.twins.contains(place) {
                if insertion.object.managedObjectContext != nil { fail("insertion \(place) is an object of its own") }
                continue
            }
            let key = expected.merged[place] ?? insertion.object.objectID.key
            if expected.merged[place] == nil { rows[key] = expected.added[place] }
            guard insertion.object.objectID.key == key else { return fail("insertion \(place) is not row \(key)") }
            seen.insert(key)
            // An object that became one with the object of a row has left the context.
            if insertion.object.managedObjectContext != nil, let row = rows[key] {
                writers[index].known[key] = (insertion.object, row)
            }
        }
        for (key, other) in expected.moved {
            if let object = before.known[key]?.object, object.managedObjectContext != nil, let row = rows[other] {
                writers[index].known[other] = (object, row)
            }
        }
        writers[index].forgetChanges()
        for key in stamps.keys where rows[key] == nil { stamps[key] = nil }
        for key in before.known.keys where rows[key] == nil && (seen.contains(key) || before.deleted.contains(key)) {
            writers[index].known[key] = nil
        }
        for key in seen where rows[key] != nil {
            lastStamp += 1
            // Only the versions in the file say whether a row was written, which no rule of a policy depends on.
            if version(key) != stamps[key] {
                stamps[key] = version(key)
                rows[key]?.stamp = lastStamp
            }
            guard let row = rows[key], let known = writers[index].known[key] else { continue }
            writers[index].known[key] = (known.object, row)
            expect(known.object, row, "after the save")
        }
    }

    /// The versions of rows in the file.
    private var stamps: [Int64: String] = [:]

    private func version(_ key: Int64) -> String? {
        try? Connection(.file(path: folder.path), options: .init(busyTimeout: 0.3)).lines(
            "SELECT Z_OPT FROM ZTHING WHERE Z_PK = \(key)"
        ).first
    }

    private mutating func expect(_ object: NSManagedObject, _ row: PlainRow, _ moment: String) {
        let found = ["x", "y", "code"].map { (object.value(forKey: $0) as? NSNumber)?.int64Value }
        if found != row.values { fail("\(object.objectID) has \(found) \(moment), and should have \(row.values)") }
    }

    private mutating func check(_ expected: [Int64: PlainRow]) {
        let lines = try? Connection(.file(path: folder.path), options: .init(busyTimeout: 0.3)).lines(
            "SELECT Z_PK, ZX, ZY, ZCODE FROM ZTHING ORDER BY Z_PK")
        let wanted = expected.sorted { $0.key < $1.key }.map { key, row in
            "\(key)|\(row.x)|\(row.y)|\(row.code.map(String.init) ?? "NULL")"
        }
        if lines != wanted { fail("the store has \(lines ?? []), and should have \(wanted)") }
    }

    private mutating func fail(_ text: String) {
        guard !hasFailed else { return }
        hasFailed = true
        Issue.record("seed \(seed): \(text)\n\(log.suffix(40).joined(separator: "\n"))")
    }
}
