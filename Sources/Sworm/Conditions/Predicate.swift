/// A condition without a static entity type.
///
/// The protocol supports code that was written for version 1, and conditions whose text is assembled elsewhere. A
/// ``Condition`` has an entity type and is checked by the compiler. In a file that imports Foundation, write
/// `Sworm.Predicate`.
public protocol Predicate {
    /// The content of the predicate.
    var predicateDescriptor: PredicateDescriptor { get }
}

/// The content of a ``Predicate``.
public struct PredicateDescriptor: Sendable {
    let content: ConditionContent

    /// The text of the predicate, with `%@` instead of values.
    package var query: String { content.format }

    /// The values for the placeholders in the text.
    package var args: [Any] { content.arguments }
}

extension String: Predicate {
    /// The string, interpreted as text in the predicate language.
    public var predicateDescriptor: PredicateDescriptor {
        PredicateDescriptor(content: ConditionContent(format: self, arguments: []))
    }
}

/// A predicate that combines several predicates.
struct UntypedPredicate: Predicate {
    let predicateDescriptor: PredicateDescriptor

    init(_ content: ConditionContent) {
        predicateDescriptor = PredicateDescriptor(content: content)
    }
}
