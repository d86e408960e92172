extension NSManagedObject {
    struct Status: OptionSet {
        let rawValue: UInt16
        static let inserted = Status(rawValue: 1)
        static let updated = Status(rawValue: 2)
        static let deleted = Status(rawValue: 4)
        /// The row was not found.
        static let inaccessible = Status(rawValue: 8)
        /// The object's deletion was saved.
        static let gone = Status(rawValue: 16)
        /// The object once had a temporary id, because it was inserted in this context.
        static let named = Status(rawValue: 32)
        /// The object is noted as inserted or changed in the pending event of its context.
        static let noted = Status(rawValue: 64)
        /// The object was inserted in the pending event.
        static let fresh = Status(rawValue: 128)
        /// The object had unsaved changes before the pending event.
        static let wasDirty = Status(rawValue: 256)
        /// Observers were notified of the object's pending deletion.
        static let deletionPosted = Status(rawValue: 512)
        static let ofEvents: Status = [.noted, .fresh, .wasDirty, .deletionPosted]
    }
}
