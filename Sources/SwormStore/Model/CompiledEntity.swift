package import Foundation
package import SwormPredicates

/// An entity of a compiled model.
@usableFromInline
package final class CompiledEntity: Sendable {
    /// The entity's number in the model and in the store's `Z_ENT` columns.
    package let number: Int
    package let name: String
    package let managedObjectClassName: String?
    package let isAbstract: Bool
    /// The number of the entity that this one inherits from.
    package let superentity: Int?
    /// The number of the root entity of this one's hierarchy, which has the table.
    package let root: Int
    /// The numbers of the entity itself and all its descendants.
    @usableFromInline package let family: ClosedRange<Int>
    /// The inherited and own attributes, indexed by slot. The inherited ones come first, in the slots that they have
    /// in the superentity; the own ones follow, sorted by name. A composite attribute is represented by its leaves.
    package let attributes: [CompiledAttribute]
    /// The inherited and own relationships, indexed by slot in the same way as the attributes.
    package let relationships: [CompiledRelationship]
    /// The slots of the leaves of each composite attribute, by the composite's name.
    package let composites: [String: [Int]]
    /// The names of own and inherited fetched properties. They are not stored, but the history counts them.
    let fetchedProperties: [String]
    /// The entity's own uniqueness constraints. Those of its ancestors also apply.
    package let uniquenessConstraints: [[String]]
    /// The entity's own fetch indexes, and its attributes that are flagged as indexed.
    let indexes: [CompiledIndex]
    package let versionHash: Data
    /// The traits of the attributes, by slot.
    package let traits: [SlotTraits]
    /// The slots of the attributes whose values the database computes.
    package let derivedSlots: [Int]
    /// Whether the store keeps every attribute as it was set: no attribute is transient or derived.
    package let keepsAllAttributes: Bool
    /// The values of a new object, by attribute slot.
    package let defaultValues: [AttributeValue]
    @usableFromInline let slots: [String: PropertySlot]

    package init(
        number: Int, name: String, managedObjectClassName: String? = nil, isAbstract: Bool = false,
        superentity: Int? = nil, root: Int, family: ClosedRange<Int>, attributes: [CompiledAttribute],
        relationships: [CompiledRelationship], composites: [String: [Int]] = [:],
        fetchedProperties: [String] = [], uniquenessConstraints: [[String]] = [], indexes: [CompiledIndex] = [],
        versionHash: Data = Data()
    ) {
        self.number = number
        self.name = name
        self.managedObjectClassName = managedObjectClassName
        self.isAbstract = isAbstract
        self.superentity = superentity
        self.root = root
        self.family = family
        self.attributes = attributes
        self.relationships = relationships
        self.composites = composites
        self.fetchedProperties = fetchedProperties
        self.uniquenessConstraints = uniquenessConstraints
        self.indexes = indexes
        self.versionHash = versionHash
        traits = attributes.map(SlotTraits.init)
        keepsAllAttributes = attributes.allSatisfy { $0.derivation == nil && !$0.isTransient }
        derivedSlots = attributes.indices.filter { attributes[$0].derivation != nil && !attributes[$0].isTransient }
        defaultValues = attributes.map(\.defaultValue)
        var slots: [String: PropertySlot] = [:]
        for (slot, attribute) in attributes.enumerated() { slots[attribute.name] = .attribute(slot) }
        for (slot, relationship) in relationships.enumerated() { slots[relationship.name] = .relationship(slot) }
        self.slots = slots
    }

    /// Returns the slot of an attribute (a composite's leaf is named `composite.leaf`) or of a relationship.
    @inlinable
    package func slot(named name: String) -> PropertySlot? { slots[name] }

    /// The names of the properties that can be read from an object: a composite attribute itself and not its leaves.
    package var propertyNames: [String] {
        (attributes.map(\.name) + relationships.map(\.name)).filter { !$0.contains(".") } + composites.keys
    }

    @inlinable
    package var hasDescendants: Bool { family.count > 1 }
}

/// The position of a property in its entity's lists.
@usableFromInline
package enum PropertySlot: Sendable, Hashable {
    case attribute(Int)
    case relationship(Int)
}

