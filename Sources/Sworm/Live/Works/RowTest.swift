import SwormPredicates

/// The test of single rows against the condition of a request, in memory.
///
/// The type is not generic, because a commit is tested against the conditions of all live requests.
struct RowTest: Sendable {
    private let predicate: PreparedPredicate?

    /// - Returns: Nil if the condition must be evaluated by the store, because it reads more than attributes of the
    ///   table.
    init?<T: ManagedObjectConvertible>(_ condition: ConditionContent?, of type: T.Type) {
        guard let condition else {
            predicate = nil
            return
        }
        guard let tree = try? condition.tree(),
            (try? tree.checkTypes(of: TableTypes(mapping: T.mapping, isPlain: true))) != nil,
            let prepared = try? PreparedPredicate(tree)
        else { return nil }
        // A value of a type with a conversion of its own may be stored differently than it is converted back.
        let mapping = T.mapping
        let isPrimitive = tree.keyPaths.allSatisfy { path in
            guard let index = mapping.index(named: path.joined(separator: ".")) else { return false }
            return mapping.attributes[index].directOffset != nil
        }
        guard isPrimitive else { return nil }
        predicate = prepared
    }

    /// Returns whether a row matches the condition; nil if the store must decide, for example because the condition
    /// compares identities.
    func matches(_ row: any EvaluationSubject) -> Bool? {
        guard let predicate else { return true }
        return try? predicate.matches(row)
    }
}
