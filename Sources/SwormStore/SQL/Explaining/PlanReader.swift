import SwormPredicates
import SwormSQLite
import SwormRows

/// Finds in SQLite's plan what a person should know.
///
/// SQLite does not promise the words of its plans. A step that is not understood is passed over.
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
        // Without a condition all rows are asked for.
        guard let predicate = request.predicate else { return alias == "t0" ? nil : .scan(entity: name, indexes: []) }
        var sets = IndexSearch(model: model, entity: entity).sets(for: predicate) ?? []
        // There is an index, and SQLite does without it.
        if sets.contains(where: \.isEmpty) { sets = [] }
        // The rows of another table are found by its own attributes alone.
        if alias != "t0" { sets.removeAll { set in !set.allSatisfy { $0.entity == name } } }
        return .scan(entity: name, indexes: sets.map { $0.sorted { ($0.entity, $0.name) < ($1.entity, $1.name) } })
    }

    private func sort(isWhole: Bool) -> PlanFinding? {
        // By their keys rows are sorted in any case, and groups by what tells them apart.
        guard !request.sorts.isEmpty else { return nil }
        let paths = request.sorts.map { $0.path.joined(separator: ".") }
        var index: PlanFinding.Attribute?
        // An index serves the condition or the order. Where there is a condition, it has the first call on one.
        if isWhole, request.predicate == nil, request.sorts.count == 1, request.sorts[0].options.isEmpty {
            index = IndexSearch(model: model, entity: entity).attribute(at: request.sorts[0].path)?.first
            if index?.entity != entity.name { index = nil }
        }
        return .sort(entity: entity.name, paths: paths, index: index)
    }

    // MARK: Names

    /// The alias of a step's table: `SCAN t0`, or `SCAN TABLE ZBOOK AS t0` in the words of older versions.
    private func alias(in words: [String]) -> String? {
        let name = words.firstIndex(of: "AS").flatMap { words.dropFirst($0 + 1).first } ?? words.dropFirst().first
        guard let name, name.first == "t", Int(name.dropFirst()) != nil else { return nil }
        return name
    }

    /// The entity whose rows a step reads; nil for what is no entity's table.
    private func entityName(of words: [String]) -> String? {
        guard let alias = alias(in: words) else { return nil }
        if alias == "t0" { return entity.name }
        for (root, table) in layout.tables {
            for name in [table.name, SQLName.quoted(table.name)] where names(name, alias) { return model[root].name }
        }
        return nil
    }

    /// Whether the statement gives a table an alias.
    private func names(_ table: String, _ alias: String) -> Bool {
        ["FROM", "JOIN"].contains { word in
            let clause = "\(word) \(table) \(alias)"
            return statement.sql.contains(clause + " ") || statement.sql.contains(clause + ")")
                || statement.sql.hasSuffix(clause)
        }
    }
}
