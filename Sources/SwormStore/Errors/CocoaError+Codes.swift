public import Foundation

// The codes of Core Data's errors, with its names and numbers.
extension CocoaError.Code {
    /// A value does not satisfy a validation predicate.
    public static var managedObjectValidation: CocoaError.Code {
        CocoaError.Code(rawValue: NSManagedObjectValidationError)
    }

    /// Several values are invalid. The errors are stored under `NSDetailedErrorsKey`.
    public static var validationMultipleErrors: CocoaError.Code {
        CocoaError.Code(rawValue: NSValidationMultipleErrorsError)
    }

    /// A property that is not optional has no value.
    public static var validationMissingMandatoryProperty: CocoaError.Code {
        CocoaError.Code(rawValue: NSValidationMissingMandatoryPropertyError)
    }

    /// A to-many relationship contains too few objects.
    public static var validationRelationshipLacksMinimumCount: CocoaError.Code {
        CocoaError.Code(rawValue: NSValidationRelationshipLacksMinimumCountError)
    }

    /// A to-many relationship contains too many objects.
    public static var validationRelationshipExceedsMaximumCount: CocoaError.Code {
        CocoaError.Code(rawValue: NSValidationRelationshipExceedsMaximumCountError)
    }

    /// The delete rule of a relationship denies the deletion.
    public static var validationRelationshipDeniedDelete: CocoaError.Code {
        CocoaError.Code(rawValue: NSValidationRelationshipDeniedDeleteError)
    }

    /// A number is larger than the largest that the attribute allows.
    public static var validationNumberTooLarge: CocoaError.Code {
        CocoaError.Code(rawValue: NSValidationNumberTooLargeError)
    }

    /// A number is smaller than the smallest that the attribute allows.
    public static var validationNumberTooSmall: CocoaError.Code {
        CocoaError.Code(rawValue: NSValidationNumberTooSmallError)
    }

    /// A date is later than the latest that the attribute allows.
    public static var validationDateTooLate: CocoaError.Code { CocoaError.Code(rawValue: NSValidationDateTooLateError) }

    /// A date is earlier than the earliest that the attribute allows.
    public static var validationDateTooSoon: CocoaError.Code { CocoaError.Code(rawValue: NSValidationDateTooSoonError) }

    /// A date is not a number.
    public static var validationInvalidDate: CocoaError.Code { CocoaError.Code(rawValue: NSValidationInvalidDateError) }

    /// A string is longer than the attribute allows.
    public static var validationStringTooLong: CocoaError.Code {
        CocoaError.Code(rawValue: NSValidationStringTooLongError)
    }

    /// A string is shorter than the attribute allows.
    public static var validationStringTooShort: CocoaError.Code {
        CocoaError.Code(rawValue: NSValidationStringTooShortError)
    }

    /// A string does not match the attribute's regular expression.
    public static var validationStringPatternMatching: CocoaError.Code {
        CocoaError.Code(rawValue: NSValidationStringPatternMatchingError)
    }

    /// A context's lock could not be acquired.
    public static var managedObjectContextLocking: CocoaError.Code {
        CocoaError.Code(rawValue: NSManagedObjectContextLockingError)
    }

    /// A coordinator's lock could not be acquired.
    public static var persistentStoreCoordinatorLocking: CocoaError.Code {
        CocoaError.Code(rawValue: NSPersistentStoreCoordinatorLockingError)
    }

    /// A fault was fired for an object that is no longer in the store.
    public static var managedObjectReferentialIntegrity: CocoaError.Code {
        CocoaError.Code(rawValue: NSManagedObjectReferentialIntegrityError)
    }

    /// A relationship refers to an object of another store.
    public static var managedObjectExternalRelationship: CocoaError.Code {
        CocoaError.Code(rawValue: NSManagedObjectExternalRelationshipError)
    }

    /// Objects were changed in the store after they were read, and the merge policy does not allow overwriting them.
    public static var managedObjectMerge: CocoaError.Code { CocoaError.Code(rawValue: NSManagedObjectMergeError) }

    /// Unique values conflict with rows of the store, and the merge policy does not resolve the conflict.
    public static var managedObjectConstraintMerge: CocoaError.Code {
        CocoaError.Code(rawValue: NSManagedObjectConstraintMergeError)
    }

