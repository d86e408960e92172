import Foundation
import Sworm
import Testing

@Suite("The cost of a received condition")
struct ReceivedConditionTests {
    @Test(arguments: [
        "name CONTAINS[cd] %@", "name LIKE %@", "name BEGINSWITH %@", "name ENDSWITH[c] %@", "%@ CONTAINS[cd] 'a'",
        "%@ LIKE 'a*'", "'a' IN %@", "uppercase(%@) CONTAINS name", "TERNARY(name == 'a', %@, name) LIKE 'b'",
        "ANY {%@, 'b'} LIKE 'b'", "name IN %@", "max({name, %@}) CONTAINS 'a'",
        "SUBQUERY({%@}, $x, $x CONTAINS 'a').@count > 1",
        "name IN TERNARY(name == 'a', {'b'}, %@)", "TERNARY(name == 'a', {'b'}, %@) CONTAINS name",
        "{%@, 'b'}[FIRST] CONTAINS name", "name IN {%@, 'b'}[0]", "witnesses.@count > 1 AND NOT name CONTAINS %@",
    ])
    func `searches for long strings are rejected`(format: String) throws {
        let text = String(repeating: "a", count: 1_001)
        let condition = try Condition<Dossier>.received(format, [text])
        let error = storeError { try condition.check(against: .dossiers) }
        #expect(error?.code == .conditionNotAllowed)
        #expect(error?.message.contains("at most 1000") == true, "\(String(describing: error))")
        var allowed = ConditionAllowList.dossiers
        allowed.maximumSearchSize = 2_000
        try condition.check(against: allowed)
        try Condition<Dossier>.received(format, ["abc"]).check(against: .dossiers)
    }

    @Test func `two strings of half the size are as long as one`() throws {
        let half = String(repeating: "a", count: 600)
        let condition = try Condition<Dossier>.received("%@ CONTAINS[cd] %@", [half, half])
        #expect(storeError { try condition.check(against: .dossiers) }?.code == .conditionNotAllowed)
    }

    @Test(arguments: ["name == %@", "name IN {%@, 'b'}", "{%@, 'b'} CONTAINS name", "name < %@", "%@ == 'a'"])
    func `comparisons with long strings are let through`(format: String) throws {
        let text = String(repeating: "a", count: 100_000)
        try Condition<Dossier>.received(format, [text]).check(against: .dossiers)
    }

    // Core Data cannot be stopped in the middle of a search.
    #if !canImport(CoreData)
    /// A container with one dossier whose name takes long to search.
    private func container(_ name: String) throws -> PersistentContainer {
        let store = try PersistentContainer(for: Dossier.self, at: .memory)
        try store.perform { _ = try $0.insert(Dossier(name: name)) }
        return store
    }

    @Test(arguments: ["name LIKE %@", "name LIKE[cd] %@", "%@ LIKE name", "name MATCHES %@"], [true, false])
    func `a search that takes long obeys the deadline`(format: String, isInMemory: Bool) throws {
        let isExpression = format.contains("MATCHES")
        let many = String(repeating: "a", count: isExpression ? 60 : 600_000)
        let isReversed = format.hasPrefix("%@")
        let pattern = isExpression ? "(a+)+b" : "*" + String(repeating: "a", count: 300_000) + "?b"
        let store = try container(isReversed ? pattern : many)
        let condition = Condition<Dossier>(format: format, isReversed ? many : pattern)
        let begin = ContinuousClock.now
        let error = storeError {
            try store.perform(deadline: .now + .milliseconds(200)) { context in
                if isInMemory {
                    _ = try context.fetch(Dossier.all).filtered(by: condition).count
                } else {
                    _ = try context.count(of: Dossier.all.where(condition))
                }
            }
        }
        #expect(error?.code == .timedOut, "\(String(describing: error))")
        // The bound is no measure of speed: without the deadline the search takes minutes.
        #expect(ContinuousClock.now - begin < .seconds(20))
    }

    @Test(arguments: ["name CONTAINS %@", "name CONTAINS[cd] %@", "%@ IN name"], [true, false])
    func `a search for a long string looks at no byte again and again`(format: String, isInMemory: Bool) throws {
        // With a search at each place by itself this would take minutes.
        let needle = String(repeating: "a", count: 400_000)
        let store = try container(String(repeating: "a", count: 399_999) + "b" + String(repeating: "a", count: 399_999))
        let condition = Condition<Dossier>(format: format, needle)
        let shorter = Condition<Dossier>(format: format, String(needle.dropLast()))
        for (condition, count) in [(condition, 0), (shorter, 1)] {
            let found = try store.perform(deadline: .now + .seconds(60)) { context in
                isInMemory
                    ? try context.fetch(Dossier.all).filtered(by: condition).count
                    : try context.count(of: Dossier.all.where(condition))
            }
            #expect(found == count)
        }
    }
    #endif
}
