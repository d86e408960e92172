#if PostgreSQL
import SwormPostgres
import SwormPredicates

/// The keys that a store has drawn from the sequences of its tables and not used yet.
///
/// A sequence counts in blocks: each number that it returns is the first of a block of keys. Keys of transactions that
/// are rolled back are not used again, because other programs may have seen them.
final class ServerKeys: Sendable {
    /// The number of keys in a block.
    static let blockSize: Int64 = 64

    private struct Stock: Sendable {
        /// The unused keys in ascending order.
        var ranges: [Range<Int64>] = []
        /// The highest key that was drawn.
        var highest: Int64 = 0
    }

    private let stocks = Locked<[Int: Stock]>([:])

    /// Takes as many keys of a hierarchy as there are, in ascending order.
    func take(upTo count: Int, root: Int) -> [Range<Int64>] {
        stocks.withLock { stocks in
            var result: [Range<Int64>] = []
            var missing = Int64(count)
            while missing > 0, let first = stocks[root]?.ranges.first {
                let end = first.lowerBound + min(missing, Int64(first.count))
                result.append(first.lowerBound..<end)
                missing -= end - first.lowerBound
                if end == first.upperBound {
                    stocks[root]?.ranges.removeFirst()
                } else {
                    stocks[root]?.ranges[0] = end..<first.upperBound
                }
            }
            return result
        }
    }

    /// Takes adjacent keys, or returns nil if there are not enough.
    func take(adjacent count: Int, root: Int) -> Int64? {
        stocks.withLock { stocks in
            guard let index = stocks[root]?.ranges.firstIndex(where: { $0.count >= count }),
                let range = stocks[root]?.ranges[index]
            else { return nil }
            let end = range.lowerBound + Int64(count)
            if end == range.upperBound {
                stocks[root]?.ranges.remove(at: index)
            } else {
                stocks[root]?.ranges[index] = end..<range.upperBound
            }
            return range.lowerBound
        }
    }

    /// Adds the blocks that a sequence has returned.
    func add(_ blocks: [Int64], root: Int) {
        stocks.withLock { stocks in
            var ranges = stocks[root]?.ranges ?? []
            var highest = stocks[root]?.highest ?? 0
            for start in blocks {
                let (end, overflow) = start.addingReportingOverflow(Self.blockSize)
                guard !overflow else { continue }
                ranges.append(start..<end)
                highest = max(highest, end - 1)
            }
            ranges.sort { $0.lowerBound < $1.lowerBound }
            var joined: [Range<Int64>] = []
            for range in ranges {
                if let last = joined.last, last.upperBound == range.lowerBound {
                    joined[joined.count - 1] = last.lowerBound..<range.upperBound
                } else {
                    joined.append(range)
                }
            }
            stocks[root] = Stock(ranges: joined, highest: highest)
        }
    }

    /// Returns whether the store itself has drawn a key, or a higher one.
    func haveReached(_ key: Int64, root: Int) -> Bool { stocks.withLock { key <= $0[root]?.highest ?? 0 } }

    /// Drops all unused keys, because a row has one of them that this store has not given it. The server may have lost the
    /// record of the drawing, like a standby that has become the primary.
    func dropAll() { stocks.withLock { for root in $0.keys { $0[root]?.ranges = [] } } }

    /// Drops the unused keys up to one that a row has although it was not drawn.
    func drop(through key: Int64, root: Int) {
        stocks.withLock { $0[root]?.ranges.removeAll { $0.lowerBound <= key } }
    }
}

// MARK: Drawing

extension PostgresStore {
    /// Returns keys for new rows of a hierarchy in ascending order.
    ///
    /// - Parameter connection: A connection, on which the keys are drawn that the store does not have yet. It need not have
    ///   a transaction.
    func keys(_ count: Int, root: Int, on connection: PostgresConnection) throws -> [Range<Int64>] {
        var result = keys.take(upTo: count, root: root)
        while true {
            let missing = count - result.reduce(0) { $0 + $1.count }
            guard missing > 0 else { return result }
            try draw(missing, root: root, on: connection)
            result += keys.take(upTo: missing, root: root)
        }
    }

    /// Reserves adjacent keys of a hierarchy, and returns the first one.
    func adjacentKeys(_ count: Int, root: Int, on connection: PostgresConnection) throws -> Int64 {
        // The blocks of one statement are adjacent unless another program draws some at the same time.
        for _ in 0..<Self.drawings {
            if let first = keys.take(adjacent: count, root: root) { return first }
            try draw(count, root: root, on: connection)
        }
        throw CoreDataError(
            NSPersistentStoreSaveError,
            "\(count) adjacent keys of '\(model[root].name)' could not be reserved, because other programs reserve keys at the same time. Try again, or reserve fewer keys at once.",
            entity: model[root].name)
    }

    private static var drawings: Int { 100 }

    private func draw(_ count: Int, root: Int, on connection: PostgresConnection) throws {
        let (blocks, rest) = Int64(count).quotientAndRemainder(dividingBy: ServerKeys.blockSize)
        let parameters = Parameters()
        parameters.append(blocks + (rest > 0 ? 1 : 0))
        var starts: [Int64] = []
        do {
            let result = try connection.run(
                SQLStatement(
                    "SELECT pg_catalog.nextval(\(sequence(of: root))::pg_catalog.regclass) FROM pg_catalog.generate_series(1, $1)",
                    with: parameters))
            starts = try result.keys()
        } catch let error as ServerError where error.state == .sequenceLimit {
            throw usedUp(root, cause: error)
        }
        // The last block before the largest integer would not be a whole one.
        guard let highest = starts.max(), highest <= Int64.max - ServerKeys.blockSize else { throw usedUp(root) }
        keys.add(starts, root: root)
    }

    private func usedUp(_ root: Int, cause: (any Error)? = nil) -> CoreDataError {
        CoreDataError(
            NSPersistentStoreSaveError, "The store has no primary keys left for '\(model[root].name)'.",
            entity: model[root].name, cause: cause)
    }

    /// Drops the keys that were drawn, if an error says that a row has one of them.
    func dropKeys(after error: any Error) {
        guard let error = error as? ServerError, error.kind == .uniqueViolation,
            error.constraint?.hasSuffix("_pkey") == true
        else { return }
        keys.dropAll()
    }

    /// Returns a statement that makes the sequence of a hierarchy return keys behind the given one, which was not drawn from
    /// it; nil if the store has drawn higher keys.
    func statement(reaching key: Int64, root: Int) -> SQLStatement? {
        guard !keys.haveReached(key, root: root) else { return nil }
        keys.drop(through: key, root: root)
        let parameters = Parameters()
        parameters.append(key)
        // The last number of the sequence is the first of a block, whose other keys are drawn too.
        return SQLStatement(
            "SELECT pg_catalog.setval(s, $1) FROM (SELECT \(sequence(of: root))::pg_catalog.regclass) AS q(s) WHERE COALESCE(pg_catalog.pg_sequence_last_value(s) < $1 - \(ServerKeys.blockSize - 1), TRUE)",
            with: parameters)
    }

    /// Returns the SQL of the name of a sequence.
    private func sequence(of root: Int) -> String {
        "pg_catalog.pg_get_serial_sequence(\(SQLName.literal(schema.columns[root - 1].table)), '_key')"
    }
}

extension SQLState {
    /// A sequence has reached its largest number.
    fileprivate static let sequenceLimit = SQLState(rawValue: "2200H")
}
#endif
