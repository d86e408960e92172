import Foundation
import SwormPredicates
import SwormStore

extension NSFetchRequest {
    /// Returns a request for dictionaries as a value, with the properties of the dictionaries.
    ///
    /// - Throws: An error that states which property is unknown, or why the properties cannot be combined.
    func projection(in model: CompiledModel) throws -> (ProjectionSpecification, [SelectedProperty]) {
        var fetch = try specification(in: model)
        let entity = model[fetch.entity]
        let selected = try selectedProperties(of: entity, in: model)
        var tree = ProjectionTree(selected.map(\.expression))
        tree.isDistinct = returnsDistinctResults
        tree.groups = try (propertiesToGroupBy ?? []).map { try property($0, of: entity, in: model).expression }
        if let havingPredicate {
            guard !tree.groups.isEmpty else {
                throw unsupported("has a havingPredicate, but no propertiesToGroupBy. Set propertiesToGroupBy.")
            }
            tree.having = try havingPredicate.tree()
        }
        if tree.form != .plain {
            tree.sorts = fetch.sorts.map { sort in
                guard sort.path.count == 1, let computed = selected.first(where: { $0.name == sort.path[0] }) else {
                    return ProjectionTree.Sort(.path(sort.path), ascending: sort.ascending, options: sort.options)
                }
                return ProjectionTree.Sort(computed.expression, ascending: sort.ascending, options: sort.options)
            }
        }
        if tree.form == .grouped {
            // The limit of such a request applies to groups, as in Core Data.
            (tree.groupLimit, tree.groupOffset) = (fetch.limit > 0 ? fetch.limit : nil, fetch.offset)
            (fetch.limit, fetch.offset, fetch.sorts) = (0, 0, [])
        }
        if tree.form == .total {
            // The result is a single row for all objects. Limit and offset apply to that row, and an order has no
            // effect.
            tree.sorts = []
            fetch.sorts = []
            fetch.limit = 0
            guard fetch.offset == 0 else {
                throw unsupported("has a fetchOffset, but its aggregates have one result. Remove the offset.")
            }
        }
        var result = ProjectionSpecification(fetch: fetch, tree: tree)
        result.variables = Dictionary(
            selected.map { ($0.name, $0.expression) }, uniquingKeysWith: { first, _ in first })
        return (result, selected)
    }

    /// Returns the properties to fetch, or all stored attributes of the entity if the request does not specify any.
    private func selectedProperties(of entity: CompiledEntity, in model: CompiledModel) throws -> [SelectedProperty] {
        if let propertiesToFetch, !propertiesToFetch.isEmpty {
            let selected = try propertiesToFetch.map { try property($0, of: entity, in: model) }
            var names: Set<String> = []
            for property in selected where !names.insert(property.name).inserted {
                throw unsupported("fetches '\(property.name)' twice. Give each property a name of its own.")
            }
            return selected
        }
        guard !returnsDistinctResults, propertiesToGroupBy == nil else {
            throw unsupported("is grouped or returns distinct results, but has no properties. Set propertiesToFetch.")
        }
        return try entity.attributes.filter { !$0.isTransient && $0.type != .undefined }.map { attribute in
            try property(attribute.name, of: entity, in: model)
        }
    }

    private func property(_ any: Any, of entity: CompiledEntity, in model: CompiledModel) throws -> SelectedProperty {
        switch any {
        case let computed as NSExpressionDescription: return try property(computed, of: entity, in: model)
        case let description as NSPropertyDescription: return try property(description.name, of: entity, in: model)
        case let name as String: return try property(name, of: entity, in: model)
        case let name as NSString: return try property(name.description, of: entity, in: model)
        default:
            throw unsupported(
                "has a property of the type \(type(of: any)). Use names, property descriptions and expression descriptions."
            )
        }
    }

    private func property(
        _ name: String, of entity: CompiledEntity, in model: CompiledModel
    ) throws -> SelectedProperty {
        let keys = name.split(separator: ".").map(String.init)
        var result = SelectedProperty(name: name, expression: .path(keys))
        if case .attribute(let slot) = entity.slot(named: name) { result.type = entity.attributes[slot].type }
        if let (owner, attribute) = model.attribute(at: keys, of: entity), attribute.type == .transformable {
            result.transformation = try AttributeTransformation(of: attribute, in: owner)
        }
        return result
    }

    private func property(
        _ computed: NSExpressionDescription, of entity: CompiledEntity, in model: CompiledModel
    ) throws -> SelectedProperty {
        guard !computed.name.isEmpty else { throw unsupported("has an expression description without a name.") }
        guard let expression = computed.expression else {
            throw unsupported("has an expression description '\(computed.name)' without an expression.")
        }
        let tree = try expression.tree().aggregatingRows()
        if let function = tree.unsupportedAggregate {
            throw unsupported(
                "uses the unsupported function '\(function):' for '\(computed.name)'. The functions of many rows are count:, sum:, min:, max: and average:."
            )
        }
        if case (let aggregate, let operand?)? = tree.rowAggregate, let keys = operand.pathKeys,
            let (_, attribute) = model.attribute(at: keys, of: entity), !attribute.isTransient,
            !attribute.type.has(aggregate)
        {
            // The number of rows, which any values have, so that there is a column.
            return SelectedProperty(name: computed.name, expression: .aggregate(.count), isNil: true)
        }
        return SelectedProperty(
            name: computed.name, expression: tree, type: computed.expressionResultType.attributeType)
    }

    private func unsupported(_ what: String) -> CoreDataError {
        CoreDataError(
            NSPersistentStoreUnsupportedRequestTypeError,
            "A fetch of dictionaries of \(entityName ?? "objects") \(what)",
            entity: entityName)
    }
}

extension CompiledModel {
    /// Returns the attribute at the end of a path of to-one relationships, with the entity at which the last step starts;
    /// nil if the path leads elsewhere.
    fileprivate func attribute(
        at keys: [String], of entity: CompiledEntity
    ) -> (entity: CompiledEntity, attribute: CompiledAttribute)? {
        var current = entity
        for (index, key) in keys.enumerated() {
            // An element of a composite attribute has a name with dots.
            if case .attribute(let slot)? = current.slot(named: keys[index...].joined(separator: ".")) {
                return (current, current.attributes[slot])
            }
            guard case .relationship(let slot)? = current.slot(named: key), !current.relationships[slot].isToMany else {
                return nil
            }
            current = self[current.relationships[slot].destination]
        }
        return nil
    }
}

extension AttributeType {
    /// Whether values of the type have an aggregate: a total, or a smallest and a largest value.
    fileprivate func has(_ aggregate: RowAggregate) -> Bool {
        switch aggregate {
        case .count: true
        case .sum, .average: valueKind?.isNumber ?? false
        case .minimum, .maximum: valueKind?.isOrdered ?? false
        }
    }
}
