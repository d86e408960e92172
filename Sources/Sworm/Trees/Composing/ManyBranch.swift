import SwormPredicates

/// The objects behind a relation to many, as part of a request for trees.
public struct ManyBranch<Owner: ManagedObjectConvertible, Child: ManagedTreeConvertible, Element>: TreeValue {
    /// The entity of the objects.
    public typealias Entity = Child.Entity

    private let relation: String
    private let kind: RelationKind
    private let choice: RequestContent
    /// The objects as an operand of the owner.
    private let operand: Operand
    private let maker: ElementMaker<Child, Element>

    init(_ relation: String, kind: RelationKind, maker: ElementMaker<Child, Element>) {
        self.init(
            relation, kind: kind, choice: RequestContent(of: Child.self),
            operand: Operand.evaluatedObject.key(relation), maker: maker)
    }

    private init(
        _ relation: String, kind: RelationKind, choice: RequestContent, operand: Operand,
        maker: ElementMaker<Child, Element>
    ) {
        (self.relation, self.kind, self.choice) = (relation, kind, choice)
        (self.operand, self.maker) = (operand, maker)
    }

    private func with<NewChild, New>(_ maker: ElementMaker<NewChild, New>) -> ManyBranch<Owner, NewChild, New> {
        ManyBranch<Owner, NewChild, New>(relation, kind: kind, choice: choice, operand: operand, maker: maker)
    }

    private func choosing(_ change: (Request<Entity>) -> Request<Entity>, operand: Operand? = nil) -> ManyBranch {
        ManyBranch(
            relation, kind: kind, choice: change(Request<Entity>(choice)).content, operand: operand ?? self.operand,
            maker: maker)
    }

    // MARK: The objects

    /// Returns the objects that also fulfill the condition that the closure returns.
    public func `where`(_ condition: (EntityPath<Entity, Entity>) -> Condition<Entity>) -> ManyBranch {
        let narrowed = ManyPath<Entity, Entity>(operand).filter(condition).operand
        return choosing({ $0.where(condition) }, operand: narrowed)
    }

    /// Returns the objects sorted by an attribute. Earlier sort orders are more significant.
    public func sort<Attribute: SupportedAttributeType>(
        _ keyPath: KeyPath<Entity, Attribute>, ascending: Bool = true
    ) -> ManyBranch where Attribute.PrimitiveAttributeType: Comparable {
        choosing { $0.sort(keyPath, ascending: ascending) }
    }

    /// Returns the objects sorted by an attribute that may be nil. Earlier sort orders are more significant.
    public func sort<Attribute: SupportedAttributeType>(
        _ keyPath: KeyPath<Entity, Attribute?>, ascending: Bool = true
    ) -> ManyBranch where Attribute.PrimitiveAttributeType: Comparable {
        choosing { $0.sort(keyPath, ascending: ascending) }
    }

    /// Returns the objects sorted by an attribute that is reached through relations, or by a count.
    public func sort<Base: SupportedAttributeType, Value>(
        _ keyPath: KeyPath<EntityPath<Entity, Entity>, Term<Entity, Base, Value>>, ascending: Bool = true
    ) -> ManyBranch where Base.PrimitiveAttributeType: Comparable {
        choosing { $0.sort(keyPath, ascending: ascending) }
    }

    /// Returns at most the given number of objects of each owner.
    public func limit(_ value: Int) -> ManyBranch { choosing { $0.limit(value) } }

    /// Returns the objects without the given number of objects at the start of each owner's.
    public func offset(_ value: Int) -> ManyBranch { choosing { $0.offset(value) } }

    // MARK: Values of the owner

    /// The number of objects that fulfill the conditions. A limit and an offset do not affect it.
    public var count: Term<Owner, Int, Int> { ManyPath<Owner, Entity>(operand).count }

    /// Returns the largest value of the objects that fulfill the conditions, or nil if there are no values.
    public func max<Base, Value>(
        _ keyPath: KeyPath<EntityPath<Entity, Entity>, Term<Entity, Base, Value>>
    ) -> Term<Owner, Base, Base?> where Base.PrimitiveAttributeType: Comparable {
        ManyPath<Owner, Entity>(operand).max(keyPath)
    }

