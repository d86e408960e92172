import Foundation
import Sworm
import SwormTools
import TestSupport
import Testing

@Suite("Random upserts, straight to rows and through objects", .overEachStore)
struct RandomUpsertTests {
    typealias Entry = UpsertTests.Entry

    private enum Outcome: Equatable {
        case result(Upsert.Result)
        case refused(StoreError.Code, String?)
    }

    private func value(_ random: inout SeededRandom) -> Entry {
        Entry(
            id: random.chance(20) ? nil : random.pick(25), code: random.chance(30) ? "é" : "\(random.pick(40))",
            part: random.pick(8), text: random.chance(30) ? "" : "text \(random.pick(3))",
            number: random.chance(1) ? 1001 : random.pick(3))
    }

    private func upsert(
        _ values: [Entry], byID: Bool, _ policy: Upsert.Policy<Entry>, _ context: ManagedObjectContext
    ) throws -> Outcome {
        do {
            return .result(
                byID
                    ? try context.upsert(values, on: \.id, onConflict: policy)
                    : try context.upsert(values, on: \.code, \.part, onConflict: policy))
        } catch let error as StoreError {
            return .refused(error.code, error.attribute)
        }
    }

    private func content(_ container: PersistentContainer) throws -> [String] {
        try container.perform { try $0.decode(Entry.all.where(\.code != "unsaved")) }.map { "\($0)" }.sorted()
    }

    @Test(arguments: 0..<12)
    func `both ways have the same results`(seed: Int) throws {
        var random = SeededRandom(seed: UInt64(seed))
        let (rows, objects) = (try TestStore.tested(for: Entry.self), try TestStore.tested(for: Entry.self))
        var refusals = 0
        for round in 0..<12 {
            let values = (0..<random.pick(12) + 1).map { _ in value(&random) }
            let byID = random.chance(50)
            let policies: [Upsert.Policy<Entry>] = [
                .updateAll, .updateAll, .ignore, .throw, .update(\.text), .update(\.code, \.number),
            ]
            let policy = policies[random.pick(policies.count)]
            let first = try rows.container.perform { try upsert(values, byID: byID, policy, $0) }
            // An unsaved object of the entity leads the other way.
            let second = try objects.container.perform { context in
                let unsaved = try context.insert(Entry(id: -1, code: "unsaved"))
                let outcome = try upsert(values, byID: byID, policy, context)
                try context.delete(unsaved)
                return outcome
            }
            #expect(first == second, "round \(round), \(values)")
            if case .refused = first { refusals += 1 }
            let content = try content(rows.container)
            #expect(try content == self.content(objects.container))
        }
        #expect(refusals < 12)
        try rows.verifyIfFile()
        try objects.verifyIfFile()
    }
}
