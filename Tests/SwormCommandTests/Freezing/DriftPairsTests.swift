import OpenCoreData
import Testing

@testable import SwormCommand

@Suite("freeze --check, pairs of old and new things")
struct DriftPairsTests {
    private func attributes(_ names: [String]) -> [NSAttributeDescription] {
        names.map { name in
            let attribute = NSAttributeDescription()
            attribute.name = name
            attribute.attributeType = .stringAttributeType
            return attribute
        }
    }

    @Test func `facts and fingerprints are computed once for each thing`() {
        var (facts, fingerprints) = (0, 0)
        let result = DriftPairs(
            from: attributes((0..<20).map { "old\($0)" }), to: attributes((0..<20).map { "new\($0)" }),
            facts: { attribute in
                facts += 1
                return DriftFacts(attribute)
            },
            fingerprint: { attribute in
                fingerprints += 1
                return String(attribute.name.dropFirst(3))
            })
        #expect(facts == 40 && fingerprints == 40)
        #expect(result.pairs.count == 20 && result.removed.isEmpty && result.added.isEmpty)
        #expect(result.pairs.allSatisfy { $0.renaming == .silent && $0.new.name == "new" + $0.old.name.dropFirst(3) })
    }

    @Test func `a thing that fits two new ones is not renamed, and a stated name is followed`() {
        let new = attributes(["c", "d", "e"])
        new[2].renamingIdentifier = "b"
        let result = DriftPairs(
            from: attributes(["a", "b"]), to: new, facts: { DriftFacts($0) },
            fingerprint: { DriftFacts($0).fingerprint })
        #expect(result.pairs.map(\.renaming) == [.declared] && result.pairs.map(\.new.name) == ["e"])
        #expect(result.removed.map(\.name) == ["a"] && result.added.map(\.name) == ["c", "d"])
    }
}
