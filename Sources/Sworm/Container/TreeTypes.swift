/// Types with tables, sorted by kinds: those of single objects, and trees.
struct TreeTypes {
    /// The types of single objects, including those at the roots of the trees.
    private(set) var entities: [any ManagedObjectConvertible.Type] = []
    private var plans: [any AnyTreePlan] = []
    /// The mappings of the trees, and of the trees inside of them.
    private(set) var mappings: [any AnyEntityMapping] = []

    init(_ types: [any ManagedTreeConvertible.Type]) {
        var seen: Set<ObjectIdentifier> = []
        for type in types {
            entities.append(type.entityType)
            for plan in type.anyTreePlan.family {
                let mappings = [plan.mapping] + plan.parts.map(\.childMapping)
                self.mappings += mappings.filter { $0.entity != nil && seen.insert(ObjectIdentifier($0)).inserted }
                if !plan.parts.isEmpty || !plan.issues.isEmpty { plans.append(plan) }
            }
        }
    }

    /// The issues in the tables of the trees, each once.
    var issues: [TableIssue] {
        var seen: Set<TableIssue> = []
        return (mappings.flatMap(\.issues) + plans.flatMap(treeIssues)).filter { seen.insert($0).inserted }
    }
}

extension ManagedTreeConvertible {
    fileprivate static var entityType: any ManagedObjectConvertible.Type { Entity.self }
    fileprivate static var anyTreePlan: any AnyTreePlan { treePlan }
}

extension AnyEntityMapping {
    /// Whether the option `.optional` of a table states that the type handles the nil of a model.
    ///
    /// A tree has the options of its entity, besides for a property that is an optional there.
    func allowsNil(_ attribute: AttributeMapping) -> Bool {
        guard let entity else { return declared(attribute).traits.isOptional }
        let own = entity.attributes.first { $0.name == attribute.name }
        return own.map { !$0.isOptional && entity.declared($0).traits.isOptional } ?? false
    }
}
