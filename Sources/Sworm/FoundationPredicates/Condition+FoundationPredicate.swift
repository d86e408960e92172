public import Foundation
import SwormPredicates

extension Condition {
    /// Creates a condition from a Foundation predicate over the plain type.
    ///
    /// ```swift
    /// let old = Condition(#Predicate<Book> { $0.year < 1900 && $0.rating != 1 })
    /// ```
    /// The predicate has the same meaning as in Swift: nil equals nil, and differs from every value. An expression
    /// without a meaning in a store is an error, which is thrown when a request runs; see ``validate()``.
    ///
    /// - Parameter predicate: The predicate. It is translated immediately, and never run.
    public init(_ predicate: Foundation.Predicate<PlainObject>) {
        self.init(predicate.expression, variable: predicate.variable.key, type: RowType(PlainObject.self))
    }

    /// Creates a condition from a Foundation predicate over rows, which also have the relations.
    ///
    /// ```swift
    /// let leos = Condition(#Predicate<Row<Book>> { $0.author?.name == "Leo" })
    /// ```
    /// - Parameter predicate: The predicate. It is translated immediately, and never run.
    public init(_ predicate: Foundation.Predicate<Row<PlainObject>>) {
        self.init(predicate.expression, variable: predicate.variable.key, type: RowType(Row<PlainObject>.self))
    }

    private init(
        _ expression: any PredicateExpression<Bool>, variable: PredicateExpressions.VariableID, type: RowType
    ) {
        var translator = PredicateTranslator(entityName: PlainObject.entityName)
        translator.variables[variable] = .row(.evaluatedObject, type, isOptional: false)
        do {
            let tree = try translator.predicate(expression)
            guard tree.depth(limit: PredicateLimits.treeDepth) != nil else {
                throw translator.issue("it is nested more than \(PredicateLimits.treeDepth) levels deep")
            }
            self.init(ConditionContent(tree))
        } catch {
            self.init(
                ConditionContent(.constant(false), failure: .notTranslated(error, entity: PlainObject.entityName)))
        }
    }
}

extension Request {
    /// Returns the request restricted to objects that also match a Foundation predicate. The predicate is translated,
    /// never run; see ``Condition``.
    ///
    /// ```swift
    /// Book.all.where(#Predicate { $0.year < 1900 && $0.rating != 1 })
    /// ```
    public func `where`(_ predicate: Foundation.Predicate<PlainObject.Entity>) -> Request {
        self.where(Condition(predicate))
    }

    /// Returns the request restricted to objects whose rows also match a Foundation predicate.
    ///
    /// ```swift
    /// Book.all.where(#Predicate<Row<Book>> { $0.author?.name == "Leo" })
    /// ```
    public func `where`(_ predicate: Foundation.Predicate<Row<PlainObject.Entity>>) -> Request {
        self.where(Condition(predicate))
    }
}

extension StoreError {
    /// Returns the error for a Foundation predicate that cannot be translated.
    static func predicate(_ reason: String, entity: String) -> StoreError {
        StoreError(.invalidCondition, "A #Predicate of \(entity) cannot be translated: \(reason).", entity: entity)
    }

    fileprivate static func notTranslated(_ error: any Error, entity: String) -> StoreError {
        error as? StoreError
            ?? StoreError(
                .invalidCondition, "A #Predicate of \(entity) cannot be translated.", entity: entity, cause: error)
    }
}
