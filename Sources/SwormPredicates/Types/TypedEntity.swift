/// What a type check asks about an entity: the attributes and relations by name.
package protocol TypedEntity: Sendable {
    var entityName: String { get }

    /// What the entity has under a key.
    ///
    /// - Throws: A ``PredicateError`` for a key that can never be right.
    func property(named key: String) throws -> TypedProperty

    /// The paths of the elements, for what is no entity but a composite attribute; nil for an entity.
    var elements: [String]? { get }
}

extension TypedEntity {
    package var elements: [String]? { nil }
}

/// What stands behind a key of an entity.
package enum TypedProperty: Sendable {
    /// An attribute; its kind is nil where nothing is known of its values.
    case attribute(ValueKind?)
    case toOne(any TypedEntity)
    case toMany(any TypedEntity)
    /// A key of which nothing is known.
    case unknown
}

/// What an expression is before any object is looked at.
indirect enum ExpressionType {
    case value(TypedValue)
    case object(any TypedEntity, path: String)
    /// What a path through relations to many leads to, for each of the objects.
    case collection(ExpressionType, path: String, entity: String)
    /// A collection operator that waits for the key behind it.
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

    /// Whether it is an object, of which a constant can tell too.
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
