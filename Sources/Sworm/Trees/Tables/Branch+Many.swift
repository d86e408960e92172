// Branches to many objects.
extension Branch {
    /// Creates an entry for the objects behind a relation.
    ///
    /// - Parameters:
    ///   - property: The key path of the property.
    ///   - relation: The key path of the relation.
    ///   - options: The role and other options.
    ///   - choice: A closure that narrows and sorts the objects. A limit counts for each owner. A branch with a condition or a
    ///     limit is only read. Without an order, the objects of an ordered relation have that of the relation, and those of any other relation are
    ///     sorted by their keys.
    public init<Child: ManagedTreeConvertible, R: ManyRelation>(
        _ property: any WritableKeyPath<Tree, [Child]> & Sendable,
        _ relation: any KeyPath<Tree.Entity.Relations, R> & Sendable, _ options: BranchOption<Child>...,
        of choice: @escaping @Sendable (Request<Child.Entity>) -> Request<Child.Entity> = { $0 }
    ) where R.Destination == Child.Entity {
        let access = PropertyAccess(property)
        self.init(
            access, relation, source: WholeChild<Child>(), options: options, choice: choice,
            content: .many { access.set($1, of: $0) }, children: { $0[keyPath: property] })
    }

    /// Creates an entry for the objects behind a relation, which can be left out of a tree: nil is left out, and `[]` is no
    /// objects.
    ///
    /// - Parameters:
    ///   - property: The key path of the property.
    ///   - relation: The key path of the relation.
    ///   - options: The role and other options.
    ///   - choice: A closure that narrows and sorts the objects, as for an array that cannot be left out.
    public init<Child: ManagedTreeConvertible, R: ManyRelation>(
        _ property: any WritableKeyPath<Tree, [Child]?> & Sendable,
        _ relation: any KeyPath<Tree.Entity.Relations, R> & Sendable, _ options: BranchOption<Child>...,
        of choice: @escaping @Sendable (Request<Child.Entity>) -> Request<Child.Entity> = { $0 }
    ) where R.Destination == Child.Entity {
        let access = PropertyAccess(property)
        self.init(
            access, relation, source: WholeChild<Child>(), options: options, choice: choice,
            leave: { access.set(nil, of: $0) }, content: .many { access.set($1, of: $0) },
            children: { $0[keyPath: property] })
    }

    /// Creates an entry for the objects behind a relation, as a set.
    ///
    /// - Parameters:
    ///   - property: The key path of the property.
    ///   - relation: The key path of the relation. An ordered relation loses its order in a set, and a save then does not
    ///     change the order of known objects.
    ///   - options: The role and other options.
    ///   - choice: A closure that narrows the objects, as for an array.
    public init<Child: ManagedTreeConvertible & Hashable, R: ManyRelation>(
        _ property: any WritableKeyPath<Tree, Set<Child>> & Sendable,
        _ relation: any KeyPath<Tree.Entity.Relations, R> & Sendable, _ options: BranchOption<Child>...,
        of choice: @escaping @Sendable (Request<Child.Entity>) -> Request<Child.Entity> = { $0 }
    ) where R.Destination == Child.Entity {
        let access = PropertyAccess(property)
        self.init(
            access, relation, source: WholeChild<Child>(), options: options, choice: choice,
            isInOrder: false, content: .many { access.set(Set($1), of: $0) }, children: { Array($0[keyPath: property]) }
        )
    }

