import Foundation

extension PlainStore {
    /// What the history leaves out or changes of what happened since an earlier state, found without the library's help.
    func historyIssues(since before: PlainStore, _ model: PlainModel) -> [String] {
        guard let changes = rows["ACHANGE"], let old = before.rows["ACHANGE"] else { return [] }
        var issues: [String] = []
        for table in ["ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING"] {
            let earlier = before.rows[table] ?? []
            if Array((rows[table] ?? []).prefix(earlier.count)) != earlier { issues.append("\(table) has changed") }
        }
        let roots = Dictionary(uniqueKeysWithValues: model.entities.map { ($0.number, $0.table) })
        /// By table, key and transaction.
        var named: [String: Int64] = [:]
        var last: [String: Set<Int64>] = [:]
        func entities(_ store: PlainStore) -> [String: [PlainStore.Cell?: PlainStore.Cell?]] {
            Dictionary(
                uniqueKeysWithValues: Set(roots.values).map { table in
                    let rows = (store.rows[table] ?? []).map { ($0["Z_PK"], $0["Z_ENT"]) }
                    return (table, Dictionary(rows, uniquingKeysWith: { one, _ in one }))
                })
        }
        let (formerEntities, currentEntities) = (entities(before), entities(self))
        for change in changes.dropFirst(old.count) {
            let table = change["ZENTITY"]?.integer.flatMap { roots[Int($0)] } ?? "nothing"
            let object = "\(table) \(change["ZENTITYPK"]?.integer ?? -1)"
            let type = change["ZCHANGETYPE"]?.integer ?? -1
            let place = "\(object) \(change["ZTRANSACTIONID"]?.integer ?? -1)"
            if named.updateValue(type, forKey: place) != nil { issues.append("\(place) is named twice") }
            last[object, default: []].insert(type)
            let entity = (type == 2 ? formerEntities : currentEntities)[table]?[change["ZENTITYPK"]]
            if let entity, entity != change["ZENTITY"] { issues.append("\(object) has another entity") }
            guard (change["ZCOLUMNS"] ?? .null) == .null else {
                if type != 1 { issues.append("\(place) has changed properties") }
                continue
            }
            if type == 1 { issues.append("\(place) has no changed properties") }
        }
        for table in Set(roots.values) {
            func versions(_ store: PlainStore) -> [Int64: Int64] {
                Dictionary(
                    (store.rows[table] ?? []).map { ($0["Z_PK"]?.integer ?? 0, $0["Z_OPT"]?.integer ?? 0) },
                    uniquingKeysWith: { one, _ in one })
            }
            let (earlier, now) = (versions(before), versions(self))
            for key in Set(earlier.keys).union(now.keys) {
                let found = last["\(table) \(key)"] ?? []
                switch (earlier[key], now[key]) {
                case (nil, _?) where !found.contains(0): issues.append("\(table) \(key) is not named as inserted")
                case (_?, nil) where !found.contains(2): issues.append("\(table) \(key) is not named as deleted")
                case (let one?, let two?) where one != two && !found.contains(1):
                    issues.append("\(table) \(key) is not named as updated")
                default: continue
                }
            }
        }
        for entity in model.entities {
            for relationship in entity.relationships where relationship.declaring == entity.name {
                guard case .join(let join, let own, let other, _)? = model.members(of: relationship, in: tables),
                    let far = model[relationship.destination]?.table
                else { continue }
                func links(_ store: PlainStore) -> Set<[Int64]> {
                    Set((store.rows[join] ?? []).map { [$0[own]?.integer ?? 0, $0[other]?.integer ?? 0] })
                }
                for link in links(self).symmetricDifference(links(before)) {
                    for (table, key) in [(entity.table, link[0]), (far, link[1])] where last["\(table) \(key)"] == nil {
                        issues.append("\(table) \(key) is not named, and its \(relationship.name) changed")
                    }
                }
            }
        }
        return issues
    }
}
