package import SwormPredicates

/// A condition on the objects of an entity.
///
/// Create conditions with operators on key paths, with the closure form, from text, or from Foundation's `#Predicate`:
///
/// ```swift
/// Book.all.where { $0.author.name == "Leo" && $0.year > 1800 }
/// Book.all.where(\.year > 1800 && \.title != "")
/// Book.all.where(Condition(format: "title BEGINSWITH[c] %@", prefix))
/// Book.all.where(#Predicate { $0.year > 1800 && $0.rating != 5 })
/// ```
/// Conditions compare values as SQL does: a comparison with a missing value is neither true nor false, so its object is
/// not found, even if you negate the comparison with `!`. To find missing values, compare with `nil`. Only a
/// `#Predicate` has Swift's semantics of nil.
///
/// An invalid condition stores its error, which is thrown when a request runs. See ``validate()``.
public struct Condition<PlainObject: ManagedObjectConvertible>: Sendable {
    @usableFromInline let content: ConditionContent

    @usableFromInline
    init(_ content: ConditionContent) {
        self.content = content
    }

    /// Creates a condition from a tree.
    init(tree: PredicateTree) {
        content = ConditionContent(tree)
    }

    /// Creates a condition from text in the predicate language.
    ///
    /// Pass values as arguments, never as parts of the text: `Condition(format: "name == %@", name)`. An argument may
    /// be a value of any attribute type, an array or set of such values, a ``ManagedObjectID``, or nil. For `%K`, it is
    /// the name of an attribute or a path of names.
    ///
    /// - Parameters:
    ///   - format: The text. It is not checked against the entity until a request runs.
    ///   - arguments: The values for `%@` and `%K`, in order.
    public init(format: String, _ arguments: Any?...) {
        content = ConditionContent(format: format, arguments: arguments)
    }

    /// Throws an error if the condition is invalid.
    ///
    /// - Throws: The ``StoreError`` that a request with this condition would throw before it runs.
    public func validate() throws {
        _ = try content.tree()
    }

    /// Returns the tree that a store evaluates.
    package func tree() throws(StoreError) -> PredicateTree {
        try content.tree()
    }

    /// The error of the condition, or nil if the condition is valid.
    var failure: StoreError? { content.failure }

    /// The condition as text in the predicate language, with `%@` instead of values.
    public var format: String { content.format }

    /// The values for the placeholders in ``format``: Foundation values, with `NSNull` for nil and arrays for lists.
    public var arguments: [Any] { content.arguments }
}

extension Condition: ExpressibleByStringLiteral {
    /// Creates a condition from text without arguments.
    public init(stringLiteral value: StaticString) {
        content = ConditionContent(format: "\(value)", arguments: [])
    }
}

extension Condition: CustomStringConvertible {
    /// The text with its values, meant for people.
    public var description: String {
        let arguments = content.arguments
        return arguments.isEmpty ? format : "\(format) \(arguments.map { excerpt($0) })"
    }
}
