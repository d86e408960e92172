@testable import SwormPredicates
import Testing

@Suite("Committed changes")
struct CommittedChangesTests {
    private func changes(_ kinds: (CommittedChanges.Kind, Int64)...) -> CommittedChanges {
        var changes = CommittedChanges()
        for (kind, key) in kinds { changes.note(kind, of: key, root: "Book") }
        return changes
    }

    @Test func `of one transaction leave out rows that exist neither before nor after it`() {
        #expect(changes((.insertion, 1), (.update, 1), (.deletion, 1)).isEmpty)
        #expect(changes((.update, 1), (.deletion, 1)).rows["Book"]?.deleted == [1])
        #expect(changes((.insertion, 1), (.update, 1)).rows["Book"]?.updated.isEmpty == true)
    }

    @Test func `of several transactions keep each change, because the rows may have been read in between`() {
        var merged = changes((.insertion, 1))
        merged.merge(changes((.deletion, 1)))
        #expect(merged.rows["Book"]?.inserted == [1] && merged.rows["Book"]?.deleted == [1])
        var again = changes((.deletion, 2))
        again.merge(changes((.insertion, 2)))
        #expect(again.rows["Book"]?.inserted == [2] && again.rows["Book"]?.deleted == [2])
        #expect(merged.transactions == 2)
    }

    @Test func `of very many rows become unknown`() {
        var merged = CommittedChanges()
        for start in 0..<11 {
            var part = CommittedChanges()
            for key in 0..<1000 { part.note(.update, of: Int64(start * 1000 + key), root: "Book") }
            merged.merge(part)
        }
        #expect(merged.rows["Book"] == nil && merged.unknownRows == ["Book"])
    }

    @Test func `touch a region by its properties, and by the rows of its entity`() {
        var region = TrackedRegion()
        region.countRows(of: "Book")
        region.decide(by: "title", of: "Book")
        region.read("name", of: "Author")
        #expect(region.isTouched(by: changes((.insertion, 1))) && !region.isTouched(by: changes((.update, 1))))
        var renamed = CommittedChanges()
        renamed.note(properties: ["name", "born"], of: "Author")
        #expect(region.isTouched(by: renamed) && !region.isDecided(by: renamed))
        var other = CommittedChanges()
        other.note(properties: ["born"], of: "Author")
        #expect(!region.isTouched(by: other) && region.isTouched(by: .unknown))
    }
}
