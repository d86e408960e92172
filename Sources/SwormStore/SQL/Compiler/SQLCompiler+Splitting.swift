import SwormPredicates

/// A request whose parts are divided between a statement and an evaluation in memory.
struct SplitRequest: Sendable {
    /// The request for the statement. It has no limit and no offset if rows are tested or sorted in memory, because
    /// these count the rows that remain.
    var fetch: FetchSpecification
    /// The condition that is tested in memory, or nil if the statement tests the whole condition.
    var rest: PredicateTree?
    /// Whether the rows are sorted in memory, by the sort keys of the original request.
    var sortsInMemory = false
    /// The reasons why parts are evaluated in memory.
    var reasons: [NotExact] = []
    /// The parts of the condition all of which must be true, each with the reason why it is tested in memory.
    var conjuncts: [(tree: PredicateTree, reason: NotExact?)] = []
    /// The reason why the rows are sorted in memory.
    var sortReason: NotExact?

    /// Whether the statement alone has the result of the request.
    var isExact: Bool { rest == nil && !sortsInMemory }
}

extension SQLCompiler {
    /// Divides a request into a part for which there is an exact statement, and a part for memory.
    ///
    /// A condition is divided at its ANDs: each conjunct that has an exact form stays in the statement. The order stays
    /// in it if all sort keys have an exact form.
    ///
    /// - Parameter leavesComputations: Whether the conjuncts that compute numbers are left to memory, because the
    ///   statement with them has failed.
    /// - Throws: The errors of invalid requests, but never ``NotExact``.
    func split(_ request: FetchSpecification, leavingComputations leavesComputations: Bool = false) throws
        -> SplitRequest
    {
        var result = SplitRequest(fetch: request)
        if let predicate = request.predicate {
            var (exact, rest): ([PredicateTree], [PredicateTree]) = ([], [])
            for conjunct in Self.conjuncts(of: predicate) {
                do {
                    if leavesComputations, conjunct.computesNumbers {
                        throw NotExact(.outOfRange, path: "a number", entity: model[request.entity].name)
                    }
                    let query = QueryBuilder(self, entity: request.entity)
                    _ = try query.condition(conjunct, in: QueryContext(object: query.root), exact: false)
                    exact.append(conjunct)
                    result.conjuncts.append((conjunct, nil))
                } catch let error as NotExact {
                    try check(request.entity) {
                        _ = try $0.condition(conjunct, in: QueryContext(object: $0.root), exact: false)
                    }
                    rest.append(conjunct)
                    result.conjuncts.append((conjunct, error))
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
            try check(request.entity) { try $0.restrict(to: order) }
            result.sortsInMemory = true
            result.fetch.sorts = []
            result.sortReason = error
            result.reasons.append(error)
        }
        if !result.isExact { (result.fetch.limit, result.fetch.offset) = (0, 0) }
        return result
    }

    /// Compiles a part of a request that has no exact form, so that a later error in the same part is found. In
    /// a file's dialect every part has a form.
    private func check(_ entity: Int, _ body: (QueryBuilder) throws -> Void) throws {
        let compiler = SQLCompiler(model: model, layout: layout, storeIdentifier: storeIdentifier)
        let query = QueryBuilder(compiler, entity: entity)
        query.isCheck = true
        try body(query)
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
