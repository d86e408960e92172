import SwormPredicates

/// The rows behind a relation to many in the closure form of a condition.
///
/// Say which of them are meant: ``any``, ``all`` or ``none``, or ask for their ``count``.
public struct ManyPath<Root: ManagedObjectConvertible, D: ManagedObjectConvertible>: Sendable {
    let operand: Operand

    init(_ operand: Operand) {
        self.operand = operand
    }

    /// At least one of the rows. Each use may mean another row; use ``contains(where:)`` to ask several things of one.
    public var any: OptionalPath<Root, D> { ranging(.any) }

    /// Every row; also true when there is none.
    public var all: OptionalPath<Root, D> { ranging(.all) }

    /// None of the rows.
    public var none: OptionalPath<Root, D> { ranging(.none) }

    /// How many rows there are.
    public var count: Term<Root, Int, Int> { Term(operand.key("@count")) }

    /// There are no rows.
    public var isEmpty: Condition<Root> { count == 0 }

    /// The rows that fulfil a condition.
    ///
    /// The outer row can be named in the closure too: `book.reviews.filter { $0.year == book.year }`.
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
                result.failure ?? StoreError(.invalidCondition, "The condition \"\(text)\" has no meaning.")
        }
        return ManyPath(result)
    }

    /// There is a row that fulfils a condition.
    public func contains(where body: (EntityPath<Root, D>) -> Condition<Root>) -> Condition<Root> {
        filter(body).count > 0
    }

    /// This object is among the rows.
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
