import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("Destination objects of source objects")
struct MigrationAssociationTests {
    private typealias Row = RowID

    /// The same, kept pair by pair.
    private struct Pairs {
        var pairs: [(source: Row, destination: Row)] = []

        mutating func add(source: Row, destination: Row) {
            if !pairs.contains(where: { $0 == (source, destination) }) { pairs.append((source, destination)) }
        }

        func destinations(of source: Row) -> Set<Row> { Set(pairs.filter { $0.source == source }.map(\.destination)) }

        func sources(of destination: Row) -> Set<Row> {
            Set(pairs.filter { $0.destination == destination }.map(\.source))
        }
    }

    private func row(_ entity: Int, _ key: Int64) -> Row { Row(entity: entity, key: key) }

    private func check(_ associations: MigrationAssociations, _ pairs: Pairs) {
        for source in Set(pairs.pairs.map(\.source)) {
            let found = associations.destinations(of: source, mapping: "a")
            #expect(Set(found) == pairs.destinations(of: source))
            #expect(Set(found).count == found.count)
        }
        let all = Set(pairs.pairs.map(\.destination))
        for destination in all {
            let found = associations.sources(of: destination, mapping: "a")
            #expect(Set(found) == pairs.sources(of: destination))
            #expect(Set(found).count == found.count)
        }
        let sorted = all.sorted { ($0.entity, $0.key) < ($1.entity, $1.key) }
        #expect(Array(associations.destinations(mapping: "a")) == sorted)
        #expect(associations.destinations(of: row(9, 1), mapping: "a") == [])
        #expect(Array(associations.destinations(mapping: "b")) == [])
    }

    @Test(arguments: 1...60)
    func `are found both ways, in whatever order they come`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var associations = MigrationAssociations()
        var pairs = Pairs()
        var (source, destination) = (row(1, 1), row(2, 5))
        for _ in 0..<80 {
            switch Int.random(in: 0..<10, using: &random) {
            case 0: source.key += Int64.random(in: 0...3, using: &random)
            case 1: destination.key += Int64.random(in: 0...3, using: &random)
            case 2 where seed % 3 == 0: source.key = Int64.random(in: 1...40, using: &random)
            case 3 where seed % 3 != 1: destination.key = Int64.random(in: 1...40, using: &random)
            case 4 where source.key > 30: source = row(3, 1)
            case 5 where destination.key > 40: destination = row(4, 1)
            default: (source.key, destination.key) = (source.key + 1, destination.key + 1)
            }
            associations.add(source: source, destination: destination, mapping: "a")
            pairs.add(source: source, destination: destination)
        }
        check(associations, pairs)
    }

    @Test func `an object that was deleted again is found no more`() {
        var associations = MigrationAssociations()
        var pairs = Pairs()
        for key in 1...9 {
            associations.add(source: row(1, Int64(key)), destination: row(1, Int64(key)), mapping: "a")
            if key != 4 { pairs.add(source: row(1, Int64(key)), destination: row(1, Int64(key))) }
        }
        associations.remove([row(1, 4)])
        check(associations, pairs)
        #expect(associations.destinations(of: row(1, 4), mapping: "a") == [])
        #expect(associations.sources(of: row(1, 4), mapping: "a") == [])
    }
}
