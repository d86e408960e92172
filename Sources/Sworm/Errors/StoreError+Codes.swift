extension StoreError.Code {
    /// A handle was used after the `perform` that it belongs to had ended.
    public static let scopeEnded = Self("scopeEnded")
    /// A handle was used from another thread than the one that its `perform` runs on.
    public static let wrongThread = Self("wrongThread")
    /// An object was used after it had been deleted, or its row has gone from the store.
    public static let objectDeleted = Self("objectDeleted")
    /// There is no object with an id.
    public static let objectNotFound = Self("objectNotFound")
    /// Objects of different containers or performs were brought together.
    public static let otherContext = Self("otherContext")
    /// The model has no entity, attribute or relation of a name.
    public static let unknownName = Self("unknownName")
    /// The tables do not agree with the model.
    public static let contractViolation = Self("contractViolation")
    /// A value does not satisfy the model: it is required, out of range, too long, ...
    public static let validation = Self("validation")
    /// A unique value is taken.
    public static let uniquenessViolation = Self("uniquenessViolation")
    /// Rows were changed by other transactions since they were read. ``StoreError/rows`` names them where they are known.
    public static let conflict = Self("conflict")
    /// Writing was tried inside of ``PersistentContainer/read(_:)-(_)``, or in a store that was opened read-only.
    public static let readOnly = Self("readOnly")
    /// A lock or a turn did not become free in time.
    public static let timedOut = Self("timedOut")
    /// The call would have waited for itself, or in a circle of calls that wait for each other.
    public static let wouldDeadlock = Self("wouldDeadlock")
    /// The store is suspended: ``PersistentContainer/resume()`` lets it be used again.
    public static let suspended = Self("suspended")
    /// The store was closed.
    public static let storeClosed = Self("storeClosed")
    /// The model has faults, or its file cannot be read.
    public static let invalidModel = Self("invalidModel")
    /// The store was written with another model.
    public static let incompatibleModel = Self("incompatibleModel")
    /// A store could not be migrated to another version of its model. It is as it was.
    public static let migrationFailed = Self("migrationFailed")
    /// The store could not be opened.
    public static let cannotOpen = Self("cannotOpen")
    /// The store failed to read or write.
    public static let storeFailed = Self("storeFailed")
    /// Something that the platform does not offer.
    public static let unsupported = Self("unsupported")
    /// A number that was worked out from others and that its type cannot hold.
    public static let overflow = Self("overflow")
}
