/// What is added to the keys of a source's table when its rows come into a table of the destination.
///
/// Tables that become one have rows with equal keys. The first of them, which is the table of the root's own rows where
/// there is one, keeps its keys. Those of the next follow behind the highest that was ever given out in the ones before,
/// so that a key that leads to nothing still does.
struct KeyOffsets {
    private var offsets: [Int: [Int: Int64]] = [:]
    /// The highest key that was ever given out, by root of the destination.
    private(set) var highest: [Int: Int64] = [:]

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
                // The keys of one table are those that it has, however high.
                guard roots.count == 1 || (!overflow && sum < .max) else {
                    throw CoreDataError(
                        NSMigrationError,
                        "The objects of several entities become those of \(root.name), and together they need more keys than there are.",
                        entity: root.name)
                }
                next = sum
            }
            highest[root.number] = next
        }
    }

    /// Nil where no row of the one table comes into the other.
    func offset(from source: Int, into destination: Int) -> Int64? { offsets[destination]?[source] }

    /// The roots of the source whose rows come into a table, the one that keeps its keys first.
    func sources(of destination: Int) -> [Int] {
        (offsets[destination] ?? [:]).sorted { ($0.value, $0.key) < ($1.value, $1.key) }.map(\.key)
    }
}
