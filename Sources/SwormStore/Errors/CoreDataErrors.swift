// The codes of the errors in `NSCocoaErrorDomain` that Core Data documents, with its names and numbers.

/// A value does not satisfy a validation predicate.
public var NSManagedObjectValidationError: Int { 1550 }

/// Objects violate a uniqueness constraint.
public var NSManagedObjectConstraintValidationError: Int { 1551 }

/// Several values are invalid. The errors are stored under `NSDetailedErrorsKey`.
public var NSValidationMultipleErrorsError: Int { 1560 }

/// A property that is not optional has no value.
public var NSValidationMissingMandatoryPropertyError: Int { 1570 }

/// A to-many relationship contains too few objects.
public var NSValidationRelationshipLacksMinimumCountError: Int { 1580 }

/// A to-many relationship contains too many objects.
public var NSValidationRelationshipExceedsMaximumCountError: Int { 1590 }

/// The delete rule of a relationship denies the deletion.
public var NSValidationRelationshipDeniedDeleteError: Int { 1600 }

/// A number is larger than the largest that the attribute allows.
public var NSValidationNumberTooLargeError: Int { 1610 }

/// A number is smaller than the smallest that the attribute allows.
public var NSValidationNumberTooSmallError: Int { 1620 }

/// A date is later than the latest that the attribute allows.
public var NSValidationDateTooLateError: Int { 1630 }

/// A date is earlier than the earliest that the attribute allows.
public var NSValidationDateTooSoonError: Int { 1640 }

/// A date is not a number.
public var NSValidationInvalidDateError: Int { 1650 }

/// A string is longer than the attribute allows.
public var NSValidationStringTooLongError: Int { 1660 }

/// A string is shorter than the attribute allows.
public var NSValidationStringTooShortError: Int { 1670 }

/// A string does not match the attribute's regular expression.
public var NSValidationStringPatternMatchingError: Int { 1680 }

/// A value is not a URI.
public var NSValidationInvalidURIError: Int { 1690 }

/// A context's lock could not be acquired.
public var NSManagedObjectContextLockingError: Int { 132000 }

/// A coordinator's lock could not be acquired.
public var NSPersistentStoreCoordinatorLockingError: Int { 132010 }

/// A fault was fired for an object that is no longer in the store.
public var NSManagedObjectReferentialIntegrityError: Int { 133000 }

/// A relationship refers to an object of another store.
public var NSManagedObjectExternalRelationshipError: Int { 133010 }

/// Objects were changed in the store after they were read, and the merge policy does not allow overwriting them.
public var NSManagedObjectMergeError: Int { 133020 }

/// Unique values conflict with rows of the store, and the merge policy does not resolve the conflict.
public var NSManagedObjectConstraintMergeError: Int { 133021 }

/// No store of that type exists.
public var NSPersistentStoreInvalidTypeError: Int { 134000 }

/// The file is not a store of the expected type.
public var NSPersistentStoreTypeMismatchError: Int { 134010 }

/// The store's schema cannot hold the requested data.
public var NSPersistentStoreIncompatibleSchemaError: Int { 134020 }

/// A save failed.
public var NSPersistentStoreSaveError: Int { 134030 }

/// Some of several stores failed to save.
public var NSPersistentStoreIncompleteSaveError: Int { 134040 }

/// A save encountered conflicts that its merge policy did not resolve.
public var NSPersistentStoreSaveConflictsError: Int { 134050 }

/// A general error of this framework.
public var NSCoreDataError: Int { 134060 }

/// A store could not perform an operation.
public var NSPersistentStoreOperationError: Int { 134070 }

/// A store could not be opened.
public var NSPersistentStoreOpenError: Int { 134080 }

/// A store was locked for longer than the timeout.
public var NSPersistentStoreTimeoutError: Int { 134090 }

/// The store does not support that kind of request.
public var NSPersistentStoreUnsupportedRequestTypeError: Int { 134091 }

/// The store was written with another model.
public var NSPersistentStoreIncompatibleVersionHashError: Int { 134100 }

/// A migration failed.
public var NSMigrationError: Int { 134110 }

/// Migrated objects violate a uniqueness constraint of the new model.
public var NSMigrationConstraintViolationError: Int { 134111 }

/// A migration was cancelled.
public var NSMigrationCancelledError: Int { 134120 }

/// The model that the store was written with was not found.
public var NSMigrationMissingSourceModelError: Int { 134130 }

/// There is no mapping from the model that the store was written with.
public var NSMigrationMissingMappingModelError: Int { 134140 }

/// The store to migrate cannot be used by a migration.
public var NSMigrationManagerSourceStoreError: Int { 134150 }

/// The new store of a migration cannot be used.
public var NSMigrationManagerDestinationStoreError: Int { 134160 }

/// An entity migration policy failed.
public var NSEntityMigrationPolicyError: Int { 134170 }

/// SQLite reported an error. Its code is stored under `NSSQLiteErrorDomain`.
public var NSSQLiteError: Int { 134180 }

/// A mapping between two models could not be inferred.
public var NSInferredMappingModelError: Int { 134190 }

/// A history token refers to transactions that no longer exist, or to another store.
public var NSPersistentHistoryTokenExpiredError: Int { 134301 }

/// The stages of a migration do not lead from the store's version to the coordinator's.
public var NSStagedMigrationFrameworkVersionMismatchError: Int { 134504 }

/// The store's version comes after the coordinator's among the stages of a migration.
public var NSStagedMigrationBackwardMigrationError: Int { 134505 }

/// The key of the errors that an error with several causes contains, as `[any Error]`.
public let NSDetailedErrorsKey: String = "NSDetailedErrors"

/// The key of the object that failed validation, as `NSManagedObject`.
public let NSValidationObjectErrorKey: String = "NSValidationErrorObject"

/// The key of the name of the property that failed validation.
public let NSValidationKeyErrorKey: String = "NSValidationErrorKey"

/// The key of the value that failed validation; `NSNull` for nil.
public let NSValidationValueErrorKey: String = "NSValidationErrorValue"

/// The key of the predicate that the value did not satisfy, as `NSPredicate`.
public let NSValidationPredicateErrorKey: String = "NSValidationErrorPredicate"

/// The key of the stores that an error concerns, as `[NSPersistentStore]`.
public let NSAffectedStoresErrorKey: String = "NSAffectedStoresErrorKey"

/// The key of the objects that an error concerns, as `[NSManagedObject]`.
public let NSAffectedObjectsErrorKey: String = "NSAffectedObjectsErrorKey"

/// The key of the conflicts that stopped a save, as `[NSMergeConflict]` or `[NSConstraintConflict]`.
public let NSPersistentStoreSaveConflictsErrorKey: String = "conflictList"

/// The key of SQLite's own result code in an error's user information.
public let NSSQLiteErrorDomain: String = "NSSQLiteErrorDomain"
