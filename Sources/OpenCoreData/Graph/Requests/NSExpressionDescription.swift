/// A computed property of the dictionaries that a fetch returns.
///
/// `NSExpression` cannot be created outside of Apple's platforms, so a description itself contains the parts of an
/// expression: a key path, and a function of its values over many rows.
///
/// ```swift
/// let newest = NSExpressionDescription()
/// newest.name = "newest"
/// newest.function = "max:"
/// newest.keyPath = "year"
/// newest.expressionResultType = .integer64AttributeType
/// ```
open class NSExpressionDescription: NSPropertyDescription {
    /// The type of the value; undefined to keep the value's own type.
    open var expressionResultType: NSAttributeType = .undefinedAttributeType

    /// `count:`, `sum:`, `min:`, `max:` or `average:` for one value over many rows; nil for the value of each row.
    ///
    /// Rows without a value are ignored. If there are no values, the sum is zero, and the minimum, maximum and average
    /// are nil. So are the sum and the average of values that are no numbers, and the minimum and the maximum of values
    /// without an order, such as UUIDs and binary data.
    open var function: String?

    /// The key path of an attribute, which may include to-one relationships, or the count of a to-many relationship:
    /// `author.name`, `reviews.@count`. Empty for the object itself: its id, or the objects that `count:` counts.
    open var keyPath: String = ""

    override func makeEmptyCopy() -> NSPropertyDescription { NSExpressionDescription() }

    override func copyValues(to copy: NSPropertyDescription) {
        super.copyValues(to: copy)
        guard let copy = copy as? NSExpressionDescription else { return }
        copy.expressionResultType = expressionResultType
        copy.function = function
        copy.keyPath = keyPath
    }
}