    /// Creates an entry for the objects behind a relation, as a set that can be left out of a tree: nil is left out, and `[]`
    /// is no objects.
    ///
    /// - Parameters:
    ///   - property: The key path of the property.
    ///   - relation: The key path of the relation.
    ///   - options: The role and other options.
    ///   - choice: A closure that narrows the objects, as for an array.
    public init<Child: ManagedTreeConvertible & Hashable, R: ManyRelation>(
        _ property: any WritableKeyPath<Tree, Set<Child>?> & Sendable,
        _ relation: any KeyPath<Tree.Entity.Relations, R> & Sendable, _ options: BranchOption<Child>...,
        of choice: @escaping @Sendable (Request<Child.Entity>) -> Request<Child.Entity> = { $0 }
    ) where R.Destination == Child.Entity {
        let access = PropertyAccess(property)
        self.init(
            access, relation, source: WholeChild<Child>(), options: options, choice: choice,
            leave: { access.set(nil, of: $0) }, isInOrder: false, content: .many { access.set(Set($1), of: $0) },
            children: { $0[keyPath: property].map { Array($0) } })
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
        self.init(
            access, relation, source: WholeChild<Child>(), options: [.readOnly], choice: { choice($0).limit(1) },
            content: .one { tree, child in
                access.set(child, of: tree)
                return true
            },
            children: { _ in nil })
    }

    /// Creates an entry for an attribute that identifies the objects behind a relation: `["war", "peace"]`.
    ///
    /// Unless it has another role, the branch is ``BranchOption/linkedOrInserted``.
    ///
    /// - Parameters:
    ///   - property: The key path of the property.
    ///   - relation: The key path of the relation.
    ///   - attribute: The key path of the attribute, in the type behind the relation.
    ///   - options: The role and other options.
    ///   - choice: A closure that narrows and sorts the objects, as for whole values.
    public init<Value: SupportedAttributeType, R: ManyRelation>(
        _ property: any WritableKeyPath<Tree, [Value]> & Sendable,
        _ relation: any KeyPath<Tree.Entity.Relations, R> & Sendable,
        _ attribute: any KeyPath<R.Destination, Value> & Sendable, _ options: BranchOption<R.Destination>...,
        of choice: @escaping @Sendable (Request<R.Destination>) -> Request<R.Destination> = { $0 }
    ) {
        let access = PropertyAccess(property)
        self.init(
            access, relation, source: AttributeChild(attribute: attribute), options: options, choice: choice,
            content: .many { access.set($1, of: $0) }, children: { $0[keyPath: property] })
    }

    /// Creates an entry for an attribute that identifies the objects behind a relation, which can be left out of a tree.
    ///
    /// - Parameters:
    ///   - property: The key path of the property.
    ///   - relation: The key path of the relation.
    ///   - attribute: The key path of the attribute, in the type behind the relation.
    ///   - options: The role and other options.
    ///   - choice: A closure that narrows and sorts the objects, as for whole values.
    public init<Value: SupportedAttributeType, R: ManyRelation>(
        _ property: any WritableKeyPath<Tree, [Value]?> & Sendable,
        _ relation: any KeyPath<Tree.Entity.Relations, R> & Sendable,
        _ attribute: any KeyPath<R.Destination, Value> & Sendable, _ options: BranchOption<R.Destination>...,
        of choice: @escaping @Sendable (Request<R.Destination>) -> Request<R.Destination> = { $0 }
    ) {
        let access = PropertyAccess(property)
        self.init(
            access, relation, source: AttributeChild(attribute: attribute), options: options, choice: choice,
            leave: { access.set(nil, of: $0) }, content: .many { access.set($1, of: $0) },
            children: { $0[keyPath: property] })
    }

    private init<Value, R: ManyRelation, Source: ChildSource>(
        _ access: PropertyAccess<Tree, Value>, _ relation: any KeyPath<Tree.Entity.Relations, R> & Sendable,
        source: Source, options: [BranchOption<Source.Object>],
        choice: @escaping @Sendable (Request<Source.Object.Entity>) -> Request<Source.Object.Entity>,
        leave: (@Sendable (UnsafeMutablePointer<Tree>) -> Void)? = nil, isInOrder: Bool = true,
        content: RelationBranch<Tree, Source>.Property, children: @escaping @Sendable (Tree) -> [Source.Value]?
    ) {
        self.content = RelationBranch(
            access, Tree.Entity.relations[keyPath: relation].name, kind: R.kind, source: source, options: options,
            leave: leave, choice: { choice(Source.Object.Entity.all).content }, isInOrder: isInOrder, content: content,
            children: children)
    }
}
