package import SwormPredicates

/// What the objects of an entity must fulfil.
///
/// Conditions come from operators on key paths, from the closure form, from text, or from Foundation's `#Predicate`:
///
/// ```swift
/// Book.all.where { $0.author.name == "Leo" && $0.year > 1800 }
/// Book.all.where(\.year > 1800 && \.title != "")
/// Book.all.where(Condition(format: "title BEGINSWITH[c] %@", prefix))
/// Book.all.where(#Predicate { $0.year > 1800 && $0.rating != 5 })
/// ```
/// They compare as SQL does: a comparison with a missing value is neither true nor false, so its object is left out,
/// also under `!`. Compare with `nil` itself to find missing values. Only a `#Predicate` keeps Swift's meaning of nil.
///
/// A condition that cannot be understood carries its error, which is thrown when a request runs; see ``validate()``.
public struct Condition<PlainObject: ManagedObjectConvertible>: Sendable {
    @usableFromInline let content: ConditionContent

    @usableFromInline
    init(_ content: ConditionContent) {
        self.content = content
    }

    /// A condition from a tree.
    package init(tree: PredicateTree) {
        content = ConditionContent(tree)
    }

    /// A condition from text in the predicate language.
    ///
    /// Give values as arguments, never as parts of the text: `Condition(format: "name == %@", name)`. An argument
    /// may be a value of any attribute type, an array or set of such values, a ``ManagedObjectID``, or nil; for `%K` it
    /// is the name of an attribute or a path of names.
    ///
    /// - Parameters:
    ///   - format: The text. It is not checked against the entity before a request runs.
    ///   - arguments: The values for `%@` and `%K`, in their order.
    public init(format: String, _ arguments: Any?...) {
        content = ConditionContent(format: format, arguments: arguments)
    }

    /// Checks that the condition was understood.
    ///
    /// - Throws: The ``StoreError`` that a request with this condition would throw before it runs.
    public func validate() throws {
        _ = try content.tree()
    }

    /// What a store works with.
    package func tree() throws(StoreError) -> PredicateTree {
        try content.tree()
    }

    /// The error that the condition carries, if it was not understood.
    package var failure: StoreError? { content.failure }

    /// The condition as text in the predicate language, with `%@` in the place of values.
    public var format: String { content.format }

    /// The values for the places in ``format``: Foundation's values, with `NSNull` for nil and arrays for lists.
    public var arguments: [Any] { content.arguments }
}

extension Condition: ExpressibleByStringLiteral {
    /// A condition from text without arguments.
    public init(stringLiteral value: StaticString) {
        content = ConditionContent(format: "\(value)", arguments: [])
    }
}

extension Condition {
    /// The condition that a closure makes. Unlike key paths, it can lead through relations.
    ///
    /// ```swift
    /// let isByLeo = Condition<Book> { $0.author.name == "Leo" }
    /// ```
    /// - Parameter make: Gets the row; its members are the attributes and relations. It is called once, at once.
    public init(_ make: (EntityPath<PlainObject, PlainObject>) -> Condition<PlainObject>) { self = make(.root) }
}

extension Condition: CustomStringConvertible {
    /// The text with its values, for people.
    public var description: String {
        let arguments = content.arguments
        return arguments.isEmpty ? format : "\(format) \(arguments.map { excerpt($0) })"
    }
}
