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
/// What is not named is refused, and so are regular expressions, whose running time has no bound, and conditions of more
/// than ``maximumSize`` parts.
public struct ConditionAllowList: Sendable {
    private var keys: [String: Set<String>] = [:]
    private var tableFailure: StoreError?

    /// How many comparisons, names, values and operators a condition may have in all. A list counts with its values.
    public var maximumSize = 1_000

    /// Whether a condition may have regular expressions (`MATCHES`).
    public var allowsRegularExpressions = false

    /// A list that allows nothing.
    public init() {}

    /// The list with some attributes of an entity added.
    public func allowing<T>(_ type: T.Type, _ attributes: PartialKeyPath<T>...) -> ConditionAllowList
    where T: ManagedObjectConvertible {
        var result = self
        for attribute in attributes {
            do {
                result.keys[T.entityName, default: []].insert(try T.plan.attribute(attribute).name)
            } catch {
                result.tableFailure = result.tableFailure ?? error
            }
        }
        return result
    }

    /// The list with some relations of an entity added. What lies behind them has to be allowed by itself.
    public func allowing<T>(_ type: T.Type, relations: PartialKeyPath<T.Relations>...) -> ConditionAllowList
    where T: ManagedObjectConvertible {
        var result = self
        for relation in relations {
            guard let relation = T.relations[keyPath: relation] as? any Relation else { continue }
            result.keys[T.entityName, default: []].insert(relation.name)
        }
        return result
    }

    func allows(_ key: String, of entity: String) -> Bool { keys[entity]?.contains(key) ?? false }

    /// The keys of an entity, for messages.
    func names(of entity: String) -> [String] { (keys[entity] ?? []).sorted() }

    /// Throws for a list that names something that is not in a table.
    func validate() throws {
        if let tableFailure { throw tableFailure }
    }
}

extension Condition {
    /// Checks that the condition asks about nothing but what is allowed.
    ///
    /// - Parameter allowed: The attributes and relations that it may ask about.
    /// - Throws: A ``StoreError`` with the code `conditionNotAllowed` that names the entity and what was refused, and the
    ///   error that the condition carries if it was not understood.
    public func check(against allowed: ConditionAllowList) throws {
        let tree = try tree()
        try allowed.validate()
        var check = AllowListCheck(allowed, PlainObject.anyPlan)
        try check.visit(tree)
    }
}

extension StoreError.Code {
    /// A condition asks about something that is not on the list of what it may ask about.
    public static let conditionNotAllowed = Self("conditionNotAllowed")
}
