public import Foundation

/// A computed property of the dictionaries that a fetch returns.
///
/// ```swift
/// let newest = NSExpressionDescription()
/// newest.name = "newest"
/// newest.expression = NSExpression(forFunction: "max:", arguments: [NSExpression(forKeyPath: "year")])
/// newest.resultType = .integer64
/// ```
///
/// The functions `count:`, `sum:`, `min:`, `max:` and `average:`, and the key paths `@count` and `@sum.year`, have one value
/// over many rows. Rows without a value are ignored. If there are no values, the sum is zero, and the minimum, maximum and
/// average are nil. So are the sum and the average of values that are no numbers, and the minimum and the maximum of values
/// without an order, such as UUIDs and binary data. Any other expression has a value for each row: `reviews.@count`,
/// `price * 2`.
open class NSExpressionDescription: NSPropertyDescription {
    /// The expression. The fetch throws the error in its format.
    open var expression: NSExpression?

    /// The type of the value; undefined to keep the value's own type.
    open var expressionResultType: NSAttributeType = .undefinedAttributeType

    /// The type of the value, with short names.
    open var resultType: NSAttributeDescription.AttributeType {
        get { NSAttributeDescription.AttributeType(rawValue: expressionResultType.rawValue) }
        set { expressionResultType = NSAttributeType(rawValue: newValue.rawValue) ?? .undefinedAttributeType }
    }

    override var isComputed: Bool { true }

    override var computingExpression: NSExpression? { expression }

    override func makeEmptyCopy() -> NSPropertyDescription { NSExpressionDescription() }

    override func copyValues(to copy: NSPropertyDescription) {
        super.copyValues(to: copy)
        guard let copy = copy as? NSExpressionDescription else { return }
        copy.expressionResultType = expressionResultType
        copy.expression = expression
    }
}