    /// No store of that type exists.
    public static var persistentStoreInvalidType: CocoaError.Code {
        CocoaError.Code(rawValue: NSPersistentStoreInvalidTypeError)
    }

    /// The file is not a store of the expected type.
    public static var persistentStoreTypeMismatch: CocoaError.Code {
        CocoaError.Code(rawValue: NSPersistentStoreTypeMismatchError)
    }

    /// The store's schema cannot hold the requested data.
    public static var persistentStoreIncompatibleSchema: CocoaError.Code {
        CocoaError.Code(rawValue: NSPersistentStoreIncompatibleSchemaError)
    }

    /// A save failed.
    public static var persistentStoreSave: CocoaError.Code { CocoaError.Code(rawValue: NSPersistentStoreSaveError) }

    /// Some of several stores failed to save.
    public static var persistentStoreIncompleteSave: CocoaError.Code {
        CocoaError.Code(rawValue: NSPersistentStoreIncompleteSaveError)
    }

    /// A save encountered conflicts that its merge policy did not resolve.
    public static var persistentStoreSaveConflicts: CocoaError.Code {
        CocoaError.Code(rawValue: NSPersistentStoreSaveConflictsError)
    }

    /// A general error of this framework.
    public static var coreData: CocoaError.Code { CocoaError.Code(rawValue: NSCoreDataError) }

    /// A store could not perform an operation.
    public static var persistentStoreOperation: CocoaError.Code {
        CocoaError.Code(rawValue: NSPersistentStoreOperationError)
    }

    /// A store could not be opened.
    public static var persistentStoreOpen: CocoaError.Code { CocoaError.Code(rawValue: NSPersistentStoreOpenError) }

    /// A store was locked for longer than the timeout.
    public static var persistentStoreTimeout: CocoaError.Code {
        CocoaError.Code(rawValue: NSPersistentStoreTimeoutError)
    }

    /// The store does not support that kind of request.
    public static var persistentStoreUnsupportedRequestType: CocoaError.Code {
        CocoaError.Code(rawValue: NSPersistentStoreUnsupportedRequestTypeError)
    }

    /// The store was written with another model.
    public static var persistentStoreIncompatibleVersionHash: CocoaError.Code {
        CocoaError.Code(rawValue: NSPersistentStoreIncompatibleVersionHashError)
    }

    /// A migration failed.
    public static var migration: CocoaError.Code { CocoaError.Code(rawValue: NSMigrationError) }

    /// A migration was cancelled.
    public static var migrationCancelled: CocoaError.Code { CocoaError.Code(rawValue: NSMigrationCancelledError) }

    /// The model that the store was written with was not found.
    public static var migrationMissingSourceModel: CocoaError.Code {
        CocoaError.Code(rawValue: NSMigrationMissingSourceModelError)
    }

    /// There is no mapping from the model that the store was written with.
    public static var migrationMissingMappingModel: CocoaError.Code {
        CocoaError.Code(rawValue: NSMigrationMissingMappingModelError)
    }

    /// The store to migrate cannot be used by a migration.
    public static var migrationManagerSourceStore: CocoaError.Code {
        CocoaError.Code(rawValue: NSMigrationManagerSourceStoreError)
    }

    /// The new store of a migration cannot be used.
    public static var migrationManagerDestinationStore: CocoaError.Code {
        CocoaError.Code(rawValue: NSMigrationManagerDestinationStoreError)
    }

    /// An entity migration policy failed.
    public static var entityMigrationPolicy: CocoaError.Code { CocoaError.Code(rawValue: NSEntityMigrationPolicyError) }

    /// SQLite reported an error. Its code is stored under `NSSQLiteErrorDomain`.
    public static var sqlite: CocoaError.Code { CocoaError.Code(rawValue: NSSQLiteError) }

    /// A mapping between two models could not be inferred.
    public static var inferredMappingModel: CocoaError.Code { CocoaError.Code(rawValue: NSInferredMappingModelError) }

    /// An external record could not be imported. Core Data's code; this framework has no external records.
    public static var externalRecordImport: CocoaError.Code { CocoaError.Code(rawValue: 134200) }
}
