import SwormStore

/// Pairs of old and new rows that were added in ascending order of both sides, stored as runs of consecutive keys.
struct AssociationRuns {
    typealias Row = RowID

    enum Side {
        case source, destination
    }

    /// A series of pairs whose keys increase by one on both sides.
    private struct Run {
        // There may be a million runs, so the entities have a compact type.
        var sourceEntity: Int32
        var destinationEntity: Int32
        var sourceKey: Int64
        var destinationKey: Int64
        var count: Int64

        func row(_ index: Int64, on side: Side) -> Row {
            switch side {
            case .source: Row(entity: Int(sourceEntity), key: sourceKey &+ index)
            case .destination: Row(entity: Int(destinationEntity), key: destinationKey &+ index)
            }
        }
    }

    private var runs: [Run] = []

    /// Adds a pair.
    ///
    /// - Returns: Whether the pair was added. A pair that is before the last one on either side is not added.
    mutating func add(source: Row, destination: Row) -> Bool {
        if let last = runs.last {
            let end = (last.row(last.count - 1, on: .source), last.row(last.count - 1, on: .destination))
            if end == (source, destination) { return true }
            if source == last.row(last.count, on: .source), destination == last.row(last.count, on: .destination) {
                runs[runs.count - 1].count += 1
                return true
            }
            if MigrationAssociations.isBefore(source, end.0) || MigrationAssociations.isBefore(destination, end.1) {
                return false
            }
        }
        runs.append(
            Run(
                sourceEntity: Int32(source.entity), destinationEntity: Int32(destination.entity), sourceKey: source.key,
                destinationKey: destination.key, count: 1))
        return true
    }

    /// Returns the rows that are associated with a row.
    ///
    /// - Parameter side: The side of the given row.
    func partners(of row: Row, on side: Side) -> [Row] {
        // A binary search for the first run that does not end before the row.
        var (low, high) = (0, runs.count)
        while low < high {
            let middle = (low + high) / 2
            let run = runs[middle]
            if MigrationAssociations.isBefore(run.row(run.count - 1, on: side), row) {
                low = middle + 1
            } else {
                high = middle
            }
        }
        var found: [Row] = []
        while low < runs.count {
            let first = runs[low].row(0, on: side)
            if MigrationAssociations.isBefore(row, first) { break }
            found.append(runs[low].row(row.key &- first.key, on: side == .source ? .destination : .source))
            low += 1
        }
        return found
    }

    /// Returns whether all new rows have the given entity.
    func hasOnly(destinationsOf entity: Int) -> Bool { runs.allSatisfy { Int($0.destinationEntity) == entity } }

    /// Returns all rows of one side in ascending order. A row that is associated with several rows may occur several
    /// times.
    func rows(on side: Side) -> some Sequence<Row> {
        runs.lazy.flatMap { run in (0..<run.count).lazy.map { run.row($0, on: side) } }
    }
}
