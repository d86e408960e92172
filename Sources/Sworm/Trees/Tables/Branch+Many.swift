// Branches to many objects.
extension Branch {
    /// Creates an entry for the objects behind a relation, as an array or a set.
    ///
    /// An optional property can be left out of a tree: nil is left out, and an empty collection is no objects.
    ///
    /// - Parameters:
    ///   - property: The key path of the property. In a set, an ordered relation loses its order, and a save does not change
    ///     the order of known objects.
    ///   - relation: The key path of the relation.
    ///   - options: The role and other options.
    ///   - choice: A closure that narrows and sorts the objects. A limit counts for each owner. A branch with a condition or a
    ///     limit is only read. Without an order, the objects of an ordered relation have that of the relation, and those of
    ///     any other relation are sorted by their keys.
    public init<Children: BranchCollection, R: ManyRelation>(
        _ property: any WritableKeyPath<Tree, Children> & Sendable,
        _ relation: any KeyPath<Tree.Entity.Relations, R> & Sendable, _ options: BranchOption<Children.BranchChild>...,
        of choice: @escaping @Sendable (Request<R.Destination>) -> Request<R.Destination> = { $0 }
    ) where Children.BranchChild: ManagedTreeConvertible, Children.BranchChild.Entity == R.Destination {
        self.init(
            PropertyAccess(property), along: relation, of: WholeChild<Children.BranchChild>(), options: options,
            choice: choice
        )
    }

    /// Creates an entry for an attribute that identifies the objects behind a relation: `["war", "peace"]`.
    ///
    /// Unless it has another role, the branch is ``BranchOption/linkedOrInserted``.
    ///
    /// - Parameters:
    ///   - property: The key path of the property: an array or a set, or an optional of one, which can be left out of a tree.
    ///   - relation: The key path of the relation.
    ///   - attribute: The key path of the attribute, in the type behind the relation.
    ///   - options: The role and other options.
    ///   - choice: A closure that narrows and sorts the objects, as for whole values.
    public init<Values: BranchCollection, R: ManyRelation>(
        _ property: any WritableKeyPath<Tree, Values> & Sendable,
        _ relation: any KeyPath<Tree.Entity.Relations, R> & Sendable,
        _ attribute: any KeyPath<R.Destination, Values.BranchChild> & Sendable,
        _ options: BranchOption<R.Destination>...,
        of choice: @escaping @Sendable (Request<R.Destination>) -> Request<R.Destination> = { $0 }
    ) where Values.BranchChild: SupportedAttributeType {
        self.init(
            PropertyAccess(property), along: relation, of: AttributeChild(attribute: attribute), options: options,
            choice: choice)
    }

    /// Creates an entry for the first of the objects behind a relation, in the order of a request; nil if it is missing.
    ///
    /// The branch is only read.
    ///
    /// - Parameters:
    ///   - property: The key path of the property.
    ///   - relation: The key path of the relation.
    ///   - choice: A closure that narrows and sorts the objects.
    public init<Child: ManagedTreeConvertible, R: ManyRelation>(
        _ property: any WritableKeyPath<Tree, Child?> & Sendable,
        first relation: any KeyPath<Tree.Entity.Relations, R> & Sendable,
        of choice: @escaping @Sendable (Request<Child.Entity>) -> Request<Child.Entity> = { $0 }
    ) where R.Destination == Child.Entity {
        let access = PropertyAccess(property)
        content = RelationBranch(
            access, along: Tree.Entity.relations[keyPath: relation].name, kind: R.kind, source: WholeChild<Child>(),
            options: [.readOnly], choice: { choice(Child.Entity.all).limit(1).content },
            content: .one { tree, child in
                access.set(child, of: tree)
                return true
            },
            children: { _ in nil })
    }

    private init<Children: BranchCollection, R: ManyRelation, Source: ChildSource>(
        _ access: PropertyAccess<Tree, Children>, along relation: any KeyPath<Tree.Entity.Relations, R> & Sendable,
        of source: Source, options: [BranchOption<Source.Object>],
        choice: @escaping @Sendable (Request<R.Destination>) -> Request<R.Destination>
    ) where Source.Value == Children.BranchChild {
        var leave: (@Sendable (UnsafeMutablePointer<Tree>) -> Void)?
        if Children._leftOut != nil {
            leave = { tree in if let leftOut = Children._leftOut { access.set(leftOut, of: tree) } }
        }
        content = RelationBranch(
            access, along: Tree.Entity.relations[keyPath: relation].name, kind: R.kind, source: source,
            options: options,
            leave: leave, choice: { choice(R.Destination.all).content }, isInOrder: Children._isInOrder,
            content: .many { access.set(Children._collection(of: $1), of: $0) },
            children: { Children._children(of: $0[keyPath: access.keyPath]) })
    }
}
