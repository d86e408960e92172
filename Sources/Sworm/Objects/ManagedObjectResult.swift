/// What a `perform` may end in although it cannot leave it: a managed object, or an optional one. Its id comes out instead.
///
/// Do not conform types of your own.
public protocol ManagedObjectResult {
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
