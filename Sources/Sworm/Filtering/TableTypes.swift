import SwormPredicates

/// The types of an entity's attributes and relations according to its table, for conditions that no store checks.
struct TableTypes: TypedEntity {
    let mapping: any AnyEntityMapping
    /// Whether the types describe plain values, which have attributes only. Objects also have relations, and further
    /// properties of a model file.
    let isPlain: Bool
    /// The branches of a plain value, which conditions may follow.
    var plan: (any AnyTreePlan)?
    /// The attribute of a plain value that has only one.
    var attribute: String?

    var entityName: String { mapping.entityName }

    func property(named key: String) throws -> TypedProperty {
        if let attribute, key != attribute { throw QueryError.notInPlainValue(key, of: mapping, plan) }
        if let composite = CompositeTypes(key, of: self) { return .toOne(composite) }
        if let other = mapping.castTarget(key) { return .toOne(TableTypes(mapping: other, isPlain: isPlain)) }
        if let attribute = mapping.attributes.first(where: { $0.name == key }) {
            // In the model of an object, a type may represent a composite attribute as a whole.
            if !isPlain, attribute.isWholeValue { return .unknown }
            return .attribute(attribute.traits.storageType.valueKind)
        }
        if let (child, isToMany) = plan?.subject(along: key) {
            let types = TableTypes(of: child)
            return isToMany ? .toMany(types) : .toOne(types)
        }
        if isPlain { throw QueryError.notInPlainValue(key, of: mapping, plan) }
        guard let relation = mapping.relations.first(where: { $0.name == key }) else { return .unknown }
        let destination = TableTypes(mapping: relation.destination.anyMapping, isPlain: false)
        return relation.kind == .toOne ? .toOne(destination) : .toMany(destination)
    }
}

extension TableTypes {
    /// The types of a child of a tree.
    fileprivate init(of child: ChildSubject) {
        self.init(mapping: child.mapping, isPlain: true, plan: child.plan, attribute: child.attribute)
    }
}

/// The elements of a composite attribute that the table declares.
private struct CompositeTypes: TypedEntity {
    let types: TableTypes
    let prefix: String

    /// Returns nil if the table declares no element under the key.
    init?(_ key: String, of types: TableTypes, under prefix: String = "") {
        self.types = types
        self.prefix = prefix + key + "."
        guard let elements, !elements.isEmpty else { return nil }
    }

    var entityName: String { types.entityName }

    var elements: [String]? { types.mapping.elements(under: prefix) }

    func property(named key: String) throws -> TypedProperty {
        if let inner = CompositeTypes(key, of: types, under: prefix) { return .toOne(inner) }
        if let attribute = types.mapping.attributes.first(where: { $0.name == prefix + key }) {
            return .attribute(attribute.traits.storageType.valueKind)
        }
        // An object may have more elements than the table declares.
        guard types.isPlain else { return .unknown }
        throw QueryError.noElement(key, under: prefix, of: types.mapping)
    }
}

extension AnyEntityMapping {
    /// Returns the paths of the attributes under a prefix, without the prefix.
    fileprivate func elements(under prefix: String) -> [String] {
        attributes.map(\.name).filter { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }
    }
}

extension AttributeMapping {
    /// Whether the attribute holds a custom type as bytes, which represents a composite attribute if the model has one.
    fileprivate var isWholeValue: Bool { kind == .data && !isPrimitive }
}

extension QueryError {
    /// Returns the error for an element that the table does not declare.
    static func noElement(_ key: String, under prefix: String, of mapping: any AnyEntityMapping) -> QueryError {
        unknownKey(key, of: prefix.dropLast() + " of " + mapping.entityName, names: mapping.elements(under: prefix))
    }

    /// Returns the error for a key that a plain value does not have.
    static func notInPlainValue(
        _ key: String, of mapping: any AnyEntityMapping, _ plan: (any AnyTreePlan)? = nil
    ) -> QueryError {
        let entity = mapping.entityName
        if mapping.relations.contains(where: { $0.name == key }) || key == "objectID" {
            let advice = "filter managed objects, or fetch with the condition"
            guard let plan else { return QueryError(.unknownKey, "a plain \(entity) has no '\(key)'; \(advice)") }
            return QueryError(
                .unknownKey, "\(plan.typeName) has no branch with all objects behind '\(key)'; add one, \(advice)")
        }
        return unknownKey(key, of: entity, names: mapping.attributes.map { String($0.name.prefix { $0 != "." }) })
    }

    /// Returns the error for a branch that a tree leaves out.
    static func leftOut(_ key: String, of tree: String) -> QueryError {
        QueryError(.unknownKey, "a \(tree) leaves out '\(key)', so the condition cannot be decided")
    }
}
