/// The saves of a context: their settings, and the choices of the save that is running.
struct Saving {
    /// The kind of validation that a save performs.
    var validation = SaveValidation.changes
    /// Whether a save is running. Another save that starts in the meantime does nothing.
    private(set) var isRunning = false
    /// The origins of the stores that receive new objects of the running save, by entity number.
    private var origins: [Int: ObjectOrigin] = [:]
    /// The stores that the application has chosen for new objects.
    private(set) var assignedStores: [ObjectIdentifier: NSPersistentStore] = [:]

    mutating func begin() { isRunning = true }

    mutating func end() {
        isRunning = false
        origins = [:]
    }

    /// Returns the origin of the store that receives the new objects of an entity, if the running save has chosen it.
    func origin(ofEntity number: Int) -> ObjectOrigin? { origins[number] }

    /// Makes a choice for all new objects of an entity. Without a running save, nothing is recorded: the stores of the
    /// coordinator may change until the next save.
    mutating func choose(_ origin: ObjectOrigin, forEntity number: Int) {
        if isRunning { origins[number] = origin }
    }

    // MARK: Assigned stores

    mutating func assign(_ object: NSManagedObject, to store: NSPersistentStore) {
        assignedStores[ObjectIdentifier(object)] = store
    }

    mutating func forgetStore(of object: NSManagedObject) { assignedStores[ObjectIdentifier(object)] = nil }

    mutating func forgetStores() { assignedStores.removeAll() }

    mutating func restoreStores(_ stores: [ObjectIdentifier: NSPersistentStore]) { assignedStores = stores }
}

/// The kind of validation that a save performs.
enum SaveValidation {
    /// Changed values are validated.
    case changes
    /// Only the types of values are checked: a migration validates the objects after all of them have been created.
    case later
    /// All values are validated, whether they were changed or not.
    case everything
}
