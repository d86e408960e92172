import SwormPredicates

/// A value for an attribute that each row computes for itself.
struct ComputedValue: Sendable {
    var attribute: CompiledAttribute
    var expression: ExpressionTree
}

extension SQLCompiler {
    /// Returns a statement for the keys of some rows and a value that they compute, in the form in which the column of the
    /// attribute stores it. A number without such a form is left as it is.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - entity: The number of the entity at which the expression starts.
    ///   - keys: A statement for the keys of the rows, without parameters.
    /// - Throws: An error for an expression that is not valid, or of another type than the attribute.
    func computed(_ value: ComputedValue, of entity: Int, withKeys keys: String) throws -> CompiledStatement {
        let query = QueryBuilder(self, entity: entity)
        query.isExact = true
        query.conditions = [.atom("\(query.root.key) IN (\(keys))")]
        let operand = try query.operand(value.expression, in: QueryContext(object: query.root))
        let scalar = try query.scalar(operand)
        try check(scalar, isNull: operand.isNull, for: value.attribute)
        let inner = query.statement(selecting: "\(query.root.key) AS k, \(scalar.column ?? scalar.sql) AS v")
        return CompiledStatement(
            sql: "SELECT k, \(Self.stored("v", as: value.attribute.type)) AS v FROM (\(inner.sql))",
            bindings: inner.bindings)
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

    /// The lowest number that is rounded to an infinity as a Float: half a step above the largest one.
    private static let endOfFloats = 3.4028235677973366e38

    /// Returns the SQL of a computed value in the form in which a column stores it.
    private static func stored(_ value: String, as type: AttributeType) -> String {
        switch type {
        case .integer16, .integer32, .integer64:
            // A larger number would become the largest integer.
            "CASE WHEN typeof(\(value)) = 'real' AND abs(\(value)) < 9.2e18 THEN CAST(\(value) AS INTEGER) ELSE \(value) END"
        case .boolean: "(\(value) <> 0)"
        case .double, .date: "CAST(\(value) AS REAL)"
        case .float:
            // A number beyond the range of a Float would become an infinity, and would not be rejected.
            "CASE WHEN abs(CAST(\(value) AS REAL)) < \(endOfFloats) THEN \(QueryBuilder.name(of: .float))(CAST(\(value) AS REAL)) ELSE CAST(\(value) AS REAL) END"
        default: value
        }
    }
}
