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

/// A plain value in a query.
struct QueryScalar {
    var sql: String
    /// The bare column, if the value is computed from one.
    var column: String?
    /// The aliases of the rows that may be missing, and must exist for the column to have a value: the rows of to-one
    /// relationships.
    var optionalRows: Set<String> = []
    /// The kind of the value, or nil if the value can only be tested for NULL.
    var kind: ValueKind?
    /// Whether its integers can be so large that arithmetic on them can overflow.
    var isWide = false
    var path: String
    var entity: String
    /// The name of the attribute's type, if `kind` is nil.
    var opaqueName = ""
    /// The value, if it is a literal constant.
    var constant: AttributeValue?
    /// Whether the column can hold a file name instead of the data.
    var isExternal = false

    /// The value as the type checker sees it.
    var typed: TypedValue { TypedValue(kind: kind, path: path, entity: entity, constant: constant) }

    var isInteger: Bool { kind == .integer || kind == .boolean }
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

extension QueryScalar {
    /// The rows that must exist for a comparison of the value to be true. Empty for a computed value, because a
    /// function may turn NULL into a value.
    var neededRows: Set<String> { column == nil ? [] : optionalRows }
}

/// The collection operators that use a value of each member.
enum QueryAggregate: String {
    case sum = "@sum"
    case minimum = "@min"
    case maximum = "@max"
    case average = "@avg"
}

/// The objects to which the names in a predicate refer.
struct QueryContext {
    var object: QueryObject
    var variables: [String: QueryOperand] = [:]
}
