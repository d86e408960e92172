#if PostgreSQL
import Foundation
import SwormPredicates
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

/// Random requests that are saved in a file and on a server: both have the same outcome, and the same content afterwards.
@Suite("Saving: a file and a server agree", .enabled(if: PostgresServer.isEnabled))
struct SavingDifferentialTests {
    static let seeds: [UInt64] =
        ProcessInfo.processInfo.environment["SWORM_SEED"].flatMap { UInt64($0) }.map { [$0] } ?? [1, 2]
    static let steps = ProcessInfo.processInfo.environment["SWORM_STEPS"].flatMap { Int($0) } ?? 120

    @Test(arguments: seeds, SavingRun.Way.allCases)
    func `random saves have the same outcome and leave the same content`(seed: UInt64, way: SavingRun.Way) throws {
        var run = try SavingRun(seed: seed, way: way)
        for step in 0..<Self.steps { try run.step(step) }
        print("random saves, seed \(seed): \(run.outcomes.sorted { $0.key < $1.key })")
        #expect(run.outcomes["saved", default: 0] > Self.steps / 5)
    }

    @Test(arguments: seeds, SavingRun.Way.allCases)
    func `random saves leave the same history`(seed: UInt64, way: SavingRun.Way) throws {
        var run = try SavingRun(seed: seed &+ 100, way: way, keepsHistory: true)
        for step in 0..<Self.steps { try run.step(step) }
        #expect(run.outcomes["saved", default: 0] > Self.steps / 5)
        #expect(run.changes > Self.steps)
    }
}

struct SavingRun {
    /// The way in which a request is saved.
    enum Way: String, CaseIterable, Sendable { case save, transaction, view }

    let model = LibraryModel.model
    let seed: UInt64
    var random: SeededRandom
    let stores: [SavingStore]
    let way: Way
    /// The keys in each of the stores.
    var names: [RowNames]
    /// The rows that exist, with the versions that were read last.
    var rows: [(row: RowID, version: Int64)] = []
    /// The rows that were deleted, with their last versions.
    var deleted: [(row: RowID, version: Int64)] = []
    var lastName: Int64 = 0
    var outcomes: [String: Int] = [:]
    let keepsHistory: Bool
    /// The last transactions of the histories that were compared.
    var compared: [Int64]
    /// The number of changes that were compared.
    var changes = 0

    init(seed: UInt64, way: Way, keepsHistory: Bool = false) throws {
        self.seed = seed
        self.way = way
        random = SeededRandom(seed: seed)
        self.keepsHistory = keepsHistory
        stores = try SavingStore.Kind.allCases.map { try SavingStore($0, keepsHistory: keepsHistory) }
        compared = stores.map { _ in 0 }
        names = stores.map { _ in RowNames() }
    }

    mutating func step(_ number: Int) throws {
        let request = makeRequest()
        let undoesFirst = random.chance(20)
        var outcomes: [String] = []
        var results: [SaveResult?] = []
        for index in stores.indices {
            let (outcome, result) = save(translated(request, for: index), in: index, undoingFirst: undoesFirst)
            outcomes.append(outcome)
            results.append(result)
        }
        let comment: Comment = "seed \(seed), step \(number): \(request)"
        try #require(outcomes[0] == outcomes[1], comment)
        self.outcomes[outcomes[0].prefix { $0 != ":" }.description, default: 0] += 1
        if let saved = results[0], results[1] != nil {
            for (index, result) in results.enumerated() { if let result { note(request, result, in: index) } }
            adopt(request, saved)
        }
        if keepsHistory { try compareHistories(comment) }
        guard number % 5 == 0 || results[0] == nil else { return }
        let contents = try stores.indices.map { index in
            try stores[index].store.content { [names] in names[index].names[$0] ?? -$0.key }
        }
        try #require(contents[0] == contents[1], comment)
    }

    private mutating func compareHistories(_ comment: Comment) throws {
        var lists: [[[String]]] = []
        for index in stores.indices {
            let names = names[index].names
            let transactions = try stores[index].store.waitForHistory(after: compared[index])
            compared[index] = transactions.last?.number ?? compared[index]
            lists.append(
                transactions.map { $0.lines(model) { names[$0] ?? -$0.key } })
        }
        changes += lists[0].joined().count
        try #require(lists[0] == lists[1], comment)
    }

    // MARK: Requests

    /// Returns a row that exists, under its name; sometimes one that does not.
    private mutating func pick(_ entities: [Int]) -> (row: RowID, version: Int64)? {
        if random.chance(1), let entity = random.pick(entities) { return (RowID(entity: entity, key: 999_999), 1) }
        guard let found = random.pick(rows.filter { entities.contains($0.row.entity) }) else { return nil }
        guard Self.books.contains(found.row.entity), random.chance(2) else { return found }
        // A row of this entity does not exist, and the key belongs to another one.
        let other = found.row.entity == LibraryModel.book ? LibraryModel.comic : LibraryModel.book
        return entities.contains(other) ? (RowID(entity: other, key: found.row.key), found.version) : found
    }

