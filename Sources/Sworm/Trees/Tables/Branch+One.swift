// Branches to one object.
extension Branch {
    /// Creates an entry for the object behind a relation, which must exist.
    ///
    /// Reading a tree whose object is missing is an error that names its owner.
    ///
    /// - Parameters:
    ///   - property: The key path of the property.
    ///   - relation: The key path of the relation.
    ///   - options: The role and other options.
    public init<Child: ManagedTreeConvertible>(
        _ property: any WritableKeyPath<Tree, Child> & Sendable,
        _ relation: any KeyPath<Tree.Entity.Relations, ToOneRelation<Child.Entity>> & Sendable,
        _ options: BranchOption<Child>...
    ) {
        let access = PropertyAccess(property)
        content = RelationBranch(
            access, along: Tree.Entity.relations[keyPath: relation].name, source: WholeChild<Child>(), options: options,
            content: .one { tree, child in
                guard let child else { return false }
                access.set(child, of: tree)
                return true
            },
            children: { [$0[keyPath: property]] })
    }

    /// Creates an entry for the object behind a relation; nil if it is missing.
    ///
    /// - Parameters:
    ///   - property: The key path of the property.
    ///   - relation: The key path of the relation.
    ///   - options: The role and other options.
    public init<Child: ManagedTreeConvertible>(
        _ property: any WritableKeyPath<Tree, Child?> & Sendable,
        _ relation: any KeyPath<Tree.Entity.Relations, ToOneRelation<Child.Entity>> & Sendable,
        _ options: BranchOption<Child>...
    ) {
        let access = PropertyAccess(property)
        content = RelationBranch(
            access, along: Tree.Entity.relations[keyPath: relation].name, source: WholeChild<Child>(), options: options,
            content: .one { tree, child in
                access.set(child, of: tree)
                return true
            },
            children: { $0[keyPath: property].map { [$0] } ?? [] })
    }

    /// Creates an entry for the object behind a relation, which can be left out of a tree: nil is left out, and `.some(nil)`
    /// is no object.
    ///
    /// - Parameters:
    ///   - property: The key path of the property.
    ///   - relation: The key path of the relation.
    ///   - options: The role and other options.
    public init<Child: ManagedTreeConvertible>(
        _ property: any WritableKeyPath<Tree, Child??> & Sendable,
        _ relation: any KeyPath<Tree.Entity.Relations, ToOneRelation<Child.Entity>> & Sendable,
        _ options: BranchOption<Child>...
    ) {
        let access = PropertyAccess(property)
        content = RelationBranch(
            access, along: Tree.Entity.relations[keyPath: relation].name, source: WholeChild<Child>(), options: options,
            leave: { access.set(nil, of: $0) },
            content: .one { tree, child in
                access.set(.some(child), of: tree)
                return true
            },
            children: { $0[keyPath: property].map { $0.map { [$0] } ?? [] } })
    }

    /// Creates an entry for an attribute that identifies the object behind a relation; nil if it is missing.
    ///
    /// Unless it has another role, the branch is ``BranchOption/linked``.
    ///
    /// - Parameters:
    ///   - property: The key path of the property.
    ///   - relation: The key path of the relation.
    ///   - attribute: The key path of the attribute, in the type behind the relation.
    ///   - options: The role and other options.
    public init<Destination, Value: SupportedAttributeType>(
        _ property: any WritableKeyPath<Tree, Value?> & Sendable,
        _ relation: any KeyPath<Tree.Entity.Relations, ToOneRelation<Destination>> & Sendable,
        _ attribute: any KeyPath<Destination, Value> & Sendable, _ options: BranchOption<Destination>...
    ) {
        let access = PropertyAccess(property)
        content = RelationBranch(
            access, along: Tree.Entity.relations[keyPath: relation].name, source: AttributeChild(attribute: attribute),
            options: options,
            content: .one { tree, child in
                access.set(child, of: tree)
                return true
            },
            children: { $0[keyPath: property].map { [$0] } ?? [] })
    }

    /// Creates an entry for an attribute that identifies the object behind a relation, which can be left out of a tree: nil is
    /// left out, and `.some(nil)` is no object.
    ///
    /// Unless it has another role, the branch is ``BranchOption/linked``.
    ///
    /// - Parameters:
    ///   - property: The key path of the property.
    ///   - relation: The key path of the relation.
    ///   - attribute: The key path of the attribute, in the type behind the relation.
    ///   - options: The role and other options.
    public init<Destination, Value: SupportedAttributeType>(
        _ property: any WritableKeyPath<Tree, Value??> & Sendable,
        _ relation: any KeyPath<Tree.Entity.Relations, ToOneRelation<Destination>> & Sendable,
        _ attribute: any KeyPath<Destination, Value> & Sendable, _ options: BranchOption<Destination>...
    ) {
        let access = PropertyAccess(property)
        content = RelationBranch(
            access, along: Tree.Entity.relations[keyPath: relation].name, source: AttributeChild(attribute: attribute),
            options: options,
            leave: { access.set(nil, of: $0) },
            content: .one { tree, child in
                access.set(.some(child), of: tree)
                return true
            },
            children: { $0[keyPath: property].map { $0.map { [$0] } ?? [] } })
    }
}