    /// Returns the smallest value of the objects that fulfill the conditions, or nil if there are no values.
    public func min<Base, Value>(
        _ keyPath: KeyPath<EntityPath<Entity, Entity>, Term<Entity, Base, Value>>
    ) -> Term<Owner, Base, Base?> where Base.PrimitiveAttributeType: Comparable {
        ManyPath<Owner, Entity>(operand).min(keyPath)
    }

    /// Returns the sum of the values of the objects that fulfill the conditions, or zero if there are no values.
    public func sum<Base: Numeric, Value>(
        _ keyPath: KeyPath<EntityPath<Entity, Entity>, Term<Entity, Base, Value>>
    ) -> Term<Owner, Base, Base> {
        ManyPath<Owner, Entity>(operand).sum(keyPath)
    }

    /// Returns the average of the values of the objects that fulfill the conditions, or nil if there are no values.
    public func average<Base: Numeric, Value>(
        _ keyPath: KeyPath<EntityPath<Entity, Entity>, Term<Entity, Base, Value>>
    ) -> Term<Owner, Double, Double?> {
        ManyPath<Owner, Entity>(operand).average(keyPath)
    }

    // MARK: Forms

    /// Returns the objects as values of another type over their entity.
    public func `as`<Tree: ManagedTreeConvertible>(_ type: Tree.Type) -> ManyBranch<Owner, Tree, Tree>
    where Tree.Entity == Entity {
        with(ElementMaker<Tree, Tree>.plain)
    }

    /// Returns the objects with values that belong to them, as tuples.
    public func with<First: TreeValue, each Other: TreeValue>(
        _ first: KeyPath<Branches<Entity>, First>, _ others: repeat KeyPath<Branches<Entity>, each Other>
    ) -> ManyBranch<Owner, Child, (Child, First.Value, repeat (each Other).Value)> {
        let row = Branches<Entity>()
        return with(tupleMaker(row[keyPath: first], repeat row[keyPath: each others]))
    }

    /// Returns the objects with the value that the closure returns, as tuples.
    @_disfavoredOverload
    public func with<Part: TreeValue>(
        _ part: (Branches<Entity>) -> Part
    ) -> ManyBranch<Owner, Child, (Child, Part.Value)> {
        with(tupleMaker(part(Branches())))
    }

    /// Returns the objects with the values that the closure returns, as tuples.
    @_disfavoredOverload
    public func with<First: TreeValue, each Other: TreeValue>(
        _ parts: (Branches<Entity>) -> (First, repeat each Other)
    ) -> ManyBranch<Owner, Child, (Child, First.Value, repeat (each Other).Value)> {
        tuples(parts)
    }

    private func tuples<each Part: TreeValue>(
        _ parts: (Branches<Entity>) -> (repeat each Part)
    ) -> ManyBranch<Owner, Child, (Child, repeat (each Part).Value)> {
        let parts = parts(Branches())
        return with(tupleMaker(repeat each parts))
    }

    /// The way in which the objects are read: by one statement for all owners.
    public var reading: TreeValueReading<[Element]> {
        let (relation, kind, choice, maker) = (relation, kind, choice, maker)
        let isPlain = choice.condition == nil && choice.sorts.isEmpty
        return TreeValueReading(
            needs: maker.needs.adding(Child.self, isPlain: isPlain, behind: relation, of: Owner.self)
        ) {
            owners, _, reader in
            try choice.validate()
            let owner = try reader.bindings.binding(for: Owner.self)
            switch owners {
            case .rows(let keys, _):
                let list = KeyList(keys)
                let source = TreeSource.members(
                    of: owner.entity, relation: relation, owners: list.keys,
                    anyOrder: maker.isPlain && Child.branches.isEmpty)
                let level = try reader.rows(choice, from: source, for: maker)
                let groups = level.groups(of: list)
                let lists = groups.lists(of: try maker.make(level, reader))
                return keys.indices.map { lists[list.index($0)] }
            case .objects(let objects):
                let binding = try reader.bindings.binding(for: Child.self)
                let choice = try ObjectChoice(choice, of: binding, isOrdered: kind == .toManyOrdered)
                let lists = try objects.map { try choice.objects(in: owner.members(of: $0, along: relation)) }
                return lists.split(try maker.make(reader.level(of: lists.flatMap { $0 }, for: maker), reader))
            }
        }
    }
}
