extension StoreError.Code {
    /// A handle was used after the end of the `perform` that it belongs to.
    public static let scopeEnded = Self("scopeEnded")
    /// A handle was used on another thread than its `perform`.
    public static let wrongThread = Self("wrongThread")
    /// An object was used after it was deleted, or its row no longer exists in the store.
    public static let objectDeleted = Self("objectDeleted")
    /// No object has the given id.
    public static let objectNotFound = Self("objectNotFound")
    /// Objects of different containers or `perform` calls were used together.
    public static let otherContext = Self("otherContext")
    /// The model has no entity, attribute or relation with the given name.
    public static let unknownName = Self("unknownName")
    /// The tables do not match the model.
    public static let contractViolation = Self("contractViolation")
    /// A value does not satisfy the model: it is missing, out of range, too long, and so on.
    public static let validation = Self("validation")
    /// A unique value is already in use.
    public static let uniquenessViolation = Self("uniquenessViolation")
    /// Rows were changed by other transactions after they were read.
    ///
    /// ``StoreError/rows`` contains them if they are known.
    public static let conflict = Self("conflict")
    /// A write was attempted within `read`, or in a store that was opened read-only.
    public static let readOnly = Self("readOnly")
    /// The save of an asynchronous sequence ended early: the sequence threw an error, or the task was cancelled.
    ///
    /// ``StoreError/cause`` is the error of the sequence, or a `CancellationError`.
    public static let interrupted = Self("interrupted")
    /// A lock, or the turn to use the store, was not available in time.
    public static let timedOut = Self("timedOut")
    /// The call would wait for itself, or for calls that wait for it.
    public static let wouldDeadlock = Self("wouldDeadlock")
    /// The store is suspended.
    ///
    /// Call ``PersistentContainer/resume()`` to use it again.
    public static let suspended = Self("suspended")
    /// The store was closed.
    public static let storeClosed = Self("storeClosed")
    /// The model has issues, or its file cannot be read.
    public static let invalidModel = Self("invalidModel")
    /// The store was written with another model.
    public static let incompatibleModel = Self("incompatibleModel")
    /// A store could not be migrated to another version of its model.
    ///
    /// The store is unchanged.
    public static let migrationFailed = Self("migrationFailed")
    /// The store could not be opened.
    public static let cannotOpen = Self("cannotOpen")
    /// The store failed to read or write.
    public static let storeFailed = Self("storeFailed")
    /// The store has no history, and the operation requires one.
    public static let historyNeeded = Self("historyNeeded")
    /// The transactions after a token were purged, or the store was replaced.
    ///
    /// Read the objects again, and continue with ``PersistentContainer/changeToken()``.
    public static let historyTokenExpired = Self("historyTokenExpired")
    /// A bundle of changes was not applied, because bundles before it are missing.
    public static let bundleMissing = Self("bundleMissing")
    /// A bundle of changes contradicts itself or the model.
    public static let invalidBundle = Self("invalidBundle")
    /// Bundles of changes need unique attributes, which an entity does not have, or which are nil in an object.
    public static let uniqueKeyNeeded = Self("uniqueKeyNeeded")
    /// The server, or a connection to it, is not available. Nothing was saved.
    ///
    /// The call can be repeated.
    public static let serverUnavailable = Self("serverUnavailable")
    /// The connection to the server was lost before its answer to the commit, and nobody can be asked whether the changes
    /// were saved.
    ///
    /// Read the objects again before you repeat the call.
    public static let outcomeUnknown = Self("outcomeUnknown")
    /// The tables on the server are not those of the model.
    ///
    /// The message lists every difference, and the SQL that would remove it.
    public static let schemaDiffers = Self("schemaDiffers")
    /// The platform does not support the operation.
    public static let unsupported = Self("unsupported")
    /// A computed number does not fit its type.
    public static let overflow = Self("overflow")
}
