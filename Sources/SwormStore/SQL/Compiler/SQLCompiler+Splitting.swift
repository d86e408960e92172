import SwormPredicates

/// A request whose parts are divided between a statement and an evaluation in memory.
struct SplitRequest: Sendable {
    /// The request for the statement. It has no limit and no offset if rows are tested or sorted in memory, because these
    /// count the rows that remain.
    var fetch: FetchSpecification
    /// The condition that is tested in memory, or nil if the statement tests the whole condition.
    var rest: PredicateTree?
    /// Whether the rows are sorted in memory, by the sort keys of the original request.
    var sortsInMemory = false
    /// The reasons why parts are evaluated in memory.
    var reasons: [NotExact] = []

    /// Whether the statement alone has the result of the request.
    var isExact: Bool { rest == nil && !sortsInMemory }
}

extension SQLCompiler {
    /// Divides a request into a part for which there is an exact statement, and a part for memory.
    ///
    /// A condition is divided at its ANDs: each conjunct that has an exact form stays in the statement. The order stays in it
    /// if all sort keys have an exact form.
    ///
    /// - Throws: The errors of invalid requests, but never ``NotExact``.
    func split(_ request: FetchSpecification) throws -> SplitRequest {
        var result = SplitRequest(fetch: request)
        if let predicate = request.predicate {
            var (exact, rest): ([PredicateTree], [PredicateTree]) = ([], [])
            for conjunct in Self.conjuncts(of: predicate) {
                do {
                    let query = QueryBuilder(self, entity: request.entity)
                    _ = try query.condition(conjunct, in: QueryContext(object: query.root), exact: false)
                    exact.append(conjunct)
                } catch let error as NotExact {
                    rest.append(conjunct)
                    result.reasons.append(error)
                }
            }
            result.fetch.predicate = Self.joined(exact)
            result.rest = Self.joined(rest)
        }
        var order = FetchSpecification(entity: request.entity)
        order.sorts = request.sorts
        do {
            try QueryBuilder(self, entity: request.entity).restrict(to: order)
        } catch let error as NotExact {
            result.sortsInMemory = true
            result.fetch.sorts = []
            result.reasons.append(error)
        }
        if !result.isExact { (result.fetch.limit, result.fetch.offset) = (0, 0) }
        return result
    }

    /// Returns the parts of a condition all of which must be true.
    private static func conjuncts(of predicate: PredicateTree) -> [PredicateTree] {
        var pending = [predicate]
        var result: [PredicateTree] = []
        while let part = pending.popLast() {
            switch part {
            case .and(let parts): pending += parts.reversed()
            // The negation of an OR is true if each alternative is false.
            case .not(.or(let parts)): pending += parts.reversed().map { PredicateTree.not($0) }
            case .not(.not(let inner)): pending.append(inner)
            default: result.append(part)
            }
        }
        return result
    }

    private static func joined(_ parts: [PredicateTree]) -> PredicateTree? {
        parts.count > 1 ? .and(parts) : parts.first
    }
}
