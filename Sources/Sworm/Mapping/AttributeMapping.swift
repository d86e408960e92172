package import SwormPredicates

/// The resolved description of one attribute, independent of the type that it belongs to.
package struct AttributeMapping: Sendable {
    package let name: String
    package let kind: PrimitiveKind
    /// Whether the property is an optional. Otherwise, nil cannot be decoded, even if the model allows it.
    package let isOptional: Bool
    /// Whether the property's type, without its optional, is the primitive type itself.
    package let isPrimitive: Bool
    /// The offset of the property in the memory of a struct, or nil if it has no separate storage there.
    package let offset: Int?
    /// The property's type as it is written in the user's code.
    package let typeName: String
    package let traits: AttributeTraits
    /// The value of the attribute in a new instance, or nil if new instances differ or the value is nil.
    package let defaultValue: AttributeValue?

    /// The offset at which a row decoder may store the value (or its optional), or nil if it must call the closure.
    package var directOffset: Int? { isPrimitive ? offset : nil }
}

/// The resolved description of one relation.
package struct RelationMapping: Sendable {
    /// The name of the property in the type that declares the relations.
    package let label: String
    package let name: String
    package let kind: RelationKind
    package let destination: any ManagedObjectConvertible.Type
    package let deleteRule: DeleteRule
    package let inverse: RelationInverse?
    package var isOptional = true
    /// The smallest number of destinations, or zero if there is no bound.
    package var minimumCount = 0
    package var maximumCount = 0
    package var renamingIdentifier: String?
    package var hashModifier: String?

    /// The name of the inverse, if this end names it.
    package var inverseName: String? { inverse?.name }

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
package struct IndexMapping: Sendable, Hashable {
    package let name: String
    package let elements: [Element]

    package struct Element: Sendable, Hashable {
        package let attribute: String
        package let isAscending: Bool
    }
}
