/// Something that can stand for a condition without saying of which entity.
///
/// It is there for sources written for version 1, and for text that is put together elsewhere. A ``Condition`` says
/// more and is checked by the compiler. In a file that imports Foundation, write `Sworm.Predicate`.
public protocol Predicate {
    /// What the predicate says.
    var predicateDescriptor: PredicateDescriptor { get }
}

/// What a ``Predicate`` says.
public struct PredicateDescriptor: Sendable {
    let content: ConditionContent

    /// The text, with `%@` in the place of values.
    package var query: String { content.format }

    /// The values for the places in the text.
    package var args: [Any] { content.arguments }
}

extension String: Predicate {
    /// The string as text in the predicate language.
    public var predicateDescriptor: PredicateDescriptor {
        PredicateDescriptor(content: ConditionContent(format: self, arguments: []))
    }
}

/// A predicate that is put together from others.
struct UntypedPredicate: Predicate {
    let predicateDescriptor: PredicateDescriptor

    init(_ content: ConditionContent) {
        predicateDescriptor = PredicateDescriptor(content: content)
    }
}
