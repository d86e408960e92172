#if PostgreSQL
import Foundation
import SwormPredicates
import SwormRows
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

/// Projections, levels of trees and changes that random expressions and conditions are part of.
@Suite(
    "PostgreSQL: the same columns, members and changes from a server and from a file",
    .enabled(if: PostgresServer.isEnabled))
struct ServerStatementDifferentialTests {
    private static let normalSeed: UInt64 = 20_270_101

    /// How long to look for differences with seeds that were never tried; nil for the normal run.
    private static let seconds = ProcessInfo.processInfo.environment["SWORM_FUZZ_SECONDS"].flatMap(Double.init)
    /// The seed of one world, to try it alone.
    private static let onlySeed = ProcessInfo.processInfo.environment["SWORM_FUZZ_SEED"].flatMap { UInt64($0) }

    private struct Tally {
        var tried = 0
        var same = 0
        var refused = 0
        var differences = 0
    }

    /// Calls a closure with worlds and their stores until it has found enough differences.
    private func forEachWorld(_ count: Int, _ body: (ServerSetting, inout Tally) throws -> Void) throws -> Tally {
        var tally = Tally()
        func tryWorld(_ seed: UInt64) throws {
            let setting = try ServerSetting(seed: seed)
            defer { setting.stores.server.close() }
            try body(setting, &tally)
        }
        if let seed = Self.onlySeed {
            try tryWorld(seed)
        } else if let seconds = Self.seconds {
            let start = Date()
            var seeds = SystemRandomNumberGenerator()
            while Date().timeIntervalSince(start) < seconds, tally.differences < 20 { try tryWorld(seeds.next()) }
            print("\(tally)")
        } else {
            for number in 0..<count { try tryWorld(Self.normalSeed &+ UInt64(number)) }
        }
        return tally
    }

    /// Compares two answers, of which errors are equal.
    private func compare(
        _ file: Result<[[StoredValue]], any Error>, _ server: Result<[[StoredValue]], any Error>,
        _ setting: ServerSetting,
        _ text: @autoclosure () -> String, _ tally: inout Tally
    ) {
        tally.tried += 1
        switch (file, server) {
        case (.failure, .failure): tally.refused += 1
        // SQLite's sum of a large constant overflows.
        case (.failure(let error), _) where "\(error)".contains("integer overflow"): tally.refused += 1
        case (.success(let one), .success(let other)) where ServerSetting.areSame(one, other): tally.same += 1
        default:
            tally.differences += 1
            guard tally.differences <= 20 else { return }
            Issue.record("seed \(setting.seed): \(text())\nfile: \(file)\nserver: \(server)")
        }
    }

    @Test func `random columns, groups and totals are the same`() throws {
        let tally = try forEachWorld(12) { setting, tally in
            for _ in 0..<40 {
                let projection = setting.projection()
                let answers = [setting.stores.file, setting.stores.server].map { store in
                    Result {
                        let request = try setting.resolved(projection, in: store)
                        return try setting.stores.read(store) { try $0.storedRows(request).rows }
                    }
                }
                compare(answers[0], answers[1], setting, setting.summary(projection), &tally)
            }
        }
        #expect(Self.seconds != nil || Self.onlySeed != nil || tally.same * 2 >= tally.tried, "\(tally)")
    }

    @Test func `the members of each owner are the same, with conditions, orders and limits`() throws {
        let tally = try forEachWorld(10) { setting, tally in
            for (entity, slot) in setting.toManyRelationships {
                for _ in 0..<4 {
                    let question = setting.question(of: entity.relationships[slot].destination)
                    guard let expected = try setting.expectedMembers(of: entity, slot, question) else { continue }
                    let text = "\(entity.name) \(slot) \(question.summary)"
                    let server = Result { try setting.members(of: entity, slot, question) }
                    compare(.success(expected), server.map(\.all), setting, text, &tally)
                    compare(.success(expected), server.map(\.portions), setting, text, &tally)
                }
            }
        }
        #expect(Self.seconds != nil || Self.onlySeed != nil || tally.same > 50, "\(tally)")
    }

    @Test func `the same rows are updated, counted and deleted`() throws {
        let tally = try forEachWorld(10) { setting, tally in
            for _ in 0..<12 {
                let question = setting.question(of: nil)
                guard let found = try? setting.keys(question, in: setting.stores.file) else { continue }
                do {
                    let changed = try setting.changes(question)
                    tally.tried += 1
                    let expected = try setting.expectedChanges(question, found: found)
                    if changed == expected {
                        tally.same += 1
                    } else {
                        tally.differences += 1
                        Issue.record("seed \(setting.seed): \(question.summary)\nfile: \(expected)\nserver: \(changed)")
                    }
                } catch is NotExact {
                    tally.refused += 1
                } catch let error as ServerRejection where error.isOutOfRange {
                    tally.refused += 1
                }
            }
        }
        #expect(Self.seconds != nil || Self.onlySeed != nil || tally.same * 2 >= tally.tried, "\(tally)")
    }

    @Test func `rows compute the values that a projection of a file has`() throws {
        let tally = try forEachWorld(10) { setting, tally in
            for _ in 0..<30 {
                guard let computation = setting.computation() else { continue }
                let server: Result<[[StoredValue]], any Error>
                do {
                    server = .success(try setting.computed(computation))
                } catch let error as ServerRejection where !error.isOutOfRange {
                    server = .failure(error)
                } catch {
                    tally.refused += 1
                    continue
                }
                guard let expected = try setting.expected(computation) else { continue }
                compare(.success(expected), server, setting, "\(computation)", &tally)
            }
        }
        #expect(Self.seconds != nil || Self.onlySeed != nil || tally.same > 50, "\(tally)")
    }
}
#endif
