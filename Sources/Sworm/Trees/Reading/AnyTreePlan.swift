import SwormPredicates

/// A plan whose tree is not statically known.
protocol AnyTreePlan: AnyObject, Sendable {
    var type: ObjectIdentifier { get }
    /// The name of the entity of the roots.
    var entityName: String { get }
    var mapping: any AnyEntityMapping { get }
    var hasColumns: Bool { get }
    var parts: [TreePart] { get }
    var issues: [TableIssue] { get }

    /// Returns whether the trees can be read from rows, without those of inner trees.
    func readsRows(_ bindings: BindingCache) throws -> Bool
    /// Throws an error if a branch cannot be saved, without those of inner trees and that of a relation.
    func checkSaving(_ bindings: BindingCache, besides inverse: String?) throws
    /// Returns the inner trees that are saved with these trees, besides those of a relation.
    func savedPlans(_ bindings: BindingCache, besides inverse: String?) -> [SavedPlan]
    /// Returns the child as conditions see it, and whether there can be many; nil if no branch has all objects behind the
    /// relation.
    func subject(along relation: String) -> (child: ChildSubject, isToMany: Bool)?
    /// Records the reads of the branches, without those of inner trees.
    func record(with recorder: RequestRecorder, _ bindings: BindingCache)
}

extension AnyTreePlan {
    var typeName: String { mapping.name }

    /// The plan, and those of the trees inside of its trees.
    var family: [any AnyTreePlan] {
        var found: [any AnyTreePlan] = []
        var seen: Set<ObjectIdentifier> = []
        var queue: [any AnyTreePlan] = [self]
        while let plan = queue.popLast() {
            guard seen.insert(plan.type).inserted else { continue }
            found.append(plan)
            queue += plan.parts.compactMap(\.plan)
        }
        return found
    }
}

extension TreeEntities {
    init(of plan: any AnyTreePlan) {
        self.init()
        names = [plan.entityName]
        for plan in plan.family {
            readsOthers = readsOthers || plan.hasColumns || plan.parts.contains { !$0.isPlain }
            for part in plan.parts { names.insert(part.entity) }
        }
    }
}

/// A plan of trees that are saved, and the relation back to their owners, which is not.
struct SavedPlan: Hashable {
    let plan: any AnyTreePlan
    let inverse: String?

    init(_ plan: any AnyTreePlan, besides inverse: String?) { (self.plan, self.inverse) = (plan, inverse) }

    static func == (left: SavedPlan, right: SavedPlan) -> Bool {
        left.plan.type == right.plan.type && left.inverse == right.inverse
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(plan.type)
        hasher.combine(inverse)
    }
}

/// A branch along a relation, without its types.
struct TreePart {
    /// The name of the property.
    let property: String
    let entity: String
    /// Whether the branch has a depth.
    let isBounded: Bool
    /// Whether the branch reads all objects behind the relation, in no order of its own.
    let isPlain: Bool
    let childMapping: any AnyEntityMapping
    let plan: (any AnyTreePlan)?
}

/// Returns the issues of a tree and of the trees inside of it.
func treeIssues(of root: any AnyTreePlan) -> [TableIssue] {
    var issues: [TableIssue] = []
    var seen: Set<ObjectIdentifier> = []
    /// The trees on the way, which only branches without a depth connect.
    var open: Set<ObjectIdentifier> = []
    var queue: [any AnyTreePlan] = [root]
    func visit(_ plan: any AnyTreePlan) {
        guard seen.insert(plan.type).inserted else { return }
        open.insert(plan.type)
        defer { open.remove(plan.type) }
        issues += plan.issues
        for part in plan.parts {
            guard let inner = part.plan else { continue }
            if part.isBounded {
                queue.append(inner)
            } else if open.contains(inner.type) {
                issues.append(
                    TableIssue(
                        .unboundedBranch, entity: plan.typeName, member: part.property,
                        message:
                            "the branch leads back to its own tree. Limit the number of levels, as in `.depth(8)`"))
            } else {
                visit(inner)
            }
        }
    }
    while let plan = queue.popLast() { visit(plan) }
    return issues
}

/// A child of a tree as conditions see it.
struct ChildSubject {
    let mapping: any AnyEntityMapping
    /// The branches of the child; nil if it has none.
    var plan: (any AnyTreePlan)?
    /// The only attribute that the tree has of the child; nil if it has all attributes of the table.
    var attribute: String?
}
