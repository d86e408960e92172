import Foundation
import Sworm
import SwormTools
import TestSupport
import Testing

/// A long run: SWORM_COMPOSITE_CONDITIONS=100000 swift test --filter TableCompositeRandomTests. The seed of a run that failed
/// replays it: SWORM_RANDOM_SEED=…
@Suite("Composite attributes, at random", .overEachStore) struct TableCompositeRandomTests {
    typealias Resident = Town.Resident

    private static let texts = ["", "a", "B", "é", "Kyiv"]

    @Test func `are found by the store as in memory, and come back as they were`() throws {
        let environment = ProcessInfo.processInfo.environment
        let count = environment["SWORM_COMPOSITE_CONDITIONS"].flatMap { Int($0) } ?? 500
        let seed = environment["SWORM_RANDOM_SEED"].flatMap { UInt64($0) } ?? 1
        print("Composite conditions: \(count), SWORM_RANDOM_SEED=\(seed)")
        var random = SeededRandom(seed: seed)
        let test = try TestStore.tested(for: Resident.self) { _ in }
        var residents: [Resident] = []
        for turn in 0..<count {
            if turn % 100 == 0 {
                residents = (0..<40).map { Self.resident($0, &random) }
                try test.container.perform { try $0.delete(Resident.all) }
                try test.container.perform { try $0.insert(contentsOf: residents) }
            }
            if turn % 10 == 5, let index = residents.indices.randomElement(using: &random) {
                let new = Self.resident(index, &random)
                residents[index] = new
                let name = new.name
                try test.container.perform { context in
                    try context.fetchOne(Resident.all.where { $0.name == name })?.encode(new)
                }
            }
            let condition = Self.condition(&random, depth: 2)
            let (found, expected) = (
                try test.container.perform { try $0.decode(Resident.all.where(condition).sort(\.name)) },
                try residents.filtered(by: condition).sorted { $0.name < $1.name }
            )
            guard found == expected else {
                Issue.record("\(condition): \(found.map(\.name)) instead of \(expected.map(\.name)); seed \(seed)")
                return
            }
        }
    }

    private static func resident(_ number: Int, _ random: inout SeededRandom) -> Resident {
        Resident(
            name: "\(1000 + number)", home: address(&random),
            office: Bool.random(using: &random) ? address(&random) : nil,
            otherStyle: Bool.random(using: &random) ? Town.Style() : nil)
    }

    private static func address(_ random: inout SeededRandom) -> Town.Address {
        let place = Town.Place(
            latitude: Double(Int.random(in: -2...2, using: &random)),
            longitude: Double.random(in: 0...1, using: &random))
        return Town.Address(
            street: text(&random), city: text(&random), note: Bool.random(using: &random) ? text(&random) : nil,
            place: Bool.random(using: &random) ? place : nil)
    }

    private static func text(_ random: inout SeededRandom) -> String { texts.randomElement(using: &random) ?? "" }

    private static func condition(_ random: inout SeededRandom, depth: Int) -> Condition<Resident> {
        if depth > 0 {
            switch Int.random(in: 0..<5, using: &random) {
            case 0: return condition(&random, depth: depth - 1) && condition(&random, depth: depth - 1)
            case 1: return condition(&random, depth: depth - 1) || condition(&random, depth: depth - 1)
            case 2: return !condition(&random, depth: depth - 1)
            default: break
            }
        }
        let text = text(&random)
        let number = Double(Int.random(in: -2...2, using: &random))
        switch Int.random(in: 0..<16, using: &random) {
        case 0: return Condition { $0.home.city == text }
        case 1: return \Resident.home.street != text
        case 2: return Condition { $0.home.note == text }
        case 3: return Condition { $0.home.note == nil }
        case 4: return Condition { $0.home.place == nil }
        case 5: return Condition { $0.home.place != nil }
        case 6: return Condition { $0.home.place.latitude > number }
        case 7: return Condition { $0.office == nil }
        case 8: return Condition { $0.office != nil }
        case 9: return Condition { $0.office.city == text }
        case 10: return Condition { $0.office.city != text }
        case 11: return Condition { $0.office.note.hasPrefix(text) }
        case 12: return Condition { $0.office.place.latitude <= number }
        case 13: return Condition { $0.office.place.longitude == nil }
        case 14: return Condition { $0.home.city.isIn([text, "x"]) }
        default: return Condition { $0.home.street.contains(text) }
        }
    }
}
