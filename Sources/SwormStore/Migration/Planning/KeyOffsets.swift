/// The offsets that are added to the keys of a source's table when its rows are moved into a table of the destination.
///
/// Tables that become one contain rows with equal keys. The first of them, which is the table of the root's own rows if
/// there is one, retains its keys. The keys of each following table start after the highest key ever assigned in the
/// preceding ones, so that a key that points to no row still points to none.
struct KeyOffsets {
    private var offsets: [Int: [Int: Int64]] = [:]
    /// The highest key that was ever assigned, by root of the destination.
    private(set) var highest: [Int: Int64] = [:]

    /// - Parameter highestKeys: The highest key that was ever assigned, by root of the source.
    init(_ map: MigrationMap, highestKeys: [Int: Int64]) throws {
        for root in map.destination.entities where root.root == root.number {
            let pairs = map.pairs(into: root.number)
            var roots: [Int] = []
            if let home = pairs.first(where: { $0.destination.number == root.number }) {
                roots.append(home.source.root)
            }
            for pair in pairs where !roots.contains(pair.source.root) { roots.append(pair.source.root) }
            var next: Int64 = 0
            for source in roots {
                offsets[root.number, default: [:]][source] = next
                let (sum, overflow) = next.addingReportingOverflow(max(0, highestKeys[source] ?? 0))
                // A single table retains its keys, however high they are.
                guard roots.count == 1 || (!overflow && sum < .max) else {
                    throw CoreDataError(
                        NSMigrationError,
                        "The objects of several entities become objects of '\(root.name)', and together they need more primary keys than exist.",
                        entity: root.name)
                }
                next = sum
            }
            highest[root.number] = next
        }
    }

    /// Returns the offset; nil if no row of the one table is moved into the other.
    func offset(from source: Int, into destination: Int) -> Int64? { offsets[destination]?[source] }

    /// Returns the roots of the source whose rows are moved into a table, starting with the one that retains its keys.
    func sources(of destination: Int) -> [Int] {
        (offsets[destination] ?? [:]).sorted { ($0.value, $0.key) < ($1.value, $1.key) }.map(\.key)
    }
}
