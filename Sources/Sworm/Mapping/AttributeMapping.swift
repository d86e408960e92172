import SwormPredicates

/// The resolved description of one attribute, independent of the type that it belongs to.
struct AttributeMapping: Sendable {
    let name: String
    let kind: PrimitiveKind
    /// Whether the property is an optional. Otherwise, nil cannot be decoded, even if the model allows it.
    let isOptional: Bool
    /// Whether the property's type, without its optional, is the primitive type itself.
    let isPrimitive: Bool
    /// The offset of the property in the memory of a struct, or nil if it has no separate storage there.
    let offset: Int?
    /// The property's type as it is written in the user's code.
    let typeName: String
    let traits: AttributeTraits
    /// The value of the attribute in a new instance, or nil if new instances differ or the value is nil.
    let defaultValue: AttributeValue?

    /// The offset at which a row decoder may store the value (or its optional), or nil if it must call the closure.
    var directOffset: Int? { isPrimitive ? offset : nil }
}

/// The resolved description of one relation.
struct RelationMapping: Sendable {
    /// The name of the property in the type that declares the relations.
    let label: String
    let name: String
    let kind: RelationKind
    let destination: any ManagedObjectConvertible.Type
    let deleteRule: DeleteRule
    let inverse: RelationInverse?
    var isOptional = true
    /// The smallest number of destinations, or zero if there is no bound.
    var minimumCount = 0
    var maximumCount = 0
    var renamingIdentifier: String?
    var hashModifier: String?

    /// The name of the inverse, if this end names it.
    var inverseName: String? { inverse?.name }

    init(label: String, relation: some Relation) {
        self.label = label
        name = relation.name
        kind = type(of: relation).kind
        destination = type(of: relation).destinationType
        deleteRule = relation.deleteRule
        inverse = relation.inverse
        for option in relation.options {
            switch option.content {
            case .required: isOptional = false
            case .count(let minimum, let maximum): (minimumCount, maximumCount) = (minimum ?? 0, maximum ?? 0)
            case .renamed(let name): renamingIdentifier = name
            case .hashModifier(let text): hashModifier = text
            }
        }
    }
}

extension Relation {
    fileprivate static var destinationType: any ManagedObjectConvertible.Type { Destination.self }
}

/// An index over several attributes, identified by their names.
struct IndexMapping: Sendable, Hashable {
    let name: String
    let elements: [Element]

    struct Element: Sendable, Hashable {
        let attribute: String
        let isAscending: Bool
    }
}
