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
    private let foundIssue = Locked<TableIssue??>(nil)
    private let foundEntities = Locked<TreeEntities?>(nil)

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
    }

    /// The computed columns, which are created anew for each read.
    var columns: [ComputedColumn<Tree>] { columnBranches.map { $0.column() } }

    var typeName: String { "\(Tree.self)" }
    var type: ObjectIdentifier { ObjectIdentifier(Tree.self) }
    var entityName: String { Tree.Entity.entityName }
    var hasColumns: Bool { !columnBranches.isEmpty }
    var parts: [TreePart] {
        branches.map { branch in
            let choice = branch.choice
            return TreePart(
                property: keyPathName(branch.property).components.joined(separator: "."), entity: branch.childEntity,
                isBounded: branch.depth != nil, isPlain: choice.condition == nil && choice.sorts.isEmpty,
                plan: branch.child)
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

    func checkSaving(_ bindings: BindingCache) throws {
        var written: [String: String] = [:]
        for branch in branches {
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

/// A plan whose tree is not statically known.
protocol AnyTreePlan: AnyObject, Sendable {
    var typeName: String { get }
    var type: ObjectIdentifier { get }
    /// The name of the entity of the roots.
    var entityName: String { get }
    var hasColumns: Bool { get }
    var parts: [TreePart] { get }
    var issues: [TableIssue] { get }

    /// Returns whether the trees can be read from rows, without those of inner trees.
    func readsRows(_ bindings: BindingCache) throws -> Bool
    /// Throws an error if a branch cannot be saved, without those of inner trees.
    func checkSaving(_ bindings: BindingCache) throws
    /// Records the reads of the branches, without those of inner trees.
    func record(with recorder: RequestRecorder, _ bindings: BindingCache)
}

extension AnyTreePlan {
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

/// The entities whose objects trees read.
struct TreeEntities: Sendable {
    var names: Set<String> = []
    /// Whether conditions, orders or columns may read further entities.
    var readsOthers = false

    mutating func merge(_ other: TreeEntities) {
        names.formUnion(other.names)
        readsOthers = readsOthers || other.readsOthers
    }
}

extension TreeEntities {
    fileprivate init(of plan: any AnyTreePlan) {
        self.init()
        names = [plan.entityName]
        for plan in plan.family {
            readsOthers = readsOthers || plan.hasColumns || plan.parts.contains { !$0.isPlain }
            for part in plan.parts { names.insert(part.entity) }
        }
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
