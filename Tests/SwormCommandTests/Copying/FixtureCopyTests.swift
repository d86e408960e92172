#if PostgreSQL
import Foundation
import TestSupport
import Testing

@testable import SwormCommand

/// The stores of the fixtures, which Apple's framework wrote, on their way from a phone to a server and back.
@Suite(
    "copy: published stores to a server and back", .enabled(if: PostgresServer.isEnabled),
    .enabled(if: Fixtures.folder != nil, "\(Fixtures.missing)"))
struct FixtureCopyTests {
    /// The values that two stores have otherwise, by the name of the property. An object that only one of them has counts as
    /// "added" or "removed".
    private func differences(of one: String, and other: String, _ model: [String]) throws -> [String: Int] {
        let run = Run(["diff", one, other, "--json"] + model)
        #expect(run.code == .ok || run.code == .found, "\(run.err)")
        var counts: [String: Int] = [:]
        for difference in try #require(try run.json() as? [[String: Any]]) {
            let kind = try #require(difference["kind"] as? String)
            guard kind == "changed" else {
                counts[kind, default: 0] += 1
                continue
            }
            for name in try #require(difference["properties"] as? [String: Any]).keys { counts[name, default: 0] += 1 }
        }
        return counts
    }

    /// The values that a copy counts in its warnings, by the name of the property.
    private func counted(_ words: String, in run: Run) throws -> [String: Int] {
        var counts: [String: Int] = [:]
        for line in run.err.split(separator: "\n") where line.contains(words) {
            let match = try #require(
                try #/(\d+) [a-z ]+ of [^ ]+\.([^ .]+) (?:was|were) /#.firstMatch(in: line), "\(line)")
            counts[String(match.2), default: 0] += try #require(Int(match.1))
        }
        return counts
    }

    private func address() throws -> String {
        let server = try PostgresServer.shared()
        return try server.entrance().uri(schema: "fixture_\(server.newSchema())")
    }

    @Test(arguments: FixtureStores.all)
    func `a store comes back as it was, without what has no object or no file`(_ store: FixtureStores.Store) throws {
        let workshop = try Workshop()
        let file = try Fixtures.copy(store.url, to: URL(fileURLWithPath: workshop.path)).path
        let (address, back) = (try address(), workshop.file("Back.sqlite"))
        let model = ["--model", store.model.path]
        let there = Run(["copy", file, address, "--exact-dates"] + model)
        try #require(there.code == .ok, "\(there.err)")
        #expect(!there.err.contains("rounded"))
        let leftOut = try counted("left out, because", in: there)
        print("copy of \(store.testDescription): \(there.out)left out: \(leftOut.sorted { $0.key < $1.key })")
        #expect(try differences(of: file, and: address, model) == leftOut)
        let here = Run(["copy", address, back] + model)
        #expect(here.code == .ok && here.err.isEmpty, "\(here.err)")
        #expect(try differences(of: file, and: back, model) == leftOut)
        #expect(Run(["diff", address, back] + model).out == "no differences\n")
        // The copy has no faults but those that the store had before.
        let faults = try FixtureStores.Store(url: URL(fileURLWithPath: back), model: store.model).issues()
        #expect(Set(faults).isSubset(of: try store.issues()), "\(faults)")
    }

    @Test(arguments: FixtureStores.all)
    func `the dates that a server rounds are counted, and nothing else differs`(_ store: FixtureStores.Store) throws {
        let workshop = try Workshop()
        let file = try Fixtures.copy(store.url, to: URL(fileURLWithPath: workshop.path)).path
        let (address, back) = (try address(), workshop.file("Back.sqlite"))
        let model = ["--model", store.model.path]
        let there = Run(["copy", file, address] + model)
        try #require(there.code == .ok, "\(there.err)")
        let rounded = try counted("rounded to the microsecond", in: there)
        let expected = try counted("left out, because", in: there).merging(rounded) { $0 + $1 }
        print("dates of \(store.testDescription): \(rounded.values.reduce(0, +)) rounded")
        #expect(try differences(of: file, and: address, model) == expected)
        let here = Run(["copy", address, back] + model)
        #expect(here.code == .ok && here.err.isEmpty, "\(here.err)")
        #expect(try differences(of: file, and: back, model) == expected)
        #expect(Run(["diff", address, back] + model).out == "no differences\n")
        // A second trip rounds nothing.
        let again = Run(["copy", back, try self.address()] + model)
        #expect(again.code == .ok && !again.err.contains("rounded"), "\(again.err)")
    }
}
#endif
