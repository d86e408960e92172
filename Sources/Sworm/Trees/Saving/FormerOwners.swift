import Foundation
import SwormPredicates

/// The owners of objects before a save moves them.
///
/// Objects behind a relation to many without an inverse do not know their owner. It is searched for, once for each relation.
struct FormerOwners {
    private var owners: [LinkKey: [NSManagedObject]] = [:]

    init(of plans: [LinkPlan], in context: NSManagedObjectContext) throws {
        var searched: [String: (plan: LinkPlan, members: [NSManagedObject])] = [:]
        for plan in plans where plan.hasOneOwner {
            for member in plan.added.compactMap(\.object) {
                if let wayBack = plan.wayBack {
                    let owner = member.value(forKey: wayBack.name) as? NSManagedObject
                    owners[plan.key(of: member)] = owner.map { [$0] }
                } else {
                    searched[plan.memberRelation, default: (plan, [])].members.append(member)
                }
            }
        }
        for (plan, members) in searched.values { try search(members, along: plan, in: context) }
    }

    /// Returns the owners that a child had: one at most, unless unsaved changes added it to others without an inverse.
    func owners(of child: SaveNode, along plan: LinkPlan) -> [NSManagedObject] {
        child.object.flatMap { owners[plan.key(of: $0)] } ?? []
    }

    private mutating func search(
        _ members: [NSManagedObject], along plan: LinkPlan, in context: NSManagedObjectContext
    ) throws {
        let keys = Set(members.map(plan.key))
        // Objects with changes have the present state, also of members that are not saved.
        let changed = context.insertedObjects.union(context.updatedObjects).filter {
            $0.entity.isKindOf(entity: plan.declarer)
        }
        var found: [NSManagedObject] = []
        let references = members.filter { !$0.objectID.isTemporaryID }.map { member in
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
            for member in plan.members(of: owner) where keys.contains(plan.key(of: member)) {
                owners[plan.key(of: member), default: []].append(owner)
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
