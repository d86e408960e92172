import Foundation

/// The creation of objects of classes that are deprecated. A call of a requirement does not show that.
protocol FoundationSubclassing: SendableMetatype {
    static func expression(_ content: ExpressionContent) -> NSExpression
    static func comparison(_ predicate: FormatPredicate) -> NSComparisonPredicate
}

/// The creation of objects of the subclasses of Foundation's classes.
let foundationSubclasses: any FoundationSubclassing.Type = FoundationSubclasses.self

private enum FoundationSubclasses: FoundationSubclassing {
    @available(*, deprecated)
    static func expression(_ content: ExpressionContent) -> NSExpression { ContentExpression.make(content) }

    @available(*, deprecated)
    static func comparison(_ predicate: FormatPredicate) -> NSComparisonPredicate { ContentComparison.make(predicate) }
}
