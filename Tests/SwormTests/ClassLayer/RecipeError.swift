import Sworm

/// What can go wrong in the recipe box, in terms of the app.
enum RecipeError: Error, Equatable {
    /// Values that the model does not accept, by the names of their properties.
    case invalid([String])
    /// Another context has changed the same objects.
    case conflict(objects: Int)
    /// There is already an object with the same unique values.
    case duplicate
    /// Other objects need the object.
    case inUse(String)
    case store(Int)

    init(_ error: any Error) {
        let error = error as NSError
        guard error.domain == NSCocoaErrorDomain else {
            self = .store(error.code)
            return
        }
        switch CocoaError.Code(rawValue: error.code) {
        case .validationMultipleErrors:
            let details = error.userInfo[NSDetailedErrorsKey] as? [NSError] ?? []
            self = .invalid(details.compactMap { $0.userInfo[NSValidationKeyErrorKey] as? String }.sorted())
        case .managedObjectMerge:
            let conflicts = error.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSMergeConflict] ?? []
            self = .conflict(objects: conflicts.count)
        case .managedObjectConstraintMerge:
            self = .duplicate
        case .validationRelationshipDeniedDelete:
            self = .inUse(error.userInfo[NSValidationKeyErrorKey] as? String ?? "")
        default:
            if let key = error.userInfo[NSValidationKeyErrorKey] as? String {
                self = .invalid([key])
            } else {
                self = .store(error.code)
            }
        }
    }
}
