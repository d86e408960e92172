// The names that exist only for programs that were written for Sworm 1.x.

/// A condition without a static entity type.
///
/// The protocol supports code that was written for version 1, and conditions whose text is assembled elsewhere. A
/// ``Condition`` has an entity type and is checked by the compiler. In a file that imports Foundation, write
/// `Sworm.Predicate`.
@available(*, deprecated, message: "a Condition is checked by the compiler; for a string, use Condition(format:)")
public protocol Predicate {
    /// The content of the predicate.
    var predicateDescriptor: PredicateDescriptor { get }
}

/// The content of a ``Predicate``.
@available(*, deprecated, message: "a Condition is checked by the compiler; for a string, use Condition(format:)")
public struct PredicateDescriptor: Sendable {
    let content: ConditionContent

    /// The text of the predicate, with `%@` instead of values.
    package var query: String { content.format }

    /// The values for the placeholders in the text.
    package var args: [Any] { content.arguments }
}

@available(*, deprecated, message: "a Condition is checked by the compiler; for a string, use Condition(format:)")
extension String: Predicate {
    /// The string, interpreted as text in the predicate language.
    public var predicateDescriptor: PredicateDescriptor {
        PredicateDescriptor(content: ConditionContent(format: self, arguments: []))
    }
}

/// A predicate that combines several predicates.
@available(*, deprecated, message: "a Condition is checked by the compiler; for a string, use Condition(format:)")
private struct UntypedPredicate: Predicate {
    let predicateDescriptor: PredicateDescriptor

    init(_ content: ConditionContent) {
        predicateDescriptor = PredicateDescriptor(content: content)
    }
}

@available(*, deprecated, message: "a Condition is checked by the compiler; for a string, use Condition(format:)")
extension Query {
    /// Returns a predicate that the given one does not hold.
    @_disfavoredOverload
    public static func not(_ original: any Predicate) -> any Predicate {
        UntypedPredicate(.not(original.predicateDescriptor.content))
    }

    /// Returns a predicate that both predicates hold.
    @_disfavoredOverload
    public static func and(_ left: any Predicate, _ right: any Predicate) -> any Predicate {
        UntypedPredicate(.and(left.predicateDescriptor.content, right.predicateDescriptor.content))
    }

    /// Returns a predicate that both predicates hold.
    @_disfavoredOverload
    public static func and<PlainObject>(_ left: Condition<PlainObject>, _ right: any Predicate) -> any Predicate {
        UntypedPredicate(.and(left.content, right.predicateDescriptor.content))
    }

    /// Returns a predicate that both predicates hold.
    @_disfavoredOverload
    public static func and<PlainObject>(_ left: any Predicate, _ right: Condition<PlainObject>) -> any Predicate {
        UntypedPredicate(.and(left.predicateDescriptor.content, right.content))
    }

    /// Returns a predicate that at least one of the predicates holds.
    @_disfavoredOverload
    public static func or(_ left: any Predicate, _ right: any Predicate) -> any Predicate {
        UntypedPredicate(.or(left.predicateDescriptor.content, right.predicateDescriptor.content))
    }

    /// Returns a predicate that at least one of the predicates holds.
    @_disfavoredOverload
    public static func or<PlainObject>(_ left: Condition<PlainObject>, _ right: any Predicate) -> any Predicate {
        UntypedPredicate(.or(left.content, right.predicateDescriptor.content))
    }

    /// Returns a predicate that at least one of the predicates holds.
    @_disfavoredOverload
    public static func or<PlainObject>(_ left: any Predicate, _ right: Condition<PlainObject>) -> any Predicate {
        UntypedPredicate(.or(left.predicateDescriptor.content, right.content))
    }
}

// MARK: Operators

// One side may be untyped, but never both. With operators for two untyped sides, and `String` as one of the untyped
// types, the compiler takes ten times as long for every unrelated Bool expression in a file that imports this module.

/// Returns a predicate that both predicates hold.
@_disfavoredOverload
@available(*, deprecated, message: "a Condition is checked by the compiler; for a string, use Condition(format:)")
public func && <PlainObject>(left: Condition<PlainObject>, right: any Predicate) -> any Predicate {
    Query.and(left, right)
}

/// Returns a predicate that both predicates hold.
@_disfavoredOverload
@available(*, deprecated, message: "a Condition is checked by the compiler; for a string, use Condition(format:)")
public func && <PlainObject>(left: any Predicate, right: Condition<PlainObject>) -> any Predicate {
    Query.and(left, right)
}

/// Returns a predicate that at least one of the predicates holds.
@_disfavoredOverload
@available(*, deprecated, message: "a Condition is checked by the compiler; for a string, use Condition(format:)")
public func || <PlainObject>(left: Condition<PlainObject>, right: any Predicate) -> any Predicate {
    Query.or(left, right)
}

/// Returns a predicate that at least one of the predicates holds.
@_disfavoredOverload
@available(*, deprecated, message: "a Condition is checked by the compiler; for a string, use Condition(format:)")
public func || <PlainObject>(left: any Predicate, right: Condition<PlainObject>) -> any Predicate {
    Query.or(left, right)
}

extension Request {
    /// Returns a request for the objects that also fulfill a predicate whose entity is unknown.
    @_disfavoredOverload
    @available(
        *, deprecated,
        message:
            "the predicate may be for another entity, or from an untrusted string: use a `Condition`, or `Condition(format:)`"
    )
    public func `where`(_ predicate: any Predicate) -> Request {
        self.where(Condition(predicate.predicateDescriptor.content))
    }
}

// MARK: Errors

extension ManagedObjectContext {
    /// An error of a context. It is never thrown: a context throws ``StoreError``.
    @available(*, deprecated, renamed: "StoreError")
    public enum Error: Swift.Error, Sendable {
        /// The model has no entity with that name.
        case unknownEntity(String)
    }
}

extension PersistentContainer {
    /// An error of a container. It is never thrown: a container throws ``StoreError``.
    @available(*, deprecated, renamed: "StoreError")
    public enum Error: Swift.Error, Sendable {
        /// There was nothing to return.
        case noResult
    }
}
