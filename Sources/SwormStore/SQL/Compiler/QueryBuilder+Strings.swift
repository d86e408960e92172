import Foundation
import SwormPredicates

extension QueryBuilder {
    /// Compiles CONTAINS, BEGINSWITH, ENDSWITH, LIKE and MATCHES.
    func search(
        _ left: QueryOperand, by comparator: QueryComparator, for right: QueryOperand, options: ComparisonOptions,
        exact: Bool
    ) throws -> QueryCondition {
        if left.isNull || right.isNull { return unknown(exact: exact) }
        let text = try scalar(left)
        try requireText(text)
        if case .constant(let value) = right {
            try text.typed.checkText(searchedFor: TypedValue(value))
            if let string = value.string {
                if comparator == .matches { try checkRegularExpression(string, options: options, for: text) }
                return try dialect.search(
                    text, by: comparator, forConstant: string, options: options, exact: exact, in: self)
            }
        }
        let pattern = try scalar(right)
        try requireText(pattern)
        return .atom(try dialect.search(text, by: comparator, for: pattern, options: options, in: self))
    }

    private func requireText(_ scalar: QueryScalar) throws {
        _ = try kind(of: scalar)
        try scalar.typed.checkText()
    }

    private func checkRegularExpression(
        _ pattern: String, options: ComparisonOptions, for text: QueryScalar
    ) throws {
        do {
            _ = try RegularExpressionPattern(pattern, options: options)
        } catch {
            throw QueryError(
                .regularExpression,
                "\(text.path) of \(text.entity): '\(pattern.prefix(200))' is not a regular expression", cause: error)
        }
    }
}
