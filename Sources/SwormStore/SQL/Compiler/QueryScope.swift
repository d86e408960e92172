import SwormPredicates

/// The FROM clause of one SELECT while it is being made. It grows as paths need the rows of further objects.
final class QueryScope {
    private var clauses: [String] = []
    private var joined: [String: String] = [:]

    /// The alias of the first table.
    var firstAlias: String?

    var isEmpty: Bool { clauses.isEmpty }
    /// Whether there are rows of more than one table.
    var hasJoins: Bool { clauses.count > 1 }
    var text: String { clauses.joined(separator: " ") }

    func add(_ clause: String) { clauses.append(clause) }

    /// The alias under which the row of a key was joined before.
    func alias(forKey key: String) -> String? { joined[key] }

    func remember(_ alias: String, forKey key: String) { joined[key] = alias }
}

/// An object in a query: where its key stands, and how to get at its row.
struct QueryObject {
    /// The number of the entity that it is declared to be.
    var entity: Int
    /// The SQL of its primary key.
    var key: String
    /// The alias of its row, where the row is in the FROM clause already.
    var alias: String?
    /// The FROM clause to which its row can be joined.
    var scope: QueryScope
    /// Whether it is a member of a collection. There a key without a row is no object.
    var isMember = false
    /// Whether the key can be NULL.
    var isOptional = false
    /// The aliases of the rows that may be missing, and must be there for the key to be one.
    var optionalRows: Set<String> = []
    /// The path that led here, for messages.
    var path: String
}

/// A plain value in a query.
struct QueryScalar {
    var sql: String
    /// The bare column, where the value is made from it.
    var column: String?
    /// The aliases of the rows that may be missing, and must be there for the column to have a value: the rows of to-one
    /// relationships.
    var optionalRows: Set<String> = []
    /// Nil where a value can be tested for NULL only.
    var kind: ValueKind?
    /// Whether its integers can be so large that to compute with them can leave the integers.
    var isWide = false
    var path: String
    var entity: String
    /// What the attribute is, where `kind` is nil.
    var opaqueName = ""
    /// The value, where it is a constant as it was given.
    var constant: AttributeValue?
    /// Whether the column can hold the name of a file in the place of the data.
    var isExternal = false

    /// The value as the rules of types see it.
    var typed: TypedValue { TypedValue(kind: kind, path: path, entity: entity, constant: constant) }

    var isInteger: Bool { kind == .integer || kind == .boolean }
}

/// A to-many relationship seen from an object, with what follows it in the path.
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
    /// The path with what follows the relationship.
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

/// What an expression of a predicate means in SQL.
enum QueryOperand {
    case constant(AttributeValue)
    case list([QueryOperand])
    case scalar(QueryScalar)
    case object(QueryObject)
    /// A composite attribute, or a part of one that has parts itself, by its name.
    case composite(QueryObject, String)
    case collection(QueryCollection)
    case count(QueryCollection)
    case aggregate(QueryAggregate, QueryCollection)

    var isConstant: Bool { if case .constant = self { true } else { false } }
    var isNull: Bool { if case .constant(.null) = self { true } else { false } }
}

extension QueryScalar {
    /// The rows without which a comparison of the value is not true. Of a computed value that is not said: a function may
    /// make something of NULL.
    var neededRows: Set<String> { column == nil ? [] : optionalRows }
}

/// The collection operators that take a value of each member.
enum QueryAggregate: String {
    case sum = "@sum"
    case minimum = "@min"
    case maximum = "@max"
    case average = "@avg"
}

/// The objects to which the names of a predicate refer.
struct QueryContext {
    var object: QueryObject
    var variables: [String: QueryOperand] = [:]
}
