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
        forgetCompared()
    }

    // MARK: Compared objects

    /// The objects whose rows the next save compares with those in the store, although it does not write them.
    private(set) var compared: [NSManagedObject] = []
    private var comparedIdentifiers: Set<ObjectIdentifier> = []

    /// Makes the next save compare the row of an object, once.
    mutating func compare(_ object: NSManagedObject) {
        if comparedIdentifiers.insert(ObjectIdentifier(object)).inserted { compared.append(object) }
    }

    private mutating func forgetCompared() {
        if !compared.isEmpty { (compared, comparedIdentifiers) = ([], []) }
        if !touched.isEmpty { touched = [] }
    }

    /// The objects whose members the next save changes, so that concurrent transactions that do so conflict.
    private(set) var touched: [NSManagedObject] = []

    mutating func touch(_ object: NSManagedObject) { touched.append(object) }

    // MARK: Stores of new objects

    /// Returns the origin of the store that receives the new objects of an entity, if the running save has chosen it.
    func origin(ofEntity number: Int) -> ObjectOrigin? { origins[number] }

    /// Makes a choice for all new objects of an entity. Without a running save, nothing is recorded: the stores of the
    /// coordinator may change until the next save.
    mutating func choose(_ origin: ObjectOrigin, forEntity number: Int) {
        if isRunning { origins[number] = origin }
    }

    // MARK: Revived objects

    /// The last versions of rows whose deletion was saved and that are inserted again, by object. The objects are held,
    /// so that no other object has the same identifier.
    private var lost: [ObjectIdentifier: (object: NSManagedObject, version: Int64)] = [:]

    /// Notes that an object whose row was deleted is inserted again.
    ///
    /// - Parameter version: The last version of the row; nil if the version that was noted before still applies.
    mutating func noteLost(_ object: NSManagedObject, version: Int64?) {
        let known = lost[ObjectIdentifier(object)]?.version ?? 0
        lost[ObjectIdentifier(object)] = (object, version ?? known)
    }

    /// Returns the last version of the deleted row of an inserted object; nil if it had no row.
    func lostVersion(of object: NSManagedObject) -> Int64? {
        lost.isEmpty ? nil : lost[ObjectIdentifier(object)]?.version
    }

    /// Forgets the versions of objects whose rows were written.
    mutating func forgetLost(_ objects: [NSManagedObject]) {
        if lost.isEmpty { return }
        for object in objects { lost[ObjectIdentifier(object)] = nil }
    }

    mutating func forgetAllLost() {
        if !lost.isEmpty { lost.removeAll() }
        forgetCompared()
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
