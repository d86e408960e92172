public import Foundation

/// An expression: a key path, a constant, a function, or a collection of values.
///
/// Foundation has the class on every platform, and marks it as deprecated on Linux, where its own initializers end the program.
/// This name means the same class, with the initializers that work. A file that imports Foundation before this module still
/// sees the deprecation, as a warning.
public typealias NSExpression = _FoundationNames.Expression

/// A comparison of two expressions.
///
/// Foundation has the class on every platform, and marks it as deprecated on Linux, where its own initializers end the program.
/// This name means the same class, with the initializer that works. A file that imports Foundation before this module still
/// sees the deprecation, as a warning.
public typealias NSComparisonPredicate = _FoundationNames.Comparison

/// Types for ``_FoundationNames``.
public protocol _FoundationNaming {
    associatedtype Expression
    associatedtype ExpressionType
    associatedtype Comparison
    associatedtype Modifier
    associatedtype Operator
    associatedtype Options
    static func _name(
        _: Expression, _: ExpressionType, _: Comparison, _: Modifier, _: Operator, _: Options)
}

/// Names for classes that Foundation marks as deprecated on this platform. The types are inferred from a method that is never
/// called, so that no other declaration names the classes themselves.
public enum _FoundationNames: _FoundationNaming {
    /// Takes part in the inference of the types.
    @available(*, deprecated)
    public static func _name(
        _: Foundation.NSExpression, _: Foundation.NSExpression.ExpressionType, _: Foundation.NSComparisonPredicate,
        _: Foundation.NSComparisonPredicate.Modifier, _: Foundation.NSComparisonPredicate.Operator,
        _: Foundation.NSComparisonPredicate.Options
    ) {}
}