/// An attribute of a compiled entity.
package struct CompiledAttribute: Sendable {
    /// The attribute's name. A leaf of a composite is named `composite.leaf`.
    package var name: String
    /// The number of the entity that declares it.
    package var owner: Int
    package var type: AttributeType
    package var isOptional: Bool
    package var isTransient: Bool
    package var allowsExternalStorage: Bool
    package var defaultValue: AttributeValue
    /// The text of the derivation expression of a derived attribute. The database computes the value.
    package var derivation: String?
    package var valueTransformerName: String?
    package var validationRules: [ValidationRule]
    /// Whether the store's history keeps the value of a deleted object.
    var preservesValueInHistoryOnDeletion: Bool
    /// The traits that the attribute has in a store on a server only.
    var serverTraits: ServerTraits

    package init(
        name: String, owner: Int, type: AttributeType, isOptional: Bool = true, isTransient: Bool = false,
        allowsExternalStorage: Bool = false, defaultValue: AttributeValue = .null, derivation: String? = nil,
        valueTransformerName: String? = nil, validationRules: [ValidationRule] = [],
        preservesValueInHistoryOnDeletion: Bool = false, serverTraits: ServerTraits = []
    ) {
        self.name = name
        self.owner = owner
        self.type = type
        self.isOptional = isOptional
        self.isTransient = isTransient
        self.allowsExternalStorage = allowsExternalStorage
        self.defaultValue = defaultValue
        self.derivation = derivation
        self.valueTransformerName = valueTransformerName
        self.validationRules = validationRules
        self.preservesValueInHistoryOnDeletion = preservesValueInHistoryOnDeletion
        self.serverTraits = serverTraits
    }
}

/// A rule that the values of an attribute must satisfy.
package enum ValidationRule: Sendable, Hashable {
    case minimum(AttributeValue)
    case maximum(AttributeValue)
    case minimumLength(Int)
    case maximumLength(Int)
    /// A regular expression that the whole string must match.
    case pattern(String)
    /// Any other predicate, evaluated with the value as `SELF`.
    case predicate(PredicateTree, text: String)
}

/// A relationship of a compiled entity.
package struct CompiledRelationship: Sendable {
    package var name: String
    /// The number of the entity that declares it.
    package var owner: Int
    /// The number of the destination entity.
    package var destination: Int
    /// The slot of the inverse among the destination's relationships.
    package var inverse: Int?
    package var isToMany: Bool
    package var isOrdered: Bool
    package var isOptional: Bool
    package var isTransient: Bool
    package var minCount: Int
    /// The maximum number of objects: 0 for no limit, 1 for a to-one relationship.
    package var maxCount: Int
    package var deleteRule: NSDeleteRule

    package init(
        name: String, owner: Int, destination: Int, inverse: Int? = nil, isToMany: Bool, isOrdered: Bool = false,
        isOptional: Bool = true, isTransient: Bool = false, minCount: Int = 0, maxCount: Int? = nil,
        deleteRule: NSDeleteRule = .nullifyDeleteRule
    ) {
        self.name = name
        self.owner = owner
        self.destination = destination
        self.inverse = inverse
        self.isToMany = isToMany
        self.isOrdered = isOrdered
        self.isOptional = isOptional
        self.isTransient = isTransient
        self.minCount = minCount
        self.maxCount = maxCount ?? (isToMany ? 0 : 1)
        self.deleteRule = deleteRule
    }
}

/// An index that the model declares.
package struct CompiledIndex: Sendable {
    package enum Kind: Sendable { case fetchIndex, compound, flag }
    package enum Element: Sendable, Hashable {
        case property(String, ascending: Bool)
        /// The expression `self`: the primary key.
        case primaryKey(ascending: Bool)
        /// The expression `entity`: the entity's number.
        case entity(ascending: Bool)
    }

    var kind: Kind
    /// The index's name in the model. For a flagged attribute it is the attribute's name.
    var name: String
    var elements: [Element]
    /// The predicate of a partial index.
    var predicate: PredicateTree?

    package init(kind: Kind, name: String, elements: [Element], predicate: PredicateTree? = nil) {
        self.kind = kind
        self.name = name
        self.elements = elements
        self.predicate = predicate
    }
}
