import SwormPredicates

/// A value for an attribute that each row computes for itself.
struct ComputedValue: Sendable {
    var attribute: CompiledAttribute
    var expression: ExpressionTree
}

extension SQLCompiler {
    /// Returns a statement for the keys of some rows and a value that they compute, in the form in which the column of
    /// the attribute stores it. A number without such a form is left as it is.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - entity: The number of the entity at which the expression starts.
    ///   - keys: A statement for the keys of the rows, without parameters.
    /// - Throws: An error for an expression that is not valid, or of another type than the attribute.
    func computed(_ value: ComputedValue, of entity: Int, withKeys keys: String) throws -> CompiledStatement {
        try computed(value, of: entity) { "\($0.root.key) IN (\(keys))" }
    }

    /// Returns the same statement for the rows with the given keys.
    func computed(_ value: ComputedValue, of entity: Int, among keys: [Int64]) throws -> CompiledStatement {
        try computed(value, of: entity) { dialect.isKey($0.root.key, inArray: keys, in: $0) }
    }

    private func computed(
        _ value: ComputedValue, of entity: Int, where condition: (QueryBuilder) -> String
    ) throws -> CompiledStatement {
        let query = QueryBuilder(self, entity: entity)
        query.isExact = true
        query.conditions = [.atom(condition(query))]
        let operand = try query.operand(value.expression, in: QueryContext(object: query.root))
        let scalar = try query.scalar(operand)
        try check(scalar, isNull: operand.isNull, for: value.attribute)
        let stored = try dialect.stored(
            "v", of: scalar, as: value.attribute.type, storesSeconds: storesSeconds(value.attribute))
        let inner = query.statement(selecting: "\(query.root.key) AS k, \(try dialect.column(scalar)) AS v")
        return CompiledStatement(
            sql: "SELECT k, \(stored) AS v FROM \(dialect.table(selecting: inner.sql))", bindings: inner.bindings)
    }

    /// Returns whether the dates of an attribute are stored as seconds in a layout with columns of dates.
    private func storesSeconds(_ attribute: CompiledAttribute) -> Bool {
        guard case .attribute(let slot) = model[attribute.owner].slot(named: attribute.name) else { return false }
        return layout.storesSeconds(slot, of: attribute.owner)
    }

    private func check(_ scalar: QueryScalar, isNull: Bool, for attribute: CompiledAttribute) throws {
        if isNull { return }
        let kind = attribute.allowsExternalStorage ? nil : attribute.type.valueKind
        guard let kind else {
            throw QueryError(.unsupported, "\(attribute.type.summary) of '\(attribute.name)' cannot be computed")
        }
        let fits =
            switch (kind, scalar.kind) {
            case (_, nil): false
            case (_, let found?) where kind.isNumber: found.isNumber
            case (_, let found?) where kind.isText: found.isText
            case (_, let found?): found == kind
            }
        guard fits else {
            let found = scalar.kind?.name ?? scalar.opaqueName
            throw QueryError.typeMismatch(
                "\(kind.name) is needed for '\(attribute.name)', not \(found)", path: scalar.path, entity: scalar.entity
            )
        }
    }
}
