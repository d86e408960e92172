import SwormPredicates

/// A list of the attributes and relations that untrusted conditions may access.
///
/// A condition that a client sends can access everything in the model, and so reveal data that its user must not see.
/// Check it before it runs:
///
/// ```swift
/// let allowed = ConditionAllowList()
///     .allowing(Book.self, \.title, \.year).allowing(Book.self, relations: \.author)
///     .allowing(Author.self, \.name)
/// let condition = try JSONDecoder().decode(Condition<Book>.self, from: body)
/// try condition.check(against: allowed)
/// ```
/// Everything that is not listed is rejected, and so is every expression for which the accessed attributes are not
/// known. Objects that can be reached may also be compared with each other, with nil and with ids.
///
/// To keep a condition from occupying the server, regular expressions are rejected, because their running time is
/// unbounded. Also rejected are conditions with more than ``maximumSize`` parts, with loops nested deeper than
/// ``maximumNesting``, or with searches for strings of more than ``maximumSearchSize`` bytes. A condition that passes
/// may still read every object of the request: give the request a limit.
public struct ConditionAllowList: Sendable {
    private var members: [String: [String: AllowedMember]] = [:]
    private var tableFailure: StoreError?

    /// The maximum number of comparisons, names, values and operators in a condition. Each value of a list counts.
    public var maximumSize = 1_000

    /// The maximum number of collections that a condition may traverse, one inside another.
    ///
    /// Each level multiplies the time by the number of members. `ANY author.books.title == "War"` is one level, and
    /// `ANY author.books.reviews.mark > 3` is two, as is a `SUBQUERY` in a `SUBQUERY`.
    public var maximumNesting = 2

    /// The maximum size of the condition's own strings in one search, in bytes of UTF-8. Searches are `CONTAINS`,
    /// `BEGINSWITH`, `ENDSWITH` and `LIKE`, and `IN` with a string.
    ///
    /// The time of a `LIKE` grows with the product of the lengths of its pattern and of each string that is searched.
    public var maximumSearchSize = 1_000

    /// Whether a condition may contain regular expressions (`MATCHES`).
    public var allowsRegularExpressions = false

    /// Creates a list that allows nothing.
    public init() {}

    /// Returns the list with attributes of an entity added. A composite attribute adds all of its elements.
    ///
    /// A key path that is not in the table makes every check fail.
    public func allowing<T>(_ type: T.Type, _ attributes: PartialKeyPath<T>...) -> ConditionAllowList
    where T: ManagedObjectConvertible {
        var result = self
        result.addCasts(to: T.mapping)
        for attribute in attributes {
            do {
                for index in try T.mapping.indices(of: attribute) {
                    let found = T.mapping.attributes[index]
                    result.add(AllowedMember(found), named: found.name, of: T.entityName)
                }
            } catch {
                result.tableFailure = result.tableFailure ?? error
            }
        }
        return result
    }

    /// Returns the list with relations of an entity added. The attributes of their destinations have to be allowed
    /// separately.
    ///
    /// A key path that does not refer to a relation makes every check fail.
    public func allowing<T>(_ type: T.Type, relations: PartialKeyPath<T.Relations>...) -> ConditionAllowList
    where T: ManagedObjectConvertible {
        var result = self
        result.addCasts(to: T.mapping)
        for keyPath in relations {
            guard let relation = T.relations[keyPath: keyPath] as? any Relation else {
                let message =
                    "\(T.entityName): \(keyPathName(keyPath).text) is not a relation, so a condition cannot follow it."
                result.tableFailure =
                    result.tableFailure ?? StoreError(.unknownKeyPath, message, entity: T.entityName)
                continue
            }
            result.add(AllowedMember(relation), named: relation.name, of: T.entityName)
        }
        return result
    }

    /// Allows the step from the super-entities of a type to the type, whose properties are allowed.
    private mutating func addCasts(to mapping: any AnyEntityMapping) {
        for above in mapping.superentities {
            add(
                AllowedMember(part: mapping.entityName), named: mapping.castKey, of: above.entityName
            )
        }
    }

    private mutating func add(_ member: AllowedMember, named name: String, of entity: String) {
        members[entity, default: [:]][name, default: AllowedMember()].formUnion(member)
        // An element can also be reached key by key, through parts that are treated as separate entities. The name of
        // an entity contains no dot, so that the names cannot collide.
        let keys = name.split(separator: ".").map(String.init)
        guard keys.count > 1, let last = keys.last else { return }
        var owner = entity
        for key in keys.dropLast() {
            let part = owner + "." + key
            members[owner, default: [:]][key, default: AllowedMember()].formUnion(AllowedMember(part: part))
            owner = part
        }
        members[owner, default: [:]][last, default: AllowedMember()].formUnion(member)
    }

    func member(_ key: String, of entity: String) -> AllowedMember? { members[entity]?[key] }

    /// Returns the names that are allowed for an entity, for use in messages.
    func names(of entity: String) -> [String] {
        (members[entity] ?? [:]).filter { !$0.value.isPart }.keys.sorted()
    }

    /// Throws an error if the list contains a key path that is not in a table.
    func validate() throws {
        if let tableFailure { throw tableFailure }
    }
}

/// The meaning of an allowed name. Several types can share an entity, so that it combines the meanings for all of them.
struct AllowedMember: Sendable {
    private(set) var entities: Set<String> = []
    private(set) var isToMany = false
    private(set) var isText = false
    private(set) var isOtherValue = false
    /// Whether the name is a composite attribute of which some elements are allowed, but not the whole.
    private(set) var isPart = false

    fileprivate init() {}

    fileprivate init(part: String) {
        entities = [part]
        isPart = true
    }

    fileprivate init(_ attribute: AttributeMapping) {
        isText = attribute.kind == .string || attribute.kind == .url
        isOtherValue = !isText
    }

    fileprivate init(_ relation: some Relation) {
        entities = [relation.destinationEntity]
        isToMany = type(of: relation).kind != .toOne
    }

    fileprivate mutating func formUnion(_ other: AllowedMember) {
        entities.formUnion(other.entities)
        isToMany = isToMany || other.isToMany
        isText = isText || other.isText
        isOtherValue = isOtherValue || other.isOtherValue
        isPart = isPart || other.isPart
    }
}

extension Relation {
    fileprivate var destinationEntity: String { Destination.entityName }
}

extension Condition {
    /// Checks that the condition only accesses allowed names.
    ///
    /// - Parameter allowed: The attributes and relations that the condition may access.
    /// - Throws: A ``StoreError`` with the code `conditionNotAllowed` that names the entity and the rejected part, the
    ///   error that an invalid condition carries, and `unknownKeyPath` if the list itself is invalid.
    public func check(against allowed: ConditionAllowList) throws {
        let tree = try tree()
        try allowed.validate()
        var check = AllowListCheck(allowed, root: PlainObject.entityName)
        try check.visit(tree)
    }
}

extension StoreError.Code {
    /// A condition accesses something that the allow list does not contain.
    public static let conditionNotAllowed = Self("conditionNotAllowed")
}

extension ExpectedStoreErrors where Self == StoreError.Code {
    /// An error with the code ``StoreError/Code/conditionNotAllowed``.
    @_disfavoredOverload
    public static var conditionNotAllowed: StoreError { Self.conditionNotAllowed.expected }
}
