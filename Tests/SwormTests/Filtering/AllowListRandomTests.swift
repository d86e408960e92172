import Foundation
import Sworm
import Testing

@Suite("Random conditions and an allow-list")
struct AllowListRandomTests {
    /// One of two worlds that differ only in what is not allowed.
    private struct World {
        let dossiers: [Dossier]
        let store: PersistentContainer

        init(_ secrets: [Dossier], years: [Int], strangers: [String]) throws {
            let names = ["a", "b", "none", "a1"]
            dossiers = zip(names, secrets).map { name, secret in
                var dossier = secret
                dossier.name = name
                return dossier
            }
            store = try PersistentContainer(for: Dossier.self, at: .memory)
            try store.perform { [dossiers] context in
                let witnesses = try zip(years, strangers).map { try context.insert(Witness(name: $1, year: $0)) }
                let objects = try dossiers.map { try context.insert($0) }
                for (index, object) in objects.enumerated() where index < 3 {
                    object.friend = witnesses[index]
                    try object.witnesses.add(witnesses[index])
                    try object.witnesses.add(witnesses[(index + 1) % 3])
                    if secrets[index].pin == 1234 { object.handler = witnesses[2 - index] }
                }
            }
        }

        /// The results of a condition for the values, in the store, and for handles. All errors are equal.
        func answers(_ condition: Condition<Dossier>) -> [[String]?] {
            let handles = try? store.perform { context in
                let objects = try context.fetch(Dossier.all).filtered(by: condition)
                return try objects.map { try $0.decode(\.name) }.sorted()
            }
            let rows = try? store.perform { context in
                try context.decode(Dossier.all.where(condition)).map(\.name).sorted()
            }
            return [try? dossiers.filtered(by: condition).map(\.name), rows, handles]
        }
    }

    @Test(arguments: 0..<4 as Range<UInt64>)
    func `a condition that passes the check finds the same rows whatever the secrets are`(seed: UInt64) throws {
        let years = [1999, 3, 1]
        let one = try World(
            [
                Dossier(length: 7, pin: 1234, code: "x", year: 1999), Dossier(length: 1, pin: 2, code: "a", year: 3),
                Dossier(length: 8, pin: 99, code: "1", year: 2000), Dossier(),
            ], years: years, strangers: ["a", "x", "1"])
        let other = try World(
            [
                Dossier(length: 8, pin: 3, code: "1", year: 2), Dossier(length: 2, pin: 1234, code: "x", year: 2000),
                Dossier(length: 3, pin: 7, code: "b", year: 1), Dossier(length: 7, pin: 1, code: "a", year: 7),
            ], years: years, strangers: ["b", "a", "c"])
        var random = RandomDossierCondition(seed: seed)
        var passed = 0
        for _ in 0..<6_000 {
            let format = random.predicate(3)
            guard let condition = try? Condition<Dossier>.received(format),
                (try? condition.check(against: .dossiers)) != nil
            else { continue }
            passed += 1
            #expect(one.answers(condition) == other.answers(condition), "\(format)")
        }
        #expect(passed > 300, "too few conditions pass to say anything")
    }
}
