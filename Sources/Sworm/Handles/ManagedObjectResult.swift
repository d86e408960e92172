/// A result that a `perform` converts to ids, because managed objects cannot leave it.
///
/// Managed objects conform to this protocol, as do optionals, arrays, sets and dictionaries of managed objects. Do not
/// conform your own types.
public protocol ManagedObjectResult: SendableMetatype {
    /// The type of the value that the `perform` returns.
    associatedtype ResultID: Sendable

    /// The value that the `perform` returns, read after the changes are saved.
    var resultID: ResultID { get }
}

extension ManagedObject: ManagedObjectResult {
    /// The id of the object.
    public var resultID: ManagedObjectID<PlainObject> { id }
}

extension Optional: ManagedObjectResult where Wrapped: ManagedObjectResult {
    /// The id of the object, if there is one.
    public var resultID: Wrapped.ResultID? { self?.resultID }
}

extension Array: ManagedObjectResult where Element: ManagedObjectResult {
    /// The ids of the objects, in the same order.
    public var resultID: [Element.ResultID] { map(\.resultID) }
}

extension Set: ManagedObjectResult where Element: ManagedObjectResult, Element.ResultID: Hashable {
    /// The ids of the objects.
    public var resultID: Set<Element.ResultID> { Set<Element.ResultID>(map(\.resultID)) }
}

extension Dictionary: ManagedObjectResult where Key: SupportedAttributeType, Value: ManagedObjectResult {
    /// The ids of the objects, with the same keys.
    public var resultID: [Key: Value.ResultID] { mapValues(\.resultID) }
}
