import Foundation
import SwormPredicates

/// The owners of objects before a save moves them.
///
/// Objects behind a relation to many without an inverse do not know their owner. It is searched for, once for each relation.
struct FormerOwners {
    private var owners: [LinkKey: [NSManagedObject]] = [:]

    init(of plans: [LinkPlan], in context: NSManagedObjectContext) throws {
        var searches: [String: Search] = [:]
        for plan in plans where plan.hasOneOwner {
            let added = plan.added.compactMap(\.object)
            guard let wayBack = plan.wayBack else {
                searches[plan.memberRelation, default: Search(plan: plan)].add(added, of: plan)
                continue
            }
            for member in added {
                let owner = member.value(forKey: wayBack.name) as? NSManagedObject
                owners[plan.key(of: member)] = owner.flatMap { $0.isDeleted ? nil : [$0] }
            }
        }
        for search in searches.values { try find(search, in: context) }
    }

    /// The members of a relation without an inverse whose owners are searched for.
    private struct Search {
        let plan: LinkPlan
        /// The members that are not behind the relation of their new owner yet.
        var added: [NSManagedObject] = []
        /// All members. Unsaved changes may have added those that their owner keeps to other owners, too.
        var members: [NSManagedObject] = []

        mutating func add(_ added: [NSManagedObject], of plan: LinkPlan) {
            self.added += added
            members += plan.children.compactMap(\.object)
        }
    }

    /// Returns the owners that a child had: one at most, unless unsaved changes added it to more of them.
    func owners(of child: SaveNode, along plan: LinkPlan) -> [NSManagedObject] {
        child.object.flatMap { owners[plan.key(of: $0)] } ?? []
    }

    private mutating func find(_ search: Search, in context: NSManagedObjectContext) throws {
        let plan = search.plan
        // Objects with changes have the present state, also of members that are not saved.
        let changed = context.insertedObjects.union(context.updatedObjects).filter {
            $0.entity.isKindOf(entity: plan.declarer)
        }
        if search.members.isEmpty || search.added.isEmpty && changed.isEmpty { return }
        let keys = Set(search.members.map(plan.key))
        let added = Set(search.added.map(plan.key))
        var found: [NSManagedObject] = []
        let references = search.added.filter { !$0.objectID.isTemporaryID }.map { member in
            ExpressionTree.value(.object(member.objectID.reference))
        }
        if !references.isEmpty, let entity = context.modelEntity(of: plan.declarer) {
            var request = RequestContent()
            request.narrow(
                ConditionContent(
                    PredicateTree.comparison(
                        Comparison(
                            .path([plan.relation.name]), by: .in, with: .list(references), quantifier: .any))))
            found = try context.fetchSavedObjects(request, of: entity).filter {
                !changed.contains($0) && !$0.isDeleted
            }
        }
        for owner in found + changed {
            let name = plan.relation.name
            let isChanged = owner.isInserted || owner.changedValues()[name] != nil
            if !isChanged, added.isEmpty { continue }
            // A member that its owner keeps can be behind another one only by an unsaved change.
            let stored = isChanged && !owner.isInserted ? owner.storedMembers(name) : []
            for member in plan.members(of: owner) {
                let key = plan.key(of: member)
                guard added.contains(key) || isChanged && keys.contains(key) && !stored.contains(member) else {
                    continue
                }
                owners[key, default: []].append(owner)
            }
        }
    }
}

extension LinkPlan {
    /// The children that are not behind the relation yet.
    var added: [SaveNode] {
        let present = Set(current.map(ObjectIdentifier.init))
        return children.filter { child in child.object.map { !present.contains(ObjectIdentifier($0)) } ?? false }
    }

    /// The objects behind the relation of any owner.
    fileprivate func members(of owner: NSManagedObject) -> [NSManagedObject] {
        let members: [Any] =
            relation.isOrdered
            ? owner.mutableOrderedSetValue(forKey: relation.name).array
            : owner.mutableSetValue(forKey: relation.name).allObjects
        return members.compactMap { $0 as? NSManagedObject }
    }

    /// Removes a child from another owner that it had, which a relation without an inverse does not do by itself.
    func take(_ member: NSManagedObject, from former: NSManagedObject) {
        guard wayBack == nil, !former.isDeleted else { return }
        if relation.isOrdered {
            former.mutableOrderedSetValue(forKey: relation.name).remove(member)
        } else {
            former.mutableSetValue(forKey: relation.name).remove(member)
        }
    }
}
