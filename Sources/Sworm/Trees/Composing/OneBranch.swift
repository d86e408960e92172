/// The object behind a relation to one, as part of a request for trees.
@dynamicMemberLookup
public struct OneBranch<Owner: ManagedObjectConvertible, Child: ManagedTreeConvertible, Element>: TreeValue {
    private let relation: String
    private let maker: ElementMaker<Child, Element>

    init(_ relation: String, maker: ElementMaker<Child, Element>) {
        self.relation = relation
        self.maker = maker
    }

    private var path: OptionalPath<Owner, Child.Entity> { OptionalPath(Operand.evaluatedObject.key(relation)) }

    /// An attribute of the object.
    public subscript<V: SupportedAttributeType>(
        dynamicMember keyPath: any KeyPath<Child.Entity, V> & Sendable
    ) -> Term<Owner, V, V?> {
        path[dynamicMember: keyPath]
    }

    /// An attribute of the object that may be nil.
    public subscript<V: SupportedAttributeType>(
        dynamicMember keyPath: any KeyPath<Child.Entity, V?> & Sendable
    ) -> Term<Owner, V, V?> {
        path[dynamicMember: keyPath]
    }

    /// Returns the object as a value of another type over its entity.
    public func `as`<Tree: ManagedTreeConvertible>(_ type: Tree.Type) -> OneBranch<Owner, Tree, Tree>
    where Tree.Entity == Child.Entity {
        OneBranch<Owner, Tree, Tree>(relation, maker: .plain)
    }

    /// Returns the object with values that belong to it, as a tuple.
    public func with<First: TreeValue, each Other: TreeValue>(
        _ first: KeyPath<Branches<Child.Entity>, First>, _ others: repeat KeyPath<Branches<Child.Entity>, each Other>
    ) -> OneBranch<Owner, Child, (Child, First.Value, repeat (each Other).Value)> {
        let row = Branches<Child.Entity>()
        return OneBranch<Owner, Child, (Child, First.Value, repeat (each Other).Value)>(
            relation, maker: tupleMaker(row[keyPath: first], repeat row[keyPath: each others]))
    }

    /// Returns the object with the value that the closure returns, as a tuple.
    @_disfavoredOverload
    public func with<Part: TreeValue>(
        _ part: (Branches<Child.Entity>) -> Part
    ) -> OneBranch<Owner, Child, (Child, Part.Value)> {
        OneBranch<Owner, Child, (Child, Part.Value)>(relation, maker: tupleMaker(part(Branches())))
    }

    /// Returns the object with the values that the closure returns, as a tuple.
    @_disfavoredOverload
    public func with<First: TreeValue, each Other: TreeValue>(
        _ parts: (Branches<Child.Entity>) -> (First, repeat each Other)
    ) -> OneBranch<Owner, Child, (Child, First.Value, repeat (each Other).Value)> {
        tuples(parts)
    }

    private func tuples<each Part: TreeValue>(
        _ parts: (Branches<Child.Entity>) -> (repeat each Part)
    ) -> OneBranch<Owner, Child, (Child, repeat (each Part).Value)> {
        let parts = parts(Branches())
        return OneBranch<Owner, Child, (Child, repeat (each Part).Value)>(
            relation, maker: tupleMaker(repeat each parts))
    }

    /// The way in which the objects are read: by one statement for all owners.
    public var reading: TreeValueReading<Element?> {
        let (relation, maker) = (relation, maker)
        return TreeValueReading(
            link: relation, needs: maker.needs.adding(Child.self, isPlain: true, behind: relation, of: Owner.self)
        ) {
            owners, _, reader in
            switch owners {
            case .rows(_, let links):
                let keys = KeyList(links[relation] ?? [])
                if keys.keys.isEmpty { return [Element?](repeating: nil, count: owners.count) }
                let level = try reader.rows(RequestContent(of: Child.self), from: .keys(keys.keys), for: maker)
                let found = level.keys
                let elements = try maker.make(level, reader)
                let places = keys.places(of: found)
                return (0..<owners.count).map { row in
                    let place = keys.isMissing(row) ? -1 : places[keys.index(row)]
                    return place < 0 ? nil : elements[place]
                }
            case .objects(let objects):
                let owner = try reader.bindings.binding(for: Owner.self)
                let binding = try reader.bindings.binding(for: Child.self)
                let choice = try ObjectChoice(RequestContent(of: Child.self), of: binding, isOrdered: true)
                let lists = try objects.map { object in
                    try choice.objects(
                        in: reader.context.present(owner.destination(of: object, along: relation)).map { [$0] } ?? [])
                }
                let elements = try maker.make(reader.level(of: lists.flatMap { $0 }, for: maker), reader)
                return lists.split(elements).map(\.first)
            }
        }
    }
}
