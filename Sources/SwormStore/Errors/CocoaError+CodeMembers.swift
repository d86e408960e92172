public import Foundation

// The codes of Core Data's errors as members of the error, so that `catch CocoaError.managedObjectMerge` catches it.
extension CocoaError {
    /// A value does not satisfy a validation predicate.
    public static var managedObjectValidation: CocoaError.Code { .managedObjectValidation }

    /// Several values are invalid. The errors are stored under `NSDetailedErrorsKey`.
    public static var validationMultipleErrors: CocoaError.Code { .validationMultipleErrors }

    /// A property that is not optional has no value.
    public static var validationMissingMandatoryProperty: CocoaError.Code { .validationMissingMandatoryProperty }

    /// A to-many relationship contains too few objects.
    public static var validationRelationshipLacksMinimumCount: CocoaError.Code {
        .validationRelationshipLacksMinimumCount
    }

    /// A to-many relationship contains too many objects.
    public static var validationRelationshipExceedsMaximumCount: CocoaError.Code {
        .validationRelationshipExceedsMaximumCount
    }

    /// The delete rule of a relationship denies the deletion.
    public static var validationRelationshipDeniedDelete: CocoaError.Code { .validationRelationshipDeniedDelete }

    /// A number is larger than the largest that the attribute allows.
    public static var validationNumberTooLarge: CocoaError.Code { .validationNumberTooLarge }

    /// A number is smaller than the smallest that the attribute allows.
    public static var validationNumberTooSmall: CocoaError.Code { .validationNumberTooSmall }

    /// A date is later than the latest that the attribute allows.
    public static var validationDateTooLate: CocoaError.Code { .validationDateTooLate }

    /// A date is earlier than the earliest that the attribute allows.
    public static var validationDateTooSoon: CocoaError.Code { .validationDateTooSoon }

    /// A date is not a number.
    public static var validationInvalidDate: CocoaError.Code { .validationInvalidDate }

    /// A string is longer than the attribute allows.
    public static var validationStringTooLong: CocoaError.Code { .validationStringTooLong }

    /// A string is shorter than the attribute allows.
    public static var validationStringTooShort: CocoaError.Code { .validationStringTooShort }

    /// A string does not match the attribute's regular expression.
    public static var validationStringPatternMatching: CocoaError.Code { .validationStringPatternMatching }

    /// A context's lock could not be acquired.
    public static var managedObjectContextLocking: CocoaError.Code { .managedObjectContextLocking }

    /// A coordinator's lock could not be acquired.
    public static var persistentStoreCoordinatorLocking: CocoaError.Code { .persistentStoreCoordinatorLocking }

    /// A fault was fired for an object that is no longer in the store.
    public static var managedObjectReferentialIntegrity: CocoaError.Code { .managedObjectReferentialIntegrity }

    /// A relationship refers to an object of another store.
    public static var managedObjectExternalRelationship: CocoaError.Code { .managedObjectExternalRelationship }

    /// Objects were changed in the store after they were read, and the merge policy does not allow overwriting them.
    public static var managedObjectMerge: CocoaError.Code { .managedObjectMerge }

    /// Unique values conflict with rows of the store, and the merge policy does not resolve the conflict.
    public static var managedObjectConstraintMerge: CocoaError.Code { .managedObjectConstraintMerge }

    /// No store of that type exists.
    public static var persistentStoreInvalidType: CocoaError.Code { .persistentStoreInvalidType }

    /// The file is not a store of the expected type.
    public static var persistentStoreTypeMismatch: CocoaError.Code { .persistentStoreTypeMismatch }

    /// The store's schema cannot hold the requested data.
    public static var persistentStoreIncompatibleSchema: CocoaError.Code { .persistentStoreIncompatibleSchema }

    /// A save failed.
    public static var persistentStoreSave: CocoaError.Code { .persistentStoreSave }

    /// Some of several stores failed to save.
    public static var persistentStoreIncompleteSave: CocoaError.Code { .persistentStoreIncompleteSave }

    /// A save encountered conflicts that its merge policy did not resolve.
    public static var persistentStoreSaveConflicts: CocoaError.Code { .persistentStoreSaveConflicts }

    /// A general error of this framework.
    public static var coreData: CocoaError.Code { .coreData }

    /// A store could not perform an operation.
    public static var persistentStoreOperation: CocoaError.Code { .persistentStoreOperation }

    /// A store could not be opened.
    public static var persistentStoreOpen: CocoaError.Code { .persistentStoreOpen }

    /// A store was locked for longer than the timeout.
    public static var persistentStoreTimeout: CocoaError.Code { .persistentStoreTimeout }

    /// The store does not support that kind of request.
    public static var persistentStoreUnsupportedRequestType: CocoaError.Code { .persistentStoreUnsupportedRequestType }

    /// The store was written with another model.
    public static var persistentStoreIncompatibleVersionHash: CocoaError.Code {
        .persistentStoreIncompatibleVersionHash
    }

    /// A migration failed.
    public static var migration: CocoaError.Code { .migration }

    /// A migration was cancelled.
    public static var migrationCancelled: CocoaError.Code { .migrationCancelled }

    /// The model that the store was written with was not found.
    public static var migrationMissingSourceModel: CocoaError.Code { .migrationMissingSourceModel }

    /// There is no mapping from the model that the store was written with.
    public static var migrationMissingMappingModel: CocoaError.Code { .migrationMissingMappingModel }

    /// The store to migrate cannot be used by a migration.
    public static var migrationManagerSourceStore: CocoaError.Code { .migrationManagerSourceStore }

    /// The new store of a migration cannot be used.
    public static var migrationManagerDestinationStore: CocoaError.Code { .migrationManagerDestinationStore }

    /// An entity migration policy failed.
    public static var entityMigrationPolicy: CocoaError.Code { .entityMigrationPolicy }

    /// SQLite reported an error. Its code is stored under `NSSQLiteErrorDomain`.
    public static var sqlite: CocoaError.Code { .sqlite }

    /// A mapping between two models could not be inferred.
    public static var inferredMappingModel: CocoaError.Code { .inferredMappingModel }

    /// An external record could not be imported. Core Data's code; this framework has no external records.
    public static var externalRecordImport: CocoaError.Code { .externalRecordImport }
}
