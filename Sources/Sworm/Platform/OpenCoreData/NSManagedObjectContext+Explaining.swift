#if !canImport(CoreData)
import Foundation
import OpenCoreData
import SwormPredicates
import SwormRows
import SwormSQLite
import SwormStore

extension NSManagedObjectContext {
    /// Returns an explanation of how a request is run, or how its objects are counted.
    func explain(
        _ request: RequestContent, of entity: ModelEntity, isCount: Bool = false
    ) throws -> RequestExplanation {
        RequestExplanation(try explain(request.specification(of: entity), as: isCount ? .count : .objects))
    }

    /// Returns an explanation of how a projection is run.
    func explain(
        _ tree: ProjectionTree, of request: RequestContent, entity: ModelEntity
    ) throws -> RequestExplanation {
        RequestExplanation(
            try explain(ProjectionSpecification(fetch: request.specification(of: entity), tree: tree)))
    }
}

extension RequestExplanation {
    fileprivate init(_ explanation: StatementExplanation) {
        var advice = explanation.findings.map { $0.sentence(isOnServer: explanation.isOnServer) }
        for condition in explanation.conditions {
            guard let reason = condition.reason else { continue }
            advice.append("The condition `\(condition.text)` is tested in memory, because \(reason).")
        }
        if let reason = explanation.sortReason { advice.append("The rows are sorted in memory, because \(reason).") }
        if let reason = explanation.columnReason {
            advice.append("The columns are computed in memory, because \(reason).")
        }
        if explanation.hasUnsavedChanges {
            advice.append(
                "Unsaved changes affect the request: its objects are also evaluated in memory, and it reads more rows."
            )
        }
        self.init(
            sql: explanation.statement.sql, bindings: explanation.literals,
            plan: explanation.steps.map(\.line), advice: advice,
            scannedEntities: explanation.findings.compactMap {
                if case .scan(let entity, _) = $0 { entity } else { nil }
            })
        if explanation.isOnServer { parameterSign = "$" }
    }
}

extension PlanFinding {
    fileprivate func sentence(isOnServer: Bool) -> String {
        switch self {
        case .scan(let entity, let all):
            // Tables cannot declare an index of an element of a composite attribute; a model file can.
            let indexes = all.filter { !$0.contains { $0.name.contains(".") } }
            if indexes.isEmpty, let element = all.first?.first {
                return "All rows of \(entity) are scanned: \(element.name) is an element of a composite attribute, "
                    + "which only a model file can index."
            }
            let start = "All rows of \(entity) are scanned: no index"
            guard let smallest = indexes.first else { return "\(start) can serve the condition." }
            func names(_ list: [Attribute], _ word: String) -> String {
                list.map { $0.entity == entity ? $0.name : "\($0.entity).\($0.name)" }.joined(separator: " \(word) ")
            }
            func option(_ list: [Attribute]) -> String {
                list.allSatisfy(\.isFolded) ? ".indexed(.folded)" : ".indexed"
            }
            if smallest.count > 1 {
                return "\(start) covers \(names(smallest, "and")). Add \(option(smallest)) to each of them."
            }
            let single = indexes.filter { $0.count == 1 }.flatMap { $0 }
            return single.count == 1
                ? "\(start) covers \(names(single, "or")). Add \(option(single)) to it."
                : "\(start) covers \(names(single, "or")). Add \(option(single)) to one of them."
        case .automaticIndex(let entity):
            return
                "SQLite creates a temporary index of \(entity) for this statement: no index of the model can serve it."
        case .sort(_, let paths, let index):
            let order = paths.isEmpty ? "" : " by \(paths.joined(separator: ", "))"
            let way = isOnServer ? "" : " in a temporary B-tree"
            let start = "The matching rows are sorted\(order)\(way)"
            guard let index else { return start + "." }
            return "\(start): no index has that order. Add .indexed to \(index.name)."
        case .grouping:
            return "Equal rows are grouped in a temporary B-tree: no index has that order."
        }
    }
}
#endif
