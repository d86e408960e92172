extension MigrationPlanner {
    // MARK: Tables that are recreated

    /// Copies the rows into a new table. One statement copies all rows whose columns are computed in the same way.
    func fill(_ plan: TablePlan) -> [MigrationStatement] {
        let order = Dictionary(
            offsets.sources(of: plan.root.number).enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first }
        )
        var groups: [(root: Int, cells: [TablePlan.Cell?], pairs: [MigrationMap.Pair])] = []
        for (index, pair) in plan.pairs.enumerated() where !pair.source.isAbstract {
            let cells = plan.cells.map { $0[index] }
            if let place = groups.firstIndex(where: { $0.root == pair.source.root && same($0.cells, cells) }) {
                groups[place].pairs.append(pair)
            } else {
                groups.append((pair.source.root, cells, [pair]))
            }
        }
        groups.sort {
            (order[$0.root] ?? 0, $0.pairs[0].source.number) < (order[$1.root] ?? 0, $1.pairs[0].source.number)
        }
        return groups.map { copy($0.pairs, of: $0.root, cells: $0.cells, into: plan) }
    }

    /// Returns whether rows can be read by one statement. A column that some of them do not have is NULL in these rows.
    private func same(_ one: [TablePlan.Cell?], _ other: [TablePlan.Cell?]) -> Bool {
        zip(one, other).allSatisfy { ($0 ?? .empty) == ($1 ?? .empty) }
    }

    private func copy(
        _ pairs: [MigrationMap.Pair], of root: Int, cells: [TablePlan.Cell?], into plan: TablePlan
    ) -> MigrationStatement {
        let offset = offsets.offset(from: root, into: plan.root.number) ?? 0
        var columns = ["Z_PK", "Z_ENT", "Z_OPT"]
        var expressions = [offset == 0 ? "Z_PK" : "Z_PK + \(offset)", number(of: pairs), "Z_OPT"]
        var values: [StoredValue] = []
        for (use, cell) in zip(plan.uses, cells) {
            guard let cell, cell.expression != nil || cell.fill != nil else { continue }
            columns.append(SQLName.quoted(use.column))
            guard let fill = cell.fill else {
                expressions.append(cell.expression ?? "NULL")
                continue
            }
            values.append(fill)
            let value = TablePlan.Cell.given("?\(values.count)", by: cell.witnesses)
            expressions.append(cell.expression.map { "IFNULL(\($0), \(value))" } ?? value)
        }
        columns += plan.carried.columns(from: root)
        expressions += plan.carried.columns(from: root)
        let all = map.source[root].family.filter { !map.source[$0].isAbstract }
        let numbers = pairs.map(\.source.number)
        let condition = numbers == all ? "" : " WHERE Z_ENT IN (\(list(numbers)))"
        return MigrationStatement(
            "INSERT INTO \(SQLName.quoted(plan.table.name)) (\(columns.joined(separator: ", "))) SELECT \(expressions.joined(separator: ", ")) FROM SwormOld_\(root)\(condition)",
            binding: values)
    }

    /// Returns an expression for the number of the new entity, computed from that of the old one.
    private func number(of pairs: [MigrationMap.Pair]) -> String {
        if pairs.allSatisfy({ $0.source.number == $0.destination.number }) { return "Z_ENT" }
        if Set(pairs.map(\.destination.number)).count == 1 { return "\(pairs[0].destination.number)" }
        return numberCase("Z_ENT", for: pairs)
    }

    func numberCase(_ column: String, for pairs: [MigrationMap.Pair]) -> String {
        let cases = pairs.map { "WHEN \($0.source.number) THEN \($0.destination.number)" }
        return "CASE \(column) \(cases.joined(separator: " ")) ELSE \(column) END"
    }

    func list(_ numbers: some Sequence<Int>) -> String { numbers.map(String.init).joined(separator: ", ") }

    // MARK: Tables that stay

    /// Deletes the rows that are not retained, and sets the entity numbers and missing values of the remaining rows.
    func change(_ plan: TablePlan) -> [MigrationStatement] {
        let table = SQLName.quoted(plan.table.name)
        var statements: [MigrationStatement] = []
        if let root = plan.pairs.first?.source.root {
            let gone = map.source[root].family.filter {
                map.destination(of: $0) == nil && !map.source[$0].isAbstract
            }
            if !gone.isEmpty { statements.append("DELETE FROM \(table) WHERE Z_ENT IN (\(list(gone)))") }
        }
        let moved = plan.pairs.filter { !$0.source.isAbstract && $0.source.number != $0.destination.number }
        if !moved.isEmpty {
            statements.append(
                "UPDATE \(table) SET Z_ENT = \(numberCase("Z_ENT", for: moved)) WHERE Z_ENT IN (\(list(moved.map(\.source.number))))"
            )
        }
        return statements + fills(of: plan, in: table)
    }

    /// Replaces NULL with default values, with one statement for all rows that lack the same values.
    private func fills(of plan: TablePlan, in table: String) -> [MigrationStatement] {
        struct Fill: Hashable {
            var column: String
            var value: StoredValue
            var isNew: Bool
            /// The columns that determine whether a new one gets the value.
            var witnesses: [String]
        }
        let names = Dictionary(plan.renames.map { ($0.from, $0.to) }, uniquingKeysWith: { first, _ in first })
        var groups: [(fills: [Fill], numbers: Set<Int>)] = []
        for (index, pair) in plan.pairs.enumerated() where !pair.source.isAbstract {
            let fills = plan.uses.indices.compactMap { use -> Fill? in
                guard let cell = plan.cells[use][index], let value = cell.fill else { return nil }
                return Fill(
                    column: SQLName.quoted(plan.uses[use].column), value: value, isNew: cell.column == nil,
                    witnesses: cell.witnesses.map { names[$0] ?? $0 })
            }
            guard !fills.isEmpty else { continue }
            if let place = groups.firstIndex(where: { $0.fills == fills }) {
                groups[place].numbers.insert(pair.destination.number)
            } else {
                groups.append((fills, [pair.destination.number]))
            }
        }
        let all = Set(plan.pairs.filter { !$0.source.isAbstract }.map(\.destination.number))
        return groups.map { fills, numbers in
            let settings = fills.enumerated().map { index, fill in
                fill.isNew
                    ? "\(fill.column) = \(TablePlan.Cell.given("?\(index + 1)", by: fill.witnesses))"
                    : "\(fill.column) = IFNULL(\(fill.column), ?\(index + 1))"
            }
            var conditions: [String] = []
            if numbers != all { conditions.append("Z_ENT IN (\(list(numbers.sorted())))") }
            if !fills.contains(where: \.isNew) {
                let lacking = fills.map { "\($0.column) IS NULL" }.joined(separator: " OR ")
                conditions.append(fills.count > 1 ? "(\(lacking))" : lacking)
            }
            let condition = conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND ")
            return MigrationStatement(
                "UPDATE \(table) SET \(settings.joined(separator: ", "))\(condition)", binding: fills.map(\.value))
        }
    }
}
