/// The faults of a model, collected while it is looked through.
struct ModelFaults {
    private(set) var faults: [CoreDataError] = []

    var isEmpty: Bool { faults.isEmpty }

    mutating func add(_ message: String, entity: String? = nil, key: String? = nil) {
        faults.append(CoreDataError(NSCoreDataError, message, entity: entity, key: key))
    }

    /// The error that tells all faults.
    var error: CoreDataError {
        if faults.count == 1, let only = faults.first {
            return CoreDataError(
                NSCoreDataError, "The model cannot be used: \(only.message)", entity: only.entity, key: only.key,
                details: faults)
        }
        let list = faults.map { "\n- " + $0.message }.joined()
        return CoreDataError(
            NSCoreDataError, "The model cannot be used; it has \(faults.count) faults:" + list, details: faults)
    }
}
