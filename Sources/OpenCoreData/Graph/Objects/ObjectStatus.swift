/// The state of an object in its context.
struct ObjectStatus: OptionSet {
    let rawValue: UInt16
    static let inserted = ObjectStatus(rawValue: 1)
    static let updated = ObjectStatus(rawValue: 2)
    static let deleted = ObjectStatus(rawValue: 4)
    /// The row was not found.
    static let inaccessible = ObjectStatus(rawValue: 8)
    /// The object's deletion was saved.
    static let gone = ObjectStatus(rawValue: 16)
    /// The object once had a temporary id, because it was inserted in this context.
    static let named = ObjectStatus(rawValue: 32)
    /// The object is noted as inserted or changed in the pending event of its context.
    static let noted = ObjectStatus(rawValue: 64)
    /// The object was inserted in the pending event.
    static let fresh = ObjectStatus(rawValue: 128)
    /// The object had unsaved changes before the pending event.
    static let wasDirty = ObjectStatus(rawValue: 256)
    /// Observers were notified of the object's pending deletion.
    static let deletionPosted = ObjectStatus(rawValue: 512)
    /// `awakeFromFetch` runs: values that it sets are neither changes nor saved.
    static let awakening = ObjectStatus(rawValue: 1024)
    /// The object was changed since its `willSave` was last called.
    static let touched = ObjectStatus(rawValue: 2048)
    /// The deletion was saved, and `didSave` runs.
    static let deletionSaved = ObjectStatus(rawValue: 4096)
    /// The deletion was merged, and the context still lists the object among its deleted objects.
    static let deletionMerged = ObjectStatus(rawValue: 8192)
    /// The object was inserted into a context, maybe not for the last time: its `awakeFromInsert` is not called again.
    static let begun = ObjectStatus(rawValue: 16384)
    /// Every assignment counts as a change, even one of the value that the object already has.
    static let notesAssignments = ObjectStatus(rawValue: 32768)
    static let ofEvents: ObjectStatus = [.noted, .fresh, .wasDirty, .deletionPosted]
}
