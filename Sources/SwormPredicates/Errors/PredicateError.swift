import Foundation

/// What is wrong with a predicate: with its text, its arguments, or the values that it met.
package struct PredicateError: LocalizedError, Sendable, CustomStringConvertible {
    /// The kind of fault, stable across releases.
    package struct Code: Sendable, Hashable, CustomStringConvertible {
        package let description: String

        /// The text is not in the language.
        package static let syntax = Code(description: "syntax")
        /// An argument is missing, or is of a kind that cannot stand where it is used.
        package static let argument = Code(description: "argument")
        /// The text is in the language, but asks for something that is not offered.
        package static let unsupported = Code(description: "unsupported")
        /// A key that the object does not have.
        package static let unknownKey = Code(description: "unknownKey")
        /// Operands that the operator cannot take.
        package static let typeMismatch = Code(description: "typeMismatch")
        /// A key that leads to many objects, where one value is needed.
        package static let toMany = Code(description: "toMany")
        /// A variable without a value.
        package static let variable = Code(description: "variable")
        /// A pattern that is no regular expression.
        package static let regularExpression = Code(description: "regularExpression")
        /// The text or the tree is larger or deeper than allowed.
        package static let limit = Code(description: "limit")
    }

    package let code: Code
    package let message: String
    /// Where the fault stands in the format string, counted in characters from 1.
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

    /// What `localizedDescription` says where nobody knows this type.
    package var errorDescription: String? { description }
}

/// The sizes that hold everywhere in this layer. They keep a hostile text from exhausting the stack or the memory.
package enum PredicateLimits {
    /// Bytes of a format string.
    package static let formatSize = 1 << 20
    /// Levels of a parsed tree, and of brackets in its text.
    package static let parsedDepth = 200
    /// Levels of a tree that is handed in ready-made. Chains of AND and OR do not count.
    package static let treeDepth = 300
}
