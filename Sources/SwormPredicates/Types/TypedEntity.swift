/// The information about an entity that a type check needs: the attributes and relationships by name.
package protocol TypedEntity: Sendable {
    var entityName: String { get }

    /// Returns the property with a name.
    ///
    /// - Throws: A ``QueryError`` for a key that is always invalid.
    func property(named key: String) throws -> TypedProperty

    /// The paths of the elements of a composite attribute; nil for an entity.
    var elements: [String]? { get }
}

extension TypedEntity {
    package var elements: [String]? { nil }
}

/// The property for a key of an entity.
package enum TypedProperty: Sendable {
    /// An attribute; its kind is nil if nothing is known about its values.
    case attribute(ValueKind?)
    case toOne(any TypedEntity)
    case toMany(any TypedEntity)
    /// A key about which nothing is known.
    case unknown
}

/// The type of an expression, before any object is evaluated.
indirect enum ExpressionType {
    case value(TypedValue)
    case object(any TypedEntity, path: String)
    /// The result of a path through to-many relationships, for each of the objects.
    case collection(ExpressionType, path: String, entity: String)
    /// A collection operator that still requires the key after it.
    case aggregate(CollectionOperator, ExpressionType, path: String, entity: String)
    case list([ExpressionType])

    static func unknown(_ path: String) -> ExpressionType { .value(TypedValue(kind: nil, path: path, entity: "")) }

    var isNull: Bool { if case .value(let value) = self { value.constant == .null } else { false } }

    var isCollection: Bool {
        switch self {
        case .collection, .list: true
        default: false
        }
    }

    var isConstant: Bool { if case .value(let value) = self { value.constant != nil } else { false } }

    /// Whether the expression is an object. A constant can also be one.
    var isObject: Bool {
        switch self {
        case .object: true
        case .value(let value): if case .object = value.constant { true } else { false }
        default: false
        }
    }

    var isUnknown: Bool {
        if case .value(let value) = self { value.kind == nil && value.constant == nil } else { false }
    }

    /// The path and the entity, for messages.
    var place: (path: String, entity: String) {
        switch self {
        case .value(let value): (value.path, value.entity)
        case .object(let entity, let path): (path, entity.entityName)
        case .collection(_, let path, let entity), .aggregate(_, _, let path, let entity): (path, entity)
        case .list: ("a list", "the predicate")
        }
    }
}
