/// The identity of a managed object as a plain value.
public struct ObjectReference: Sendable, Hashable {
    /// The identifier of the store that holds the object; nil while the object has not been saved.
    public let storeIdentifier: String?

    /// The name of the object's own entity.
    public let entityName: String

    /// The object's primary key in its store, or a number that is unique in this process if the object has not been
    /// saved.
    public let key: Int64

    /// Creates the identity of an object.
    ///
    /// - Parameters:
    ///   - storeIdentifier: The identifier of the object's store, or nil for an object that was never saved.
    ///   - entityName: The name of the object's own entity.
    ///   - key: The primary key, or the temporary number.
    public init(storeIdentifier: String?, entityName: String, key: Int64) {
        self.storeIdentifier = storeIdentifier
        self.entityName = entityName
        self.key = key
    }

    /// Whether the object has not been saved yet.
    public var isTemporary: Bool { storeIdentifier == nil }
}
