import SwormPredicates

// The members and the order of to-many relations.
extension BundleSettlement {
    func showLinks() throws {
        var members: [LinkEnd: [NSManagedObject]] = [:]
        var changed: [LinkEnd] = []
        for (entry, relation, text) in changedLinks {
            guard let link = entry.state.links[relation.name]?[text], let target = BundleIdentity(text: text)
            else { continue }
            let other = try ledger.entry(target)
            let object = try ledger.object(of: entry)
            guard let object, let destination = try ledger.object(of: other) else {
                if link.isMember, other.row == 0 { try wait(entry, for: target, in: relation) }
                continue
            }
            let isShown = try ledger.isShown(link, of: entry, to: text)
            let end = LinkEnd(entry: entry, relation: relation)
            if members[end] == nil {
                members[end] = object.bundleMembers(relation)
                changed.append(end)
            }
            let index = members[end]?.firstIndex { $0 === destination }
            if isShown, index == nil { members[end]?.append(destination) }
            if !isShown, let index { members[end]?.remove(at: index) }
            if relation.isOrdered { changedOrders.append((entry, relation)) }
            if relation.inverseIsOrdered, let inverse = other.entity.relations[relation.inverse] {
                changedOrders.append((other, inverse))
            }
        }
        changedLinks = []
        for end in changed {
            guard let object = try ledger.object(of: end.entry), let members = members[end] else { continue }
            if Set(object.bundleMembers(end.relation)) == Set(members) { continue }
            object.setBundleMembers(members, of: end.relation)
        }
    }

    /// Sorts ordered relations: first the members that the last order contains, and then those that it does not know.
    func showOrders() throws {
        var done: Set<LinkEnd> = []
        for (entry, relation) in changedOrders where done.insert(LinkEnd(entry: entry, relation: relation)).inserted {
            guard let object = try ledger.object(of: entry) else { continue }
            let members = object.bundleMembers(relation)
            var places: [String: Int] = [:]
            for (place, text) in (entry.state.orders[relation.name]?.members ?? []).enumerated()
            where places[text] == nil {
                places[text] = place
            }
            let sorted = try members.map { member in
                let text = try ledger.identity(of: member).text
                return (place: places[text] ?? .max, text: text, member: member)
            }.sorted { ($0.place, $0.text) < ($1.place, $1.text) }.map(\.member)
            if !zip(sorted, members).allSatisfy({ $0 === $1 }) { object.setBundleMembers(sorted, of: relation) }
        }
        changedOrders = []
    }
}
