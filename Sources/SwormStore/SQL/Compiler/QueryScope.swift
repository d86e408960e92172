import SwormPredicates

/// A FROM clause of one SELECT that grows as paths need the rows of further objects.
final class QueryScope {
    private var clauses: [String] = []
    private var joined: [String: String] = [:]

    /// The alias of the first table.
    var firstAlias: String?

    var isEmpty: Bool { clauses.isEmpty }
    /// Whether the clause has rows of more than one table.
    var hasJoins: Bool { clauses.count > 1 }
    var text: String { clauses.joined(separator: " ") }

    func add(_ clause: String) { clauses.append(clause) }

    /// Returns the alias under which the row of a key was joined, if any.
    func alias(forKey key: String) -> String? { joined[key] }

    func remember(_ alias: String, forKey key: String) { joined[key] = alias }
}

/// An object in a query: the SQL of its key, and the way to reach its row.
struct QueryObject {
    /// The number of its declared entity.
    var entity: Int
    /// The SQL of its primary key.
    var key: String
    /// The alias of its row, if the FROM clause already contains the row.
    var alias: String?
    /// The FROM clause to which its row can be joined.
    var scope: QueryScope
    /// Whether the object is a member of a collection. In a collection, a key without a row is not an object.
    var isMember = false
    /// Whether the key can be NULL.
    var isOptional = false
    /// The aliases of the rows that may be missing, and must exist for the key to have a value.
    var optionalRows: Set<String> = []
    /// The path to the object, for messages.
    var path: String
    /// The condition on its row that makes it an object of its entity, for an object that may belong to another one.
    var cast: String?
    /// Whether objects of sub-entities of its entity are missing.
    var isExact = false
}

/// A to-many relationship of an object, and the rest of the path after it.
struct QueryCollection {
    enum Step {
        case key(String)
        case filter(variable: String, predicate: PredicateTree, context: QueryContext)
    }

    var base: QueryObject
    var relationship: CompiledRelationship
    var storage: StoreLayout.ToMany
    var steps: [Step] = []
    /// The path to the relationship.
    var memberPath: String
    /// The path including the keys after the relationship.
    var path: String
    var entity: String

    var hasKeys: Bool { steps.contains { if case .key = $0 { true } else { false } } }

    func adding(_ step: Step, path: String? = nil) -> QueryCollection {
        var result = self
        result.steps.append(step)
        if let path { result.path = path }
        return result
    }
}

/// A compiled expression of a predicate.
enum QueryOperand {
    case constant(AttributeValue)
    case list([QueryOperand])
    case scalar(QueryScalar)
    case object(QueryObject)
    /// A composite attribute, or a composite element of one, by its name.
    case composite(QueryObject, String)
    case collection(QueryCollection)
    case count(QueryCollection)
    case aggregate(QueryAggregate, QueryCollection)

    var isConstant: Bool { if case .constant = self { true } else { false } }
    var isNull: Bool { if case .constant(.null) = self { true } else { false } }
}

/// The objects to which the names in a predicate refer.
struct QueryContext {
    var object: QueryObject
    var variables: [String: QueryOperand] = [:]
}
