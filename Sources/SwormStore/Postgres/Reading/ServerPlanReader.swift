#if PostgreSQL
import SwormPredicates
import SwormRows

/// A reader of PostgreSQL's query plans in their text form, which finds the noteworthy steps.
///
/// Conditions are left out of the steps: they contain the values of parameters.
struct ServerPlanReader {
    private let model: CompiledModel
    private let request: FetchSpecification
    /// The steps of the plan.
    let steps: [QueryPlanStep]
    /// The numbers of the steps that test rows, and do not look for them in an index.
    private var filters: Set<Int> = []

    init(model: CompiledModel, request: FetchSpecification, lines: [String]) {
        self.model = model
        self.request = request
        var steps: [QueryPlanStep] = []
        var searches: Set<Int> = []
        for line in lines {
            let indent = line.prefix { $0 == " " }.count
            let text = line.dropFirst(indent)
            if steps.isEmpty {
                steps.append(QueryPlanStep(depth: 0, detail: String(text)))
            } else if text.hasPrefix("->") {
                let detail = String(text.dropFirst(2).drop { $0 == " " })
                // Each level is indented by six characters.
                steps.append(QueryPlanStep(depth: max(1, (indent + 4) / 6), detail: detail))
            } else if text.hasPrefix("Index Cond:") {
                searches.insert(steps.count - 1)
            } else if text.hasPrefix("Filter:") {
                filters.insert(steps.count - 1)
            }
        }
        filters.subtract(searches)
        self.steps = steps
    }

    private var entity: CompiledEntity { model[request.entity] }

    var findings: [PlanFinding] {
        var result: [PlanFinding] = []
        for (number, step) in steps.enumerated() {
            guard let finding = finding(step.detail, isFilter: filters.contains(number)), !result.contains(finding)
            else { continue }
            result.append(finding)
        }
        return result
    }

    private func finding(_ detail: String, isFilter: Bool) -> PlanFinding? {
        if detail == "Sort" { return sort }
        // A step that tests rows in the order of an index reads all rows of the table, too. If it tests nothing, the index has
        // only the rows that match.
        guard detail.contains("Seq Scan ") || detail.contains("Index ") && isFilter,
            let table = detail.firstRange(of: " on ")
        else { return nil }
        return scan(String(detail[table.upperBound...]))
    }

    /// Returns the finding for a scan of a table, which is named with its alias. A server also scans small tables that have an
    /// index, which is no finding.
    private func scan(_ table: String) -> PlanFinding? {
        guard let predicate = request.predicate, table.hasSuffix(" t0") else { return nil }
        let sets = IndexSearch(model: model, entity: entity, isOnServer: true).sets(for: predicate) ?? []
        guard !sets.contains(where: \.isEmpty) else { return nil }
        return .scan(
            entity: entity.name, indexes: sets.map { $0.sorted { ($0.entity, $0.name) < ($1.entity, $1.name) } })
    }

    private var sort: PlanFinding? {
        guard !request.sorts.isEmpty else { return nil }
        var index: PlanFinding.Attribute?
        // An index serves the condition or the order. The condition takes precedence.
        if request.predicate == nil, request.sorts.count == 1, request.sorts[0].options.isEmpty {
            let found = IndexSearch(model: model, entity: entity).attribute(at: request.sorts[0].path)
            // The server prefers to sort small tables.
            if let found, found.isEmpty { return nil }
            index = found?.first
            if index?.entity != entity.name { index = nil }
        }
        return .sort(
            entity: entity.name, paths: request.sorts.map { $0.path.joined(separator: ".") }, index: index)
    }
}
#endif
