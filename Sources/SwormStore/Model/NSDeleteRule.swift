/// The action on the objects at the other end of a relationship when its object is deleted.
public enum NSDeleteRule: UInt, Sendable {
    /// No action: the other end keeps a reference to the deleted object until the caller repairs it.
    case noActionDeleteRule = 0
    /// The other end's reference is removed.
    case nullifyDeleteRule = 1
    /// The objects at the other end are deleted too.
    case cascadeDeleteRule = 2
    /// The deletion is rejected as long as there is an object at the other end.
    case denyDeleteRule = 3
}
