import Sworm
import SwormTools

/// The owners and items of a store, and a save of trees over them, worked out by the rules of the roles alone.
struct RoleState: Equatable {
    /// The codes of the items of each owner.
    var owners: [String: [String]] = [:]
    /// The values of the items.
    var items: [String: Int] = [:]

    typealias Kind = RoleModel.Kind
    typealias Role = RoleModel.Role
    typealias Wish = RoleModel.Wish

    /// Three owners, and items with and without an owner.
    static func first(_ kind: Kind) -> RoleState {
        RoleState(
            owners: ["A": kind.isToMany ? ["a1", "a2"] : ["a1"], "B": ["b1"], "C": ["c1"]],
            items: ["a1": 1, "a2": 2, "b1": 3, "c1": 4, "free": 5])
    }

    func insert(in context: ManagedObjectContext, _ kind: Kind) throws {
        var handles: [String: ManagedObject<RoleModel.Item>] = [:]
        for (code, value) in items { handles[code] = try context.insert(RoleModel.Item(code: code, value: value)) }
        for (name, codes) in owners {
            let owner = try context.insert(RoleModel.Owner(name: name))
            for code in codes { if let item = handles[code] { try kind.link(item, to: owner) } }
        }
    }

    init(owners: [String: [String]], items: [String: Int]) { (self.owners, self.items) = (owners, items) }

    init(in context: ManagedObjectContext, _ kind: Kind) throws {
        for owner in try context.fetch(RoleModel.Owner.all) {
            owners[try owner.decode(\.name)] = try kind.items(of: owner)
        }
        for item in try context.decode(RoleModel.Item.all) { items[item.code] = item.value }
    }

    /// Saves trees, or returns the code and the position of the error of a save. The state is then of no use.
    mutating func save(_ wishes: [Wish], _ role: Role, _ kind: Kind) -> (
        result: TreeSaveResult, error: (code: StoreError.Code, path: String)?
    ) {
        var result = TreeSaveResult()
        if role == .readOnly { return (result, nil) }
        let before = self
        let updates = [.owned, .shared, .added].contains(role)
        var updated: Set<String> = []
        func path(_ wish: Int, _ item: Int) -> String { "[\(wish)]" + (kind.isToMany ? ".items[\(item)]" : ".item") }
        for (number, wish) in wishes.enumerated() {
            for (index, item) in wish.items.enumerated() {
                guard let value = items[item.code] else {
                    if role == .linked { return (result, (.objectNotFound, path(number, index))) }
                    items[item.code] = item.value
                    result.inserted += 1
                    continue
                }
                if updates, value != item.value, updated.insert(item.code).inserted {
                    items[item.code] = item.value
                    result.updated += 1
                }
            }
        }
        for (number, wish) in wishes.enumerated() {
            let wanted = wish.items.map(\.code)
            let members = before.owners[wish.owner] ?? []
            for (index, code) in wanted.enumerated() where !members.contains(code) && before.items[code] != nil {
                result.linked += 1
                guard kind.hasOneOwner, let owner = before.owners.first(where: { $0.value.contains(code) })?.key else {
                    continue
                }
                if !wishes.contains(where: { $0.owner == owner }) {
                    return (result, (.validation, path(number, index)))
                }
                owners[owner]?.removeAll { $0 == code }
            }
            for code in members where !wanted.contains(code) && (role != .added || !kind.isToMany) {
                let isMoved = wishes.contains { $0.items.contains { $0.code == code } }
                if role == .added, wanted.isEmpty { continue }
                owners[wish.owner]?.removeAll { $0 == code }
                if isMoved, kind.hasOneOwner { continue }
                if role == .owned, !isMoved {
                    items[code] = nil
                    result.deleted += 1
                } else if role != .added {
                    result.unlinked += 1
                }
            }
            let kept = owners[wish.owner] ?? []
            guard kind.isOrdered else {
                owners[wish.owner] = Set(wanted + kept).sorted()
                continue
            }
            // An added list is a part of the whole, so it has no say in the order.
            owners[wish.owner] = role == .added ? kept + wanted.filter { !kept.contains($0) } : wanted
            if role != .added, kept != wanted.filter(kept.contains) { result.updated += 1 }
        }
        for (owner, codes) in owners { owners[owner] = codes.filter { items[$0] != nil } }
        return (result, nil)
    }
}
