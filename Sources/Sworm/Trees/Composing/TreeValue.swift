/// A value that belongs to an object and is read for many objects at once: the objects behind a relation, or a computed
/// value. See ``Request/with(_:_:)``.
public protocol TreeValue<Value>: Sendable {
    /// The type of the value of one object.
    associatedtype Value

    /// The way in which the values are read.
    var reading: TreeValueReading<Value> { get }
}

/// The way in which the values of many objects are read.
public struct TreeValueReading<Value>: Sendable {
    /// The relation to one whose keys are needed, if there is one.
    var link: String?
    /// Returns the computed column of the objects, if there is one.
    var computed: (@Sendable () -> ComputedValue)?
    /// The objects that are read.
    var needs: TreeNeeds
    /// Returns the value of each owner.
    let read: @Sendable (TreeOwners, [AttributeValue], TreeReader) throws -> [Value]
}

extension Term: TreeValue {
    /// The way in which the values are read: with the objects, by the same statement.
    public var reading: TreeValueReading<Value> {
        var selection = Selection()
        let column = selection.add(self)
        let computed = ComputedValue(
            expression: selection.expressions[0], failure: selection.failure,
            kind: Base.PrimitiveAttributeType.primitiveKind)
        return TreeValueReading(computed: { computed }, needs: TreeNeeds(of: computed)) { _, values, _ in
            try values.map { try column.value($0) }
        }
    }
}
