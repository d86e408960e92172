/// The events that restore the values of an object.
public struct NSSnapshotEventType: OptionSet, Sendable, Hashable {
    /// The bits of the events.
    public let rawValue: UInt
    /// Creates events from bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// The insertion of the object was undone.
    public static let undoInsertion = NSSnapshotEventType(rawValue: 2)
    /// The deletion of the object was undone.
    public static let undoDeletion = NSSnapshotEventType(rawValue: 4)
    /// A change of the object was undone.
    public static let undoUpdate = NSSnapshotEventType(rawValue: 8)
    /// The context was rolled back.
    public static let rollback = NSSnapshotEventType(rawValue: 16)
    /// The object was refreshed and kept its changes.
    public static let refresh = NSSnapshotEventType(rawValue: 32)
    /// A merge policy settled a conflict.
    public static let mergePolicy = NSSnapshotEventType(rawValue: 64)
}
