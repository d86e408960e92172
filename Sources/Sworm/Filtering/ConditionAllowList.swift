import SwormPredicates

/// The attributes and relations that conditions from outside may ask about.
///
/// A condition that a client sends can ask about anything that the model has, and so find out what its user must not know.
/// Check it before it runs:
///
/// ```swift
/// let allowed = ConditionAllowList()
///     .allowing(Book.self, \.title, \.year).allowing(Book.self, relations: \.author)
///     .allowing(Author.self, \.name)
/// let condition = try JSONDecoder().decode(Condition<Book>.self, from: body)
/// try condition.check(against: allowed)
/// ```
/// What is not named is refused, and so is every expression of which it is not known whose attributes it asks for. Objects
/// that may be reached may also be compared with each other, with nil and with ids.
///
/// So that a condition cannot keep the server busy, regular expressions are refused, whose running time has no bound, and
/// so are conditions of more than ``maximumSize`` parts, with loops nested deeper than ``maximumNesting``, or with searches
/// for strings of more than ``maximumSearchSize`` bytes. What is left still reads every object that it is asked of: give the
/// request a limit.
public struct ConditionAllowList: Sendable {
    private var members: [String: [String: AllowedMember]] = [:]
    private var tableFailure: StoreError?

    /// How many comparisons, names, values and operators a condition may have in all. A list counts with its values.
    public var maximumSize = 1_000

    /// How many collections a condition may go through, one inside another.
    ///
    /// Each level multiplies the time by the number of members. `ANY author.books.title == "War"` is one level, and
    /// `ANY author.books.reviews.mark > 3` is two, as is a `SUBQUERY` in a `SUBQUERY`.
    public var maximumNesting = 2

    /// How many bytes of UTF-8 the condition's own strings may have in one search: `CONTAINS`, `BEGINSWITH`, `ENDSWITH` and
    /// `LIKE`, and `IN` with a string.
    ///
    /// The time of a `LIKE` grows with the product of the lengths of its pattern and of each string that is searched.
    public var maximumSearchSize = 1_000

    /// Whether a condition may have regular expressions (`MATCHES`).
    public var allowsRegularExpressions = false

    /// A list that allows nothing.
    public init() {}

    /// The list with some attributes of an entity added.
    ///
    /// A key path that is not in the table makes every check fail.
    public func allowing<T>(_ type: T.Type, _ attributes: PartialKeyPath<T>...) -> ConditionAllowList
    where T: ManagedObjectConvertible {
        var result = self
        for attribute in attributes {
            do {
                let plan = try T.plan.attribute(attribute)
                result.add(AllowedMember(plan), plan.name, of: T.entityName)
            } catch {
                result.tableFailure = result.tableFailure ?? error
            }
        }
        return result
    }

    /// The list with some relations of an entity added. What lies behind them has to be allowed by itself.
    ///
    /// A key path that leads to no relation makes every check fail.
    public func allowing<T>(_ type: T.Type, relations: PartialKeyPath<T.Relations>...) -> ConditionAllowList
    where T: ManagedObjectConvertible {
        var result = self
        for keyPath in relations {
            guard let relation = T.relations[keyPath: keyPath] as? any Relation else {
                let message =
                    "\(T.entityName): \(keyPathName(keyPath).text) is no relation, so a condition cannot be allowed to follow it."
                result.tableFailure =
                    result.tableFailure ?? StoreError(.unknownKeyPath, message, entity: T.entityName)
                continue
            }
            result.add(AllowedMember(relation), relation.name, of: T.entityName)
        }
        return result
    }

    private mutating func add(_ member: AllowedMember, _ name: String, of entity: String) {
        members[entity, default: [:]][name, default: AllowedMember()].formUnion(member)
        // An element is also reached key by key, through parts that are like entities of their own. No entity's name has a
        // dot in it.
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

    /// The names that are allowed of an entity, for messages.
    func names(of entity: String) -> [String] {
        (members[entity] ?? [:]).filter { !$0.value.isPart }.keys.sorted()
    }

    /// Throws for a list that names something that is not in a table.
    func validate() throws {
        if let tableFailure { throw tableFailure }
    }
}

/// What an allowed name leads to. Several types can share an entity, so this is what it is for any of them.
struct AllowedMember: Sendable {
    private(set) var entities: Set<String> = []
    private(set) var isToMany = false
    private(set) var isText = false
    private(set) var isOtherValue = false
    /// Whether it is a composite attribute, of which some elements are allowed and the whole is not.
    private(set) var isPart = false

    fileprivate init() {}

    fileprivate init(part: String) {
        entities = [part]
        isPart = true
    }

    fileprivate init(_ attribute: AttributePlan) {
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
    /// Checks that the condition asks about nothing but what is allowed.
    ///
    /// - Parameter allowed: The attributes and relations that it may ask about.
    /// - Throws: A ``StoreError`` with the code `conditionNotAllowed` that names the entity and what was refused, the error
    ///   that the condition carries if it was not understood, and `unknownKeyPath` where the list itself is wrong.
    public func check(against allowed: ConditionAllowList) throws {
        let tree = try tree()
        try allowed.validate()
        var check = AllowListCheck(allowed, PlainObject.entityName)
        try check.visit(tree)
    }
}

extension StoreError.Code {
    /// A condition asks about something that is not on the list of what it may ask about.
    public static let conditionNotAllowed = Self("conditionNotAllowed")
}

extension ExpectedStoreErrors where Self == StoreError.Code {
    /// An error with the code ``StoreError/Code/conditionNotAllowed``.
    @_disfavoredOverload
    public static var conditionNotAllowed: StoreError { Self.conditionNotAllowed.expected }
}
