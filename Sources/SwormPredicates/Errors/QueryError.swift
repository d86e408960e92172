import Foundation

/// An error of a predicate: in its text, its arguments, or the values that it encounters.
package struct QueryError: LocalizedError, Sendable, CustomStringConvertible {
    /// The kind of error, which is stable across releases.
    package struct Code: Sendable, Hashable, CustomStringConvertible {
        package let description: String

        /// The text does not follow the grammar.
        package static let syntax = Code(description: "syntax")
        /// An argument is missing, or its kind is not allowed in this position.
        package static let argument = Code(description: "argument")
        /// The text is valid, but uses a feature that is not supported.
        package static let unsupported = Code(description: "unsupported")
        /// A key that the object does not have.
        package static let unknownKey = Code(description: "unknownKey")
        /// Operands that the operator does not accept.
        package static let typeMismatch = Code(description: "typeMismatch")
        /// A key of a to-many relationship in a position where a single value is needed.
        package static let toMany = Code(description: "toMany")
        /// A variable without a value.
        package static let variable = Code(description: "variable")
        /// A pattern that is not a regular expression.
        package static let regularExpression = Code(description: "regularExpression")
        /// The text or the tree is larger or deeper than allowed.
        package static let limit = Code(description: "limit")
    }

    package let code: Code
    package let message: String
    /// The column of the error in the format string, counted in characters from 1.
    package let column: Int?
    package let cause: (any Error)?

    package init(_ code: Code, _ message: String, column: Int? = nil, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.column = column
        self.cause = cause
    }

    package var description: String {
        column.map { "\(message) (column \($0))" } ?? message
    }

    /// The description that `localizedDescription` returns to callers that do not know this type.
    package var errorDescription: String? { description }
}

/// The limits that apply everywhere in this layer. They prevent malicious text from exhausting the stack or the
/// memory.
package enum PredicateLimits {
    /// The maximum length of a format string in bytes.
    static let formatSize = 1 << 20
    /// The maximum depth of a parsed tree, and of brackets in its text.
    static let parsedDepth = 200
    /// The maximum depth of a tree that is passed in. Chains of AND and OR count as one level.
    package static let treeDepth = 300
    /// The maximum number of nodes of an expression that is made of other ones. A tree that has a part twice, again and
    /// again, grows beyond all bounds.
    package static let treeSize = 1_000_000
}
