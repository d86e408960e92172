import SwormPredicates

/// A branch along a relation, of a child whose type is not statically known.
protocol TreeBranch<Tree>: BranchContent {
    var relation: String { get }
    var isToMany: Bool { get }
    var child: (any AnyTreePlan)? { get }
    /// The names of the entities that are read.
    var childEntity: String { get }
    var childPaths: [[String]] { get }
    /// The bound of ``BranchOption/depth(_:)``.
    var depth: Int? { get }
    /// The request for the children, which is created anew for each read.
    var choice: RequestContent { get }

    /// Whether the property has all objects behind the relation.
    var isWhole: Bool { get }
    /// The child as conditions see it.
    var subject: ChildSubject { get }
    /// Returns the children of a tree as conditions see them; nil if they are left out.
    func subjects(of tree: Tree) throws -> [any EvaluationSubject]?

    /// Returns whether the children can be read from rows.
    func readsRows(_ bindings: BindingCache) throws -> Bool
    /// Returns the reason why a save rejects the branch, if any.
    func writingIssue(_ bindings: BindingCache) throws -> StoreError?
    /// Whether a save writes the branch.
    func isWritten(_ bindings: BindingCache) -> Bool
    /// Returns the plan of the inner trees if a save writes them.
    func savedPlan(_ bindings: BindingCache) -> SavedPlan?
    /// Adds the children of trees to a save.
    func save(_ owners: [SavedTree<Tree>], by saver: TreeSaver) throws
    /// Compares the children of trees with rows.
    func compare(_ owners: ComparedTrees<Tree>, by comparison: TreeComparison) throws
    func read(into rows: TreeRows<Tree>, of owner: EntityBinding<Tree>, _ reader: TreeReader) throws
    func read(
        into trees: UnsafeMutableBufferPointer<Tree>, of objects: [NSManagedObject], with owner: EntityBinding<Tree>,
        _ reader: TreeReader) throws
}

/// A branch along a relation.
struct RelationBranch<Tree: ManagedTreeConvertible, Source: ChildSource>: TreeBranch {
    /// The property that holds the children.
    enum Property: Sendable {
        /// Sets the child, and returns false if the property needs one.
        case one(@Sendable (UnsafeMutablePointer<Tree>, Source.Value?) -> Bool)
        case many(@Sendable (UnsafeMutablePointer<Tree>, [Source.Value]) -> Void)
    }

    let property: any PartialKeyPath<Tree> & Sendable
    let memory: Range<Int>?
    let relation: String
    let kind: RelationKind
    let source: Source
    let content: Property
    /// Leaves the property out of a tree; nil if it cannot be left out.
    let leave: (@Sendable (UnsafeMutablePointer<Tree>) -> Void)?
    let options: BranchOptions<Source.Object>
    let makeChoice: @Sendable () -> RequestContent
    /// Whether the property has the children in an order.
    let isInOrder: Bool
    /// Returns the children of a tree; nil if they are left out.
    let children: @Sendable (Tree) -> [Source.Value]?

    init<Value>(
        _ access: PropertyAccess<Tree, Value>, along relation: String, kind: RelationKind = .toOne, source: Source,
        options: [BranchOption<Source.Object>], leave: (@Sendable (UnsafeMutablePointer<Tree>) -> Void)? = nil,
        choice: @escaping @Sendable () -> RequestContent = { RequestContent(of: Source.Object.self) },
        isInOrder: Bool = true, content: Property, children: @escaping @Sendable (Tree) -> [Source.Value]?
    ) {
        property = access.keyPath
        memory = access.memory
        self.relation = relation
        self.kind = kind
        self.source = source
        self.content = content
        self.leave = leave
        self.options = BranchOptions(options)
        makeChoice = choice
        self.isInOrder = isInOrder
        self.children = children
    }

    var isToMany: Bool { kind != .toOne }
    var child: (any AnyTreePlan)? { source.plan }
    var childEntity: String { Source.Object.Entity.entityName }
    var childPaths: [[String]] { source.attributePaths }
    var depth: Int? { options.depth }
    var choice: RequestContent { makeChoice() }

    func readsRows(_ bindings: BindingCache) throws -> Bool {
        try source.rows(with: bindings.binding(for: Source.Object.self)) != nil
    }

    /// The branch in messages.
    var name: String { "\(Tree.self).\(keyPathName(property).components.joined(separator: "."))" }
}

/// The options of a branch.
struct BranchOptions<Child: ManagedTreeConvertible>: Sendable {
    private(set) var roles: [BranchRole] = []
    private(set) var matched: [any PartialKeyPath<Child> & Sendable] = []
    private(set) var isMatchedByPosition = false
    private(set) var isMovable = false
    private(set) var depth: Int?

    init(_ options: [BranchOption<Child>]) {
        for option in options {
            switch option.content {
            case .role(let role): roles.append(role)
            case .matched(let keyPaths): matched = keyPaths
            case .matchedByPosition: isMatchedByPosition = true
            case .movable: isMovable = true
            case .depth(let levels): depth = levels
            }
        }
    }
}

/// A property that holds a value which the store computes for each root.
struct ColumnBranch<Tree: ManagedTreeConvertible>: BranchContent {
    let property: any PartialKeyPath<Tree> & Sendable
    let memory: Range<Int>?
    /// Returns the column, anew for each read.
    let column: @Sendable () -> ComputedColumn<Tree>
}

extension RelationBranch {
    var isWhole: Bool {
        if isToMany, case .one = content { return false }
        return makeChoice().isWhole
    }

    var subject: ChildSubject { source.subject }

    func subjects(of tree: Tree) throws -> [any EvaluationSubject]? {
        try children(tree).map { try source.subjects(of: $0) }
    }
}

extension RequestContent {
    /// Whether all rows are found, in some order.
    fileprivate var isWhole: Bool { condition == nil && limit == nil && offset == 0 }
}
