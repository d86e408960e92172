import SwormPredicates

/// The branches of a tree, sorted by their kinds, and checked. A plan is built once for a type and never changes.
final class TreePlan<Tree: ManagedTreeConvertible>: AnyTreePlan {
    let branches: [any TreeBranch<Tree>]
    private let columnBranches: [ColumnBranch<Tree>]
    /// The relations to one whose keys the rows of the trees need.
    let links: [String]
    let issues: [TableIssue]
    /// The property that holds the id of a tree's object.
    let idBranch: IdentifierBranch<Tree>?
    // Unsafe: key paths are not `Sendable` in general. Those of a table are.
    /// The attribute that is the version of a tree's object.
    nonisolated(unsafe) let version: PartialKeyPath<Tree>?
    /// The name of the version, if it differs in each new instance.
    private let variableVersion: String?
    private let foundIssue = Locked<TableIssue??>(nil)
    private let foundEntities = Locked<TreeEntities?>(nil)
    private let foundWholes = Locked<[String: any TreeBranch<Tree>]?>(nil)

    init() {
        let entries = Tree.mapping.branches.map(\.content)
        branches = entries.compactMap { $0 as? any TreeBranch<Tree> }
        columnBranches = entries.compactMap { $0 as? ColumnBranch<Tree> }
        idBranch = entries.lazy.compactMap { $0 as? IdentifierBranch<Tree> }.first
        version = entries.lazy.compactMap { ($0 as? VersionBranch<Tree>)?.property }.first
        var links: [String] = []
        for branch in branches where !branch.isToMany && !links.contains(branch.relation) {
            links.append(branch.relation)
        }
        self.links = links
        issues = Self.issues(of: entries, branches)
        let line = version.flatMap { version in Tree.attributes.first { $0.keyPath == version }?.lines(0).first }
        variableVersion = line.flatMap { FreshInstances<Tree>().vary(in: $0) ? $0.name : nil }
    }

    /// The computed columns, which are created anew for each read.
    var columns: [ComputedColumn<Tree>] { columnBranches.map { $0.column() } }

    var type: ObjectIdentifier { ObjectIdentifier(Tree.self) }
    var entityName: String { Tree.Entity.entityName }
    var mapping: any AnyEntityMapping { Tree.mapping }
    var hasColumns: Bool { !columnBranches.isEmpty }
    var parts: [TreePart] {
        branches.map { branch in
            let choice = branch.choice
            return TreePart(
                property: keyPathName(branch.property).components.joined(separator: "."), entity: branch.childEntity,
                isBounded: branch.depth != nil, isPlain: choice.condition == nil && choice.sorts.isEmpty,
                childMapping: branch.subject.mapping, plan: branch.child)
        }
    }

    /// Throws the first issue of the branches of this tree and of those inside of it.
    func check() throws(StoreError) {
        if let issue = firstIssue { throw StoreError(.invalidTable, issue.description, entity: entityName) }
    }

    private var firstIssue: TableIssue? {
        if let known = foundIssue.withLock({ $0 }) { return known }
        let found = treeIssues(of: self).first
        foundIssue.withLock { $0 = .some(found) }
        return found
    }

    /// The entities whose objects the trees read.
    var entities: TreeEntities {
        if let known = foundEntities.withLock({ $0 }) { return known }
        let found = TreeEntities(of: self)
        foundEntities.withLock { $0 = found }
        return found
    }

    func readsRows(_ bindings: BindingCache) throws -> Bool {
        guard try bindings.binding(for: Tree.self).treeRows != nil else { return false }
        return try branches.allSatisfy { try $0.readsRows(bindings) }
    }

    func record(with recorder: RequestRecorder, _ bindings: BindingCache) {
        let entity = bindings.description(of: entityName)
        for branch in branches {
            let choice = branch.choice
            recorder.note(
                choice, of: bindings.description(of: branch.childEntity), attributes: branch.childPaths)
            recorder.note(RequestContent(), of: entity, attributes: [[branch.relation]])
        }
        let columns = columns
        if !columns.isEmpty { recorder.note(ProjectionTree(columns.map(\.expression)), of: entity) }
    }

