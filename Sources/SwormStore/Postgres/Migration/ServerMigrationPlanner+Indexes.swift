#if PostgreSQL
import SwormPredicates

// Indexes: those of new tables are created at once, those of present tables while programs use the store.
extension ServerMigrationPlanner {
    func planIndexes(_ plan: inout ServerMigrationPlan) {
        let present = Set(old.tables.tables.map { renamed($0.name) })
        var former = old.tables.indexes.map { index -> ServerIndex in
            var index = index
            let before = old.tables.tables.first { $0.name == index.table }
            index.table = renamed(index.table)
            for place in index.columns.indices {
                guard let before else { continue }
                index.columns[place].name = renamedColumn(index.columns[place].name, in: before)
            }
            return index
        }
        var waiting = state.work
        let signatures = Set(new.tables.indexes.map { $0.signature })
        // Indexes that only the old version has give up their names if the new version needs them.
        var unused = former.filter { !signatures.contains($0.signature) }
        former.removeAll { !signatures.contains($0.signature) }
        let needed = Set(new.tables.indexes.map(\.name))
        // An index that a program has left unfinished would go on rejecting rows.
        let unfinished = waiting.compactMap { isCurrent($0) ? nil : removal(of: $0) }
        plan.statements += unfinished
        for place in unused.indices {
            let index = unused[place]
            if waiting.removeIndex(named: index.name) != nil {
                unused[place].name = ""
            } else if form == .complete, index.isUnique {
                plan.statements.append("DROP INDEX IF EXISTS \(prefix)\(SQLName.alwaysQuoted(index.name))")
                unused[place].name = ""
            } else if needed.contains(index.name) {
                let name = freeName(index.name, plan: plan)
                plan.statements.append(rename(index.name, to: name))
                unused[place].name = name
            }
        }
        plan.leftovers.indexes += unused.filter { !$0.name.isEmpty }.map {
            .init(name: $0.name, definition: $0.signature)
        }
        for place in plan.leftovers.indexes.indices where needed.contains(plan.leftovers.indexes[place].name) {
            let name = freeName(plan.leftovers.indexes[place].name, plan: plan)
            plan.statements.append(rename(plan.leftovers.indexes[place].name, to: name))
            plan.leftovers.indexes[place].name = name
        }
        var renames: [(from: String, to: String)] = []
        for index in new.tables.indexes {
            provide(index, former: former, present: present, waiting: &waiting, renames: &renames, plan: &plan)
        }
        plan.statements += Self.steps(renames).map { rename($0.from, to: $0.to) }
        plan.work = waiting.filter(isCurrent) + plan.work
        plan.indexes = ServerIndexes(new.tables.indexes)
    }

    private func provide(
        _ index: ServerIndex, former: [ServerIndex], present: Set<String>, waiting: inout [ServerWork],
        renames: inout [(from: String, to: String)], plan: inout ServerMigrationPlan
    ) {
        let signature = index.signature
        guard present.contains(index.table) else { return plan.statements.append(index.creation(in: prefix)) }
        if let known = former.first(where: { $0.signature == signature }) {
            // A step that was left to do has the former names.
            guard known.name != index.name || waiting.contains(where: { $0.creates(index.name) && !isCurrent($0) })
            else { return }
            if waiting.removeIndex(named: known.name) != nil {
                plan.work.append(ServerWork(index, in: prefix))
            } else {
                renames.append((from: known.name, to: index.name))
            }
        } else if let place = plan.leftovers.indexes.firstIndex(where: { $0.definition == signature }) {
            renames.append((from: plan.leftovers.indexes[place].name, to: index.name))
            plan.leftovers.indexes.remove(at: place)
        } else {
            plan.work.append(ServerWork(index, in: prefix))
        }
    }

    /// Returns the statement that removes what an interrupted step may have left.
    private func removal(of work: ServerWork) -> String? {
        switch work.task {
        case .index(let name, _, _): return "DROP INDEX IF EXISTS \(prefix)\(SQLName.alwaysQuoted(name))"
        case .required(let table, let column):
            let check = SQLName.alwaysQuoted(ServerWork.checkName(table, column: column))
            return "ALTER TABLE IF EXISTS \(target(renamed(table))) DROP CONSTRAINT IF EXISTS \(check)"
        // The foreign key is one of the table's.
        case .reference: return nil
        }
    }

    private func rename(_ index: String, to name: String) -> String {
        "ALTER INDEX IF EXISTS \(prefix)\(SQLName.alwaysQuoted(index)) RENAME TO \(SQLName.alwaysQuoted(name))"
    }

    private func freeName(_ name: String, plan: ServerMigrationPlan) -> String {
        let taken = Set(
            new.tables.indexes.map(\.name) + old.tables.indexes.map(\.name) + plan.leftovers.indexes.map(\.name)
                + new.tables.tables.map(\.name) + old.tables.tables.map(\.name))
        return PostgresNames.free(["\(name)_old"]) { !taken.contains($0) }
    }

    /// Returns whether a step that was left to do still concerns the tables of the new version.
    private func isCurrent(_ work: ServerWork) -> Bool {
        switch work.task {
        case .index(let name, let definition, let isUnique):
            new.tables.indexes.contains {
                $0.name == name && $0.isUnique == isUnique && $0.definition(in: prefix) == definition
            }
        case .reference(let table, _, let column, _):
            new.tables.tables.contains { $0.name == table && $0.columns.contains { $0.name == column } }
        case .required(let table, let column):
            new.tables.tables.contains {
                $0.name == table && $0.columns.contains { $0.name == column && $0.isRequired }
            }
        }
    }
}

extension ServerIndex {
    /// Returns the statement that creates the index, without the name.
    func definition(in prefix: String) -> String {
        let start = "CREATE \(isUnique ? "UNIQUE " : "")INDEX \(SQLName.alwaysQuoted(name)) "
        return String(creation(in: prefix).dropFirst(start.count))
    }
}

extension ServerWork {
    init(_ index: ServerIndex, in prefix: String) {
        self.init(.index(name: index.name, definition: index.definition(in: prefix), isUnique: index.isUnique))
    }

    /// Returns whether the step creates the index of a name.
    fileprivate func creates(_ index: String) -> Bool {
        if case .index(index, _, _) = task { true } else { false }
    }
}
#endif
