extension MigrationPlanner {
    /// The amount by which entity numbers are moved out of the way, below all numbers in use.
    private static let detour: Int64 = 1 << 40

    /// Moves the entity numbers and the keys in the mirroring's tables together with those of the objects.
    ///
    /// The pairs of number and key are unique at any time, and two entities may exchange their numbers. Therefore the
    /// numbers go through negative ones, which nothing has.
    func mirroring() -> [MigrationStatement] {
        let moved = map.pairs.filter { $0.source.number != $0.destination.number || offset(of: $0) > 0 }
        guard !moved.isEmpty else { return [] }
        let numbers = moved.map { "WHEN \($0.source.number) THEN \(-Self.detour - Int64($0.destination.number))" }
        let keys = moved.map { "WHEN \($0.source.number) THEN \(offset(of: $0))" }
        let all = list(moved.map(\.source.number))
        return mirroringTables.flatMap { table -> [MigrationStatement] in
            let name = SQLName.alwaysQuoted(table)
            var settings = "ZENTITYID = CASE ZENTITYID \(numbers.joined(separator: " ")) END"
            if source.types[table]?["ZENTITYPK"] != nil, moved.contains(where: { offset(of: $0) > 0 }) {
                let sum = "ZENTITYPK + CASE ZENTITYID \(keys.joined(separator: " ")) END"
                settings += ", ZENTITYPK = CASE typeof(ZENTITYPK) WHEN 'integer' THEN \(sum) ELSE ZENTITYPK END"
            }
            let (lowest, highest) = (-Self.detour - Int64(map.destination.entities.count), -Self.detour - 1)
            return [
                "UPDATE \(name) SET \(settings) WHERE ZENTITYID IN (\(all))",
                "UPDATE \(name) SET ZENTITYID = -ZENTITYID - \(Self.detour) WHERE ZENTITYID BETWEEN \(lowest) AND \(highest)",
            ]
        }
    }

    /// The tables of the mirroring that identify objects by the numbers of their entities, in a stable order.
    var mirroringTables: [String] {
        source.types.filter { MirroringTables.contains($0.key) && $0.value["ZENTITYID"] != nil }.keys.sorted()
    }
}
