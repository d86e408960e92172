extension MigrationPlanner {
    /// The SQL function that translates the bits of changed properties into those of the new model.
    static let propertiesFunction = "SwormHistoryProperties"

    /// Translates the persistent history to the new model: its entities, the keys of its objects, and its properties.
    ///
    /// The changes of objects whose entity no longer exists are deleted. Their transactions are retained, so that
    /// history tokens remain valid.
    func history() -> [MigrationStatement] {
        let table = HistoryTables.Kind.change.table
        guard let columns = source.types[table]?.keys, columns.contains("ZENTITY") else { return [] }
        var statements: [MigrationStatement] = []
        let gone = map.source.entities.map(\.number).filter { map.destination(of: $0) == nil }
        if !gone.isEmpty { statements.append("DELETE FROM \(table) WHERE ZENTITY IN (\(list(gone)))") }
        statements += tombstones(Set(columns))
        var settings: [String] = []
        var numbers: Set<Int> = []
        if columns.contains("ZCOLUMNS") {
            let changed = map.pairs.filter { renamesProperties($0) }.map(\.source.number)
            if !changed.isEmpty {
                settings.append(
                    "ZCOLUMNS = CASE WHEN ZENTITY IN (\(list(changed))) AND ZCOLUMNS IS NOT NULL THEN \(Self.propertiesFunction)(ZENTITY, ZCOLUMNS) ELSE ZCOLUMNS END"
                )
                numbers.formUnion(changed)
            }
        }
        let moved = map.pairs.filter { offset(of: $0) > 0 }
        if columns.contains("ZENTITYPK"), !moved.isEmpty {
            let cases = moved.map { "WHEN \($0.source.number) THEN \(offset(of: $0))" }.joined(separator: " ")
            settings.append("ZENTITYPK = ZENTITYPK + CASE ZENTITY \(cases) ELSE 0 END")
            numbers.formUnion(moved.map(\.source.number))
        }
        let renumbered = map.pairs.filter { $0.source.number != $0.destination.number }
        if !renumbered.isEmpty {
            settings.append("ZENTITY = \(numberCase("ZENTITY", for: renumbered))")
            numbers.formUnion(renumbered.map(\.source.number))
        }
        guard !settings.isEmpty else { return statements }
        statements.append(
            "UPDATE \(table) SET \(settings.joined(separator: ", ")) WHERE ZENTITY IN (\(list(numbers.sorted())))")
        return statements
    }

    /// Returns the number that is added to the keys of the rows of a pair.
    func offset(of pair: MigrationMap.Pair) -> Int64 {
        offsets.offset(from: pair.source.root, into: pair.destination.root) ?? 0
    }

    /// Returns whether the history stores the properties of an entity at other positions, or under other names, in the
    /// new model.
    private func renamesProperties(_ pair: MigrationMap.Pair) -> Bool {
        HistoryProperties(pair.source, layout: source.layout, tombstones: 0).names
            != HistoryProperties(pair.destination, layout: layout, tombstones: 0).names
            || pair.attributes.enumerated().contains { slot, own in
                own.map { pair.source.attributes[$0].name != pair.destination.attributes[slot].name } ?? false
            }
            || pair.relationships.enumerated().contains { slot, own in
                own.map { pair.source.relationships[$0].name != pair.destination.relationships[slot].name } ?? false
            }
    }

    /// Moves the tombstone values of deleted objects to the columns in which the new model expects them.
    private func tombstones(_ columns: Set<String>) -> [MigrationStatement] {
        let table = HistoryTables.Kind.change.table
        let count = (0...).prefix { columns.contains(HistoryTables.tombstone($0)) }.count
        let needed = map.destination.entities.map { $0.preservedAttributes().count }.max() ?? 0
        var statements: [MigrationStatement] = (count..<max(count, needed)).map {
            "ALTER TABLE \(table) ADD COLUMN \(HistoryTables.tombstone($0)) BLOB"
        }
        guard count > 0 else { return statements }
        for pair in map.pairs {
            let old = pair.source.preservedAttributes()
            let places = pair.destination.preservedAttributes().map { slot in
                pair.attributes[slot].flatMap { old.firstIndex(of: $0) }.flatMap { $0 < count ? $0 : nil }
            }
            guard !old.isEmpty, places != Array(old.indices) else { continue }
            let settings = (0..<max(count, places.count)).map { index in
                let value = index < places.count ? places[index].map { HistoryTables.tombstone($0) } : nil
                return "\(HistoryTables.tombstone(index)) = \(value ?? "NULL")"
            }
            statements.append(
                "UPDATE \(table) SET \(settings.joined(separator: ", ")) WHERE ZENTITY = \(pair.source.number) AND ZCHANGETYPE = 2"
            )
        }
        return statements
    }
}
