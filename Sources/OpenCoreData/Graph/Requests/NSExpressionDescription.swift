/// A computed property of the dictionaries that a fetch yields.
///
/// Foundation's `NSExpression` cannot be made outside of Apple's platforms, so a description says by itself what an
/// expression would: a key path, and a function of its values over many rows.
///
/// ```swift
/// let newest = NSExpressionDescription()
/// newest.name = "newest"
/// newest.function = "max:"
/// newest.keyPath = "year"
/// newest.expressionResultType = .integer64AttributeType
/// ```
open class NSExpressionDescription: NSPropertyDescription {
    /// The type that the value is to have; undefined for the type that it has by itself.
    open var expressionResultType: NSAttributeType = .undefinedAttributeType

    /// `count:`, `sum:`, `min:`, `max:` or `average:` for one value of many rows; nil for the value of each row.
    ///
    /// Rows without a value do not count. Of no values the sum is zero, and there is no smallest, largest and average one.
    open var function: String?

    /// An attribute, also one behind relationships to one, or the count of a relationship to many: `author.name`,
    /// `reviews.@count`. Empty for the object itself: its id, and what `count:` counts.
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