    private static let books = [LibraryModel.book, LibraryModel.comic]

    private mutating func makeRequest() -> SaveRequest {
        var request = SaveRequest()
        request.mayRepeatValues = random.chance(10)
        var new: [RowID] = []
        var used: Set<RowID> = []
        for _ in 0..<random.pick(5) {
            let entity = random.pick(model.entities.count) + 1
            if random.chance(5), let lost = random.pick(random.chance(10) ? rows : deleted),
                used.insert(lost.row).inserted
            {
                new.append(request.insert(model[lost.row.entity], key: lost.row.key, values(of: lost.row.entity)))
                request.insertions[request.insertions.count - 1].lostVersion = lost.version
                continue
            }
            lastName += 1
            var toOnes: [String: RowID] = [:]
            if Self.books.contains(entity) { toOnes["author"] = destination([LibraryModel.author], or: new) }
            if entity == LibraryModel.page { toOnes["book"] = destination(Self.books, or: new) }
            new.append(request.insert(model[entity], key: -lastName, values(of: entity), toOnes))
        }
        for _ in 0..<random.pick(4) {
            let entities = Array(1...model.entities.count)
            guard let (row, version) = pick(entities), used.insert(row).inserted else { continue }
            if random.chance(25) {
                request.deletions.append(
                    .init(row: row, version: random.chance(20) ? nil : version, emptied: emptied(of: row.entity)))
                continue
            }
            var toOnes: [String: RowID?] = [:]
            if Self.books.contains(row.entity), random.chance(50) {
                toOnes["author"] = destination([LibraryModel.author], or: new)
            }
            if row.entity == LibraryModel.page, random.chance(70) { toOnes["book"] = destination(Self.books, or: new) }
            let changed = random.chance(80) ? values(of: row.entity) : [:]
            request.update(
                row, version: random.chance(10) ? nil : random.chance(5) ? version + 1 : version, in: model, changed,
                toOnes)
        }
        if random.chance(20), let (row, version) = pick([LibraryModel.author]) {
            request.expectations.append(.init(row: row, version: version))
        }
        for _ in 0..<random.pick(4) { addLink(to: &request, between: new) }
        return request
    }

    private mutating func destination(_ entities: [Int], or new: [RowID]) -> RowID? {
        if random.chance(40), let row = random.pick(new.filter({ entities.contains($0.entity) })) { return row }
        return random.chance(70) ? pick(entities)?.row : nil
    }

    private mutating func addLink(to request: inout SaveRequest, between new: [RowID]) {
        let kinds: [([Int], String, [Int])] = [
            (Self.books, "tags", [LibraryModel.tag]), ([LibraryModel.tag], "books", Self.books),
            ([LibraryModel.friend], "friends", [LibraryModel.friend]),
            ([LibraryModel.shelf], "contents", [LibraryModel.page]),
            ([LibraryModel.author], "books", Self.books),
        ]
        guard let (owners, name, members) = random.pick(kinds), let owner = destination(owners, or: new),
            let member = destination(members, or: new)
        else { return }
        let link = SaveRequest.link(owner, name, member, in: model)
        if name == "books", owner.entity == LibraryModel.author {
            // The link is stored by its inverse.
            request.positions.append(.init(link: link, orderKey: 2048 + Int64(random.pick(6)) * 512))
            return
        }
        if random.chance(70) { request.addedLinks.append(link) } else { request.removedLinks.append(link) }
        if name == "tags", random.chance(40) {
            request.positions.append(.init(link: link, orderKey: 2048 + Int64(random.pick(6)) * 512))
        }
    }

    private mutating func emptied(of entity: Int) -> [SaveRequest.Emptied] {
        model[entity].relationships.enumerated().compactMap { slot, relationship in
            guard relationship.isToMany, ["tags", "friends", "contents"].contains(relationship.name),
                random.chance(60)
            else { return nil }
            let members = rows.filter { $0.row.entity == relationship.destination }.map(\.row.key)
            return .init(relationship: slot, unlinked: Set(members.filter { _ in random.chance(20) }))
        }
    }

    private mutating func values(of entity: Int) -> [String: AttributeValue] {
        var values: [String: AttributeValue] = [:]
        for attribute in model[entity].attributes where random.chance(70) {
            switch attribute.name {
            case "name": values["name"] = random.chance(20) ? .null : .string("n\(random.pick(30))")
            case "title": values["title"] = .string("t\(random.pick(5))")
            case "year", "age", "number":
                values[attribute.name] = .int(Int64(random.pick(random.chance(3) ? 100_000 : 6)))
            case "isColored": values["isColored"] = .bool(random.chance(50))
            case "cover": values["cover"] = .data(Data(repeating: UInt8(random.pick(9)), count: random.pick(300)))
            default: break
            }
        }
        return values
    }
}
#endif
