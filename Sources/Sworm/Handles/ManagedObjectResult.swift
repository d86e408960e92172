/// What a `perform` may end in although it cannot leave it: a managed object, and optionals, arrays, sets and dictionaries of
/// managed objects. The ids come out instead.
///
/// Do not conform types of your own.
public protocol ManagedObjectResult: SendableMetatype {
    /// What comes out of the `perform`.
    associatedtype ResultID: Sendable

    /// What comes out of the `perform`, once the changes were saved.
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
    /// The ids of the objects, in their order.
    public var resultID: [Element.ResultID] { map(\.resultID) }
}

extension Set: ManagedObjectResult where Element: ManagedObjectResult, Element.ResultID: Hashable {
    /// The ids of the objects.
    public var resultID: Set<Element.ResultID> { Set<Element.ResultID>(map(\.resultID)) }
}

extension Dictionary: ManagedObjectResult where Key: SupportedAttributeType, Value: ManagedObjectResult {
    /// The ids of the objects, under the same keys.
    public var resultID: [Key: Value.ResultID] { mapValues(\.resultID) }
}
