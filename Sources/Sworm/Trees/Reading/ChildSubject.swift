import SwormPredicates

/// A child of a tree as conditions see it.
struct ChildSubject {
    let mapping: any AnyEntityMapping
    /// The branches of the child; nil if it has none.
    var plan: (any AnyTreePlan)?
    /// The only attribute that the tree has of the child; nil if it has all attributes of the table.
    var attribute: String?
}

extension TreePlan {
    /// Returns the branch that has all objects behind a relation.
    func wholeBranch(along relation: String) -> (any TreeBranch<Tree>)? {
        branches.first { $0.relation == relation && $0.isWhole }
    }

    func subject(along relation: String) -> (child: ChildSubject, isToMany: Bool)? {
        wholeBranch(along: relation).map { ($0.subject, $0.isToMany) }
    }
}

extension RelationBranch {
    var isWhole: Bool {
        if isToMany, case .one = content { return false }
        return makeChoice().isWhole
    }

    var subject: ChildSubject { source.subject }

    func subjects(of tree: Tree) throws -> [any EvaluationSubject]? {
        try children(tree)?.map { try source.subject(of: $0) }
    }
}

extension RequestContent {
    /// Whether all rows are found, in some order.
    fileprivate var isWhole: Bool { condition == nil && limit == nil && offset == 0 }
}
