import SwormPredicates

/// The destinations of a relation to many in the closure form of a condition.
///
/// Use ``any``, ``all`` or ``none`` to compare the rows, or compare their ``count``.
public struct ManyPath<Root: ManagedObjectConvertible, D: ManagedObjectConvertible>: Sendable {
    let operand: Operand

    init(_ operand: Operand) {
        self.operand = operand
    }

    /// At least one of the rows.
    ///
    /// Each use may refer to a different row; use ``contains(where:)`` for several comparisons about the same row.
    public var any: OptionalPath<Root, D> { ranging(.any) }

    /// All of the rows.
    ///
    /// A comparison is also true if there are no rows.
    public var all: OptionalPath<Root, D> { ranging(.all) }

    /// None of the rows.
    public var none: OptionalPath<Root, D> { ranging(.none) }

    /// The number of rows.
    public var count: Term<Root, Int, Int> { Term(operand.key("@count")) }

    /// A condition that there are no rows.
    public var isEmpty: Condition<Root> { count == 0 }

    /// Returns the rows that fulfill a condition.
    ///
    /// The closure can also refer to the outer row: `book.reviews.filter { $0.year == book.year }`.
    public func filter(_ body: (EntityPath<Root, D>) -> Condition<Root>) -> ManyPath {
        let variable = freshVariable()
        let content = body(EntityPath(Operand(.variable(variable)))).content
        var result = operand
        result.failure = operand.failure ?? content.failure
        switch content.body {
        case .tree(let tree):
            result.expression = .subquery(operand.expression, naming: variable, where: tree)
        case .text(let text, _):
            result.failure =
                result.failure ?? StoreError(.invalidCondition, "The condition '\(text)' is not valid.")
        }
        return ManyPath(result)
    }

    /// Returns a condition that at least one row fulfills the condition of the closure.
    public func contains(where body: (EntityPath<Root, D>) -> Condition<Root>) -> Condition<Root> {
        filter(body).count > 0
    }

    /// Returns a condition that the given object is one of the rows.
    public func contains(_ id: ManagedObjectID<D>) -> Condition<Root> {
        any == id
    }

    private func ranging(_ quantifier: Operand.Scope.Quantifier) -> OptionalPath<Root, D> {
        let variable = freshVariable()
        let scope = Operand.Scope(quantifier: quantifier, collection: operand.expression, variable: variable)
        return OptionalPath(
            Operand(.variable(variable), scopes: operand.scopes + [scope], failure: operand.failure))
    }
}
