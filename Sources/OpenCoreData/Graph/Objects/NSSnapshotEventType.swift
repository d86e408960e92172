/// The events that restore the values of an object.
public struct NSSnapshotEventType: OptionSet, Sendable, Hashable {
    /// The bits of the events.
    public let rawValue: UInt
    /// Creates events from bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// The context was rolled back.
    public static let rollback = NSSnapshotEventType(rawValue: 16)
    /// The object was refreshed and kept its changes.
    public static let refresh = NSSnapshotEventType(rawValue: 32)
    /// A merge policy settled a conflict.
    public static let mergePolicy = NSSnapshotEventType(rawValue: 64)
}
