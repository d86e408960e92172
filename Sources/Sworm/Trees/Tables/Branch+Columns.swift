import SwormPredicates

// Values that the store computes, and identities.
extension Branch {
    /// Creates an entry for a column as `select` takes it: an attribute that is reached through relations to one, or the count
    /// of a relation to many. It is only read.
    ///
    /// - Parameters:
    ///   - property: The key path of the property.
    ///   - column: The key path of the column.
    public init<Base: SupportedAttributeType, Value>(
        _ property: any WritableKeyPath<Tree, Value> & Sendable,
        _ column: any KeyPath<EntityPath<Tree.Entity, Tree.Entity>, Term<Tree.Entity, Base, Value>> & Sendable
    ) {
        self.init(column: PropertyAccess(property)) { EntityPath<Tree.Entity, Tree.Entity>.root[keyPath: column] }
    }

    /// Creates an entry for the column that the closure returns, which may be computed: `{ $0.reviews.max(\.mark) }`. It is
    /// only read.
    ///
    /// - Parameters:
    ///   - property: The key path of the property.
    ///   - column: A closure that is called with the row.
    @_disfavoredOverload
    public init<Base: SupportedAttributeType, Value>(
        _ property: any WritableKeyPath<Tree, Value> & Sendable,
        _ column: @escaping @Sendable (EntityPath<Tree.Entity, Tree.Entity>) -> Term<Tree.Entity, Base, Value>
    ) {
        self.init(column: PropertyAccess(property)) { column(.root) }
    }

    private init<Base: SupportedAttributeType, Value>(
        column access: PropertyAccess<Tree, Value>, _ term: @escaping @Sendable () -> Term<Tree.Entity, Base, Value>
    ) {
        content = ColumnBranch(property: access.keyPath, memory: access.memory) {
            var selection = Selection()
            let column = selection.add(term())
            return ComputedColumn<Tree>(
                expression: selection.expressions[0], failure: selection.failure,
                kind: Base.PrimitiveAttributeType.primitiveKind
            ) { tree, value in
                access.set(try column.value(value), of: tree)
            }
        }
    }

    /// Unavailable: explains why a constant, or a property of another type than the relation's, is no branch.
    @available(
        *, unavailable,
        message:
            "a branch needs a `var` whose type goes with the relation: `Child`, `Child?` or `Child??` for one, `[Child]`, `[Child]?`, `Set<Child>` or `Set<Child>?` for many, where Child is the type behind the relation or a tree over it"
    )
    public init<Value, R: Relation>(
        _ property: any KeyPath<Tree, Value> & Sendable,
        _ relation: any KeyPath<Tree.Entity.Relations, R> & Sendable, _ options: BranchOption<R.Destination>...
    ) {
        content = UnavailableBranch(property: property)
    }
}

/// The content of an entry whose initializer is unavailable.
private struct UnavailableBranch<Tree: ManagedTreeConvertible>: BranchContent {
    let property: any PartialKeyPath<Tree> & Sendable
    var memory: Range<Int>? { nil }
}
