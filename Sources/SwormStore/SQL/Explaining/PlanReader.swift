import SwormPredicates
import SwormSQLite
import SwormRows

/// A reader that finds the noteworthy steps of SQLite's query plan.
///
/// SQLite does not guarantee the wording of its plans. Unknown steps are ignored.
struct PlanReader {
    let model: CompiledModel
    let layout: StoreLayout
    let request: FetchSpecification
    let statement: CompiledStatement

    private var entity: CompiledEntity { model[request.entity] }

    func findings(_ steps: [QueryPlanStep]) -> [PlanFinding] {
        var result: [PlanFinding] = []
        for step in steps {
            guard let finding = finding(step.detail), !result.contains(finding) else { continue }
            result.append(finding)
        }
        return result
    }

    private func finding(_ detail: String) -> PlanFinding? {
        let words = detail.split(separator: " ").map(String.init)
        switch words.first {
        case "SCAN": return scan(words)
        case "SEARCH" where words.contains("AUTOMATIC"):
            return entityName(of: words).map { .automaticIndex(entity: $0) }
        case "USE" where detail.hasPrefix("USE TEMP B-TREE FOR"):
            if words.contains("ORDER") { return sort(isWhole: !words.contains("PART")) }
            return .grouping(entity: entity.name)
        default: return nil
        }
    }

    private func scan(_ words: [String]) -> PlanFinding? {
        guard !words.contains("VIRTUAL"), let alias = alias(in: words), let name = entityName(of: words) else {
            return nil
        }
        // Without a condition, the request is for all rows.
        guard let predicate = request.predicate else { return alias == "t0" ? nil : .scan(entity: name, indexes: []) }
        var sets = IndexSearch(model: model, entity: entity).sets(for: predicate) ?? []
        // An index exists, but SQLite does not use it.
        if sets.contains(where: \.isEmpty) { sets = [] }
        // The rows of another table can only be found by that table's attributes.
        if alias != "t0" { sets.removeAll { set in !set.allSatisfy { $0.entity == name } } }
        return .scan(entity: name, indexes: sets.map { $0.sorted { ($0.entity, $0.name) < ($1.entity, $1.name) } })
    }

    private func sort(isWhole: Bool) -> PlanFinding? {
        // Rows are always sorted by their keys, and groups by the values that distinguish them.
        guard !request.sorts.isEmpty else { return nil }
        let paths = request.sorts.map { $0.path.joined(separator: ".") }
        var index: PlanFinding.Attribute?
        // An index serves the condition or the order. The condition takes precedence.
        if isWhole, request.predicate == nil, request.sorts.count == 1, request.sorts[0].options.isEmpty {
            index = IndexSearch(model: model, entity: entity).attribute(at: request.sorts[0].path)?.first
            if index?.entity != entity.name { index = nil }
        }
        return .sort(entity: entity.name, paths: paths, index: index)
    }

    // MARK: Names

    /// Returns the alias of a step's table: `SCAN t0`, or `SCAN TABLE ZBOOK AS t0` in older versions.
    private func alias(in words: [String]) -> String? {
        let name = words.firstIndex(of: "AS").flatMap { words.dropFirst($0 + 1).first } ?? words.dropFirst().first
        guard let name, name.first == "t", Int(name.dropFirst()) != nil else { return nil }
        return name
    }

    /// Returns the entity whose rows a step reads, or nil if the table does not belong to an entity.
    private func entityName(of words: [String]) -> String? {
        guard let alias = alias(in: words) else { return nil }
        if alias == "t0" { return entity.name }
        for (root, table) in layout.tables {
            for name in [table.name, SQLName.quoted(table.name)] where names(name, as: alias) {
                return model[root].name
            }
        }
        return nil
    }

    /// Returns whether the statement gives a table an alias.
    private func names(_ table: String, as alias: String) -> Bool {
        ["FROM", "JOIN"].contains { word in
            let clause = "\(word) \(table) \(alias)"
            return statement.sql.contains(clause + " ") || statement.sql.contains(clause + ")")
                || statement.sql.hasSuffix(clause)
        }
    }
}
