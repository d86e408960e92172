import SwormStore

/// The associations between the objects of an old store and those of a new one, by entity mapping.
///
/// There may be many associations, so they are stored compactly. New objects are usually created in the order of the
/// old ones, and keys are consecutive on both sides. Therefore pairs in ascending order are stored as runs, of which
/// there are few unless keys are missing, and only the other pairs are stored individually.
struct MigrationAssociations {
    typealias Row = RowID

    private struct Links {
        var runs = AssociationRuns()
        /// The pairs that are not in ascending order, in both directions.
        var destinations: [Row: Few] = [:]
        var sources: [Row: Few] = [:]
    }

    private enum Few {
        case one(Row)
        case several([Row])

        var rows: [Row] {
            switch self {
            case .one(let row): [row]
            case .several(let rows): rows
            }
        }

        mutating func add(_ row: Row) {
            var rows = rows
            // Release the array that is stored here first, so that appending does not copy it.
            self = .one(row)
            rows.append(row)
            self = .several(rows)
        }
    }

    private var links: [String: Links] = [:]
    /// The rows of new objects that were deleted. Their pairs are ignored.
    private var removed: Set<Row> = []

    /// Adds a pair to a mapping, unless it exists already.
    mutating func add(source: Row, destination: Row, mapping: String) {
        guard !links[mapping, default: Links()].runs.add(source: source, destination: destination),
            !destinations(of: source, mapping: mapping).contains(destination)
        else { return }
        func note(_ row: Row, for key: Row, in table: inout [Row: Few]) {
            if table[key]?.add(row) == nil { table[key] = .one(row) }
        }
        note(destination, for: source, in: &links[mapping, default: Links()].destinations)
        note(source, for: destination, in: &links[mapping, default: Links()].sources)
    }

    /// Removes the pairs of new objects that were deleted.
    mutating func remove(_ destinations: Set<Row>) { removed.formUnion(destinations) }

    /// Returns the new objects that a mapping created from an old object.
    func destinations(of source: Row, mapping: String) -> [Row] {
        guard let links = links[mapping] else { return [] }
        let found = links.runs.partners(of: source, on: .source) + (links.destinations[source]?.rows ?? [])
        return removed.isEmpty ? found : found.filter { !removed.contains($0) }
    }

    /// Returns the old objects that a mapping created a new object from.
    func sources(of destination: Row, mapping: String) -> [Row] {
        guard let links = links[mapping], !removed.contains(destination) else { return [] }
        return links.runs.partners(of: destination, on: .destination) + (links.sources[destination]?.rows ?? [])
    }

    /// Returns the new objects of a mapping, ordered by entity and key. Objects that are added later are not included.
    func destinations(mapping: String) -> some Sequence<Row> {
        let links = links[mapping] ?? Links()
        let removed = removed
        return MergedRows(links.runs.rows(on: .destination), with: links.sources.keys.sorted(by: Self.isBefore))
            .lazy.filter { !removed.contains($0) }
    }

    /// Returns whether all new objects of a mapping have the same entity.
    func hasOnly(entity: Int, mapping: String) -> Bool {
        guard let links = links[mapping] else { return true }
        return links.runs.hasOnly(destinationsOf: entity) && links.sources.keys.allSatisfy { $0.entity == entity }
    }

    static func isBefore(_ left: Row, _ right: Row) -> Bool { (left.entity, left.key) < (right.entity, right.key) }
}

/// A sequence that merges two sorted sequences of rows into one without duplicates.
private struct MergedRows<First: Sequence<RowID>>: Sequence, IteratorProtocol {
    private var first: First.Iterator
    private var second: ArraySlice<RowID>
    private var nextOfFirst: RowID?
    private var last: RowID?

    init(_ first: First, with second: [RowID]) {
        self.first = first.makeIterator()
        self.second = second[...]
        nextOfFirst = self.first.next()
    }

    mutating func next() -> RowID? {
        while true {
            guard let row = smallest() else { return nil }
            guard row != last else { continue }
            last = row
            return row
        }
    }

    private mutating func smallest() -> RowID? {
        guard let row = nextOfFirst else { return second.popFirst() }
        if let other = second.first, MigrationAssociations.isBefore(other, row) { return second.popFirst() }
        nextOfFirst = first.next()
        return row
    }
}
