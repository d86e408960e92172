import Foundation
@testable import OpenCoreData

extension PlainStore {
    /// Which of the rules that Apple's framework keeps in its files are broken, found without the library's help.
    func issues(_ model: PlainModel) -> [String] {
        var issues: [String] = []
        let keys = Dictionary(
            (rows["Z_PRIMARYKEY"] ?? []).map { ($0["Z_ENT"]?.integer ?? 0, $0["Z_MAX"]?.integer ?? -1) },
            uniquingKeysWith: { one, _ in one })
        for entity in model.entities {
            guard let highest = keys[Int64(entity.number)] else {
                issues.append("\(entity.name) has no row of keys")
                continue
            }
            if entity.parent != nil {
                if highest != 0 { issues.append("\(entity.name) has keys of its own: \(highest)") }
                continue
            }
            let present = (rows[entity.table] ?? []).compactMap { $0["Z_PK"]?.integer }.max() ?? 0
            if highest < present { issues.append("\(entity.name): Z_MAX \(highest) is below the key \(present)") }
            let versions = (rows[entity.table] ?? []).map { $0["Z_OPT"]?.integer ?? 0 }
            if versions.contains(where: { $0 < 1 }) { issues.append("\(entity.name) has rows without a version") }
        }
        for entity in model.entities {
            for relationship in entity.relationships
            where relationship.isOrdered && relationship.declaring == entity.name
                && !relationship.description.isTransient
            {
                issues += orderIssues(of: relationship, model)
            }
        }
        return issues
    }

    private func orderIssues(of relationship: PlainModel.Relationship, _ model: PlainModel) -> [String] {
        let name = "\(relationship.declaring).\(relationship.name)"
        let (table, owner, order): (String, String, String)
        switch model.members(of: relationship, in: tables) {
        case .column(let column, let sort?)?:
            (table, owner, order) = (model[relationship.destination]?.table ?? "", column, sort)
        case .join(let join, let own, _, let sort?)?: (table, owner, order) = (join, own, sort)
        default: return ["\(name) keeps no order"]
        }
        var seen: [Int64: Set<Int64>] = [:]
        var issues: [String] = []
        for row in rows[table] ?? [] {
            switch (row[owner]?.integer, row[order]?.integer) {
            case (nil, nil): continue
            case (let owner?, let key?):
                if !seen[owner, default: []].insert(key).inserted {
                    issues.append("\(name): two members of \(owner) have the place \(key)")
                }
            case (let owner, let key):
                issues.append(
                    "\(name): owner \(owner.map(String.init) ?? "nil"), place \(key.map(String.init) ?? "nil")")
            }
        }
        return issues
    }
}
