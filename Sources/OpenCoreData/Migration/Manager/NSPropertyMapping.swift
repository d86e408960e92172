public import Foundation

/// A mapping that specifies the value of a property of the new objects.
open class NSPropertyMapping: NSObject {
    /// The name of the property in the new model; `composite.element` for an element of a composite attribute.
    open var name: String?

    /// The value of the property; nil to keep the value of a newly created object.
    ///
    /// | expression | value |
    /// | --- | --- |
    /// | `$source.name` | an attribute of the old object, also behind to-one relationships |
    /// | `uppercase($source.name)`, `$source.price * 2` | a value that is computed from them |
    /// | a constant | the same for all objects |
    /// | `FUNCTION($manager, "destinationInstancesForSourceRelationshipNamed:sourceInstances:", "tags", $source.tags)` | the new objects of the destinations of a relationship of the old object |
    /// | `FUNCTION($manager, "destinationInstancesForEntityMappingNamed:sourceInstances:", "Tags", $source.tags)` | those that one entity mapping has created |
    /// | a block | the result of a block, whose arguments may be the variables `source` and `manager` |
    ///
    /// For a relationship, a block returns an object of the manager's `destinationContext`, or several in an array or a set.
    ///
    /// ```swift
    /// let mapping = NSPropertyMapping()
    /// mapping.name = "fullName"
    /// mapping.valueExpression = NSExpression(format: "$source.name")
    /// ```
    open var valueExpression: NSExpression? { didSet { parsed = nil } }

    /// Custom information of the application.
    open var userInfo: [AnyHashable: Any]?

    private var parsed: Result<MappedValue, any Error>?

    /// The value of the property; nil if the expression is nil or not valid.
    final var value: MappedValue? { try? checkedValue() }

    /// Returns the value of the property; nil if there is no expression.
    ///
    /// - Throws: An error for an expression that a mapping does not support.
    final func checkedValue() throws -> MappedValue? {
        guard let valueExpression else { return nil }
        let result = parsed ?? Result { try MappedValue(valueExpression) }
        parsed = result
        return try result.get()
    }

    /// Creates a mapping without a property.
    public override init() { super.init() }
}