    private static func issues(
        of entries: [any BranchContent<Tree>], _ branches: [any TreeBranch<Tree>]
    ) -> [TableIssue] {
        var issues: [TableIssue] = []
        func name(_ keyPath: AnyKeyPath) -> String { keyPathName(keyPath).components.joined(separator: ".") }
        var properties = Set(Tree.attributes.map { $0.keyPath as AnyKeyPath })
        for entry in entries where !(entry is VersionBranch<Tree>) && !properties.insert(entry.property).inserted {
            issues.append(
                TableIssue(
                    .repeatedKeyPath, entity: "\(Tree.self)", member: name(entry.property),
                    message: "the property is in the tables twice; a property holds one attribute, or one branch"))
        }
        let versions = entries.filter { $0 is VersionBranch<Tree> }
        for entry in versions where !properties.contains(entry.property) || versions.count > 1 {
            issues.append(
                TableIssue(
                    .repeatedKeyPath, entity: "\(Tree.self)", member: name(entry.property),
                    message: "the version must be one property, which is in the table of attributes"))
        }
        return issues
    }

    /// Returns the id that a tree holds; nil if trees of the type hold none.
    var identifier: ((Tree) -> ObjectReference?)? { idBranch.map { branch in { branch.reference(of: $0) } } }

    func savedPlans(_ bindings: BindingCache, besides inverse: String?) -> [SavedPlan] {
        branches.filter { $0.relation != inverse }.compactMap { $0.savedPlan(bindings) }
    }

    func checkSaving(_ bindings: BindingCache, besides inverse: String?) throws {
        if let variableVersion {
            throw StoreError(
                .invalidTable,
                "\(Tree.self).\(variableVersion): the version has another value in each new instance, so that a save cannot tell a new tree from one whose object was deleted. Give it a constant default, such as `.distantPast`, or make it an optional that is nil.",
                entity: entityName, attribute: variableVersion)
        }
        var written: [String: String] = [:]
        for branch in branches where branch.relation != inverse {
            if let issue = try branch.writingIssue(bindings) { throw issue }
            guard branch.isWritten(bindings) else { continue }
            let property = keyPathName(branch.property).components.joined(separator: ".")
            guard let other = written.updateValue(property, forKey: branch.relation) else { continue }
            throw StoreError(
                .invalidTable,
                "\(Tree.self).\(property) and \(other) both write the objects behind '\(branch.relation)'. Make one of them `.readOnly`.",
                entity: entityName, attribute: branch.relation)
        }
    }
}

/// The plans of all trees that were requested, one for each type, retained for the lifetime of the process.
private let registry = Locked<[ObjectIdentifier: AnyObject]>([:])

extension ManagedTreeConvertible {
    /// The plan of this type's branches, built on first access.
    static var treePlan: TreePlan<Self> {
        let key = ObjectIdentifier(Self.self)
        if let known = registry.withLock({ $0[key] }) { return unsafeDowncast(known, to: TreePlan<Self>.self) }
        let built = TreePlan<Self>()
        let kept = registry.withLock { plans in
            let kept = plans[key] ?? built
            plans[key] = kept
            return kept
        }
        return unsafeDowncast(kept, to: TreePlan<Self>.self)
    }
}

extension TreePlan {
    /// Returns the branch that has all objects behind a relation.
    func wholeBranch(along relation: String) -> (any TreeBranch<Tree>)? {
        if let known = foundWholes.withLock({ $0 }) { return known[relation] }
        let found = Dictionary(
            branches.filter(\.isWhole).map { ($0.relation, $0) }, uniquingKeysWith: { first, _ in first })
        foundWholes.withLock { $0 = found }
        return found[relation]
    }

    func subject(along relation: String) -> (child: ChildSubject, isToMany: Bool)? {
        wholeBranch(along: relation).map { ($0.subject, $0.isToMany) }
    }
}
