public import Foundation

/// The record of one synchronized object: its identity, and the time and origin of each value.
///
/// Stores that create or apply a ``ChangeBundle`` need this entity in their model. The library creates its objects, updates
/// them in the transactions of the synchronization, and keeps them after an object was deleted.
///
/// ```swift
/// let store = try PersistentContainer(for: Book.self, BundleRecord.self, at: .file(url), history: true)
/// ```
/// In a model file, declare an entity `BundleRecord` with the attributes `kind` and `key` (String, unique together),
/// `row` and `number` (Integer 64, indexed) and `state` (Binary Data), all of them required.
public struct BundleRecord: Sendable {
    /// The name of the object's entity; empty for the record of the store itself.
    public var kind = ""
    /// The values of the unique attributes, as JSON.
    public var key = ""
    /// The number of the object's row in this store; 0 if the store does not have it.
    public var row: Int64 = 0
    /// The number of the last transaction of this store that has changed the object; 0 if it has not.
    public var number: Int64 = 0
    /// The time and origin of each value, as JSON.
    public var state = Data()

    /// Creates an empty record.
    public init() {}
}

extension BundleRecord: ManagedObjectConvertible {
    /// The table of attributes.
    public static let attributes: Set<Attribute<BundleRecord>> = [
        .init(\.kind, "kind"), .init(\.key, "key"), .init(\.row, "row", .indexed),
        .init(\.number, "number", .indexed), .init(\.state, "state"),
    ]
    /// The constraint that each identity has one record.
    public static let uniquenessConstraints: [UniquenessConstraint<BundleRecord>] = [.init(\.kind, \.key)]
}
