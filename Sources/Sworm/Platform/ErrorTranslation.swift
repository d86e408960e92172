import Foundation
import SwormPredicates
#if canImport(CoreData)
import CoreData
#else
import OpenCoreData
import SwormStore
#endif

/// Runs work of the engine, and converts its errors into Sworm's. Other errors are rethrown unchanged.
///
/// The work must not call a closure of the user, because the errors of that closure must not be translated.
///
/// - Parameter isOpening: Whether a store is being opened.
func translatingErrors<R>(isOpening: Bool = false, _ work: () throws -> R) throws -> R {
    do {
        return try work()
    } catch {
        throw translatedError(error, isOpening: isOpening)
    }
}

/// Returns an error of the engine as an error of Sworm, and any other error unchanged.
package func translatedError(_ error: any Error, isOpening: Bool = false) -> any Error {
    if error is StoreError || error is AttributeError { return error }
    let cause = engineError(error)
    let native = cause as NSError
    if let issue = cause as? QueryError ?? native.userInfo[NSUnderlyingErrorKey] as? QueryError {
        return StoreError(.invalidCondition, issue.description, cause: issue)
    }
    guard native.domain == NSCocoaErrorDomain else { return error }
    if isOpening, native.code == CocoaError.Code.userCancelled.rawValue { return CancellationError() }
    var code = StoreError.Code(cocoaCode: native.code)
    // A damaged or locked file may only be detected when it is read or written.
    if code == .cannotOpen, !isOpening { code = .storeFailed }
    if let name = native.userInfo[conditionKey] as? String, name != StoreOpeningFailure.notAStore.description,
        !isOpening || serverConditions.contains(name)
    {
        code = StoreError.Code(name)
    }
    return StoreError(
        code, native.localizedDescription, entity: native.userInfo["NSEntityName"] as? String,
        attribute: native.userInfo[NSValidationKeyErrorKey] as? String, cause: cause, rows: native.affectedRows)
}

extension StoreError {
    /// Whether no connection to a server became free in time.
    var isOfFullPool: Bool {
        #if PostgreSQL && !canImport(CoreData)
        cause?.asCoreData?.isOfFullPool ?? false
        #else
        false
        #endif
    }
}

/// Returns the error that the engine has thrown internally, if it has thrown this one.
///
/// It contains the identities of objects, while the error of a public call contains the objects, which may be used in
/// their context only.
private func engineError(_ error: any Error) -> any Error {
    #if canImport(CoreData)
    error
    #else
    error.asCoreData ?? error
    #endif
}

/// The key under which OpenCoreData stores a condition of a store for which Cocoa has no code, by the name of Sworm's
/// code.
private let conditionKey = "SwormStoreCondition"

/// The conditions that are the same while a store is being opened and later.
private let serverConditions: Set<String> = [
    StoreError.Code.serverUnavailable.description, StoreError.Code.schemaDiffers.description,
]

extension NSError {
    /// The errors of all invalid values, or this error.
    var validationErrors: [any Error] {
        let details = userInfo[NSDetailedErrorsKey] as? [any Error] ?? []
        return details.isEmpty ? [self] : details
    }

    /// The reason why a store does not open, if this is an error of the engine about that.
    var storeOpeningFailure: StoreOpeningFailure? {
        // SQLite's primary result code is in the low byte; the higher bits hold details.
        let reported = (userInfo[NSSQLiteErrorDomain] as? NSNumber)?.intValue ?? 0
        switch reported & 0xFF {
        case 26: return .notAStore
        case 11: return .damaged
        case 5, 6: return .locked
        case 3, 8, 14, 23: return .noPermission
        default: break
        }
        switch userInfo[conditionKey] as? String {
        case StoreOpeningFailure.notAStore.description?: return .notAStore
        case let name? where serverConditions.contains(name): return nil
        default: break
        }
        switch code {
        case NSPersistentStoreTimeoutError: return .locked
        case NSPersistentStoreTypeMismatchError: return .notAStore
        case NSFileReadCorruptFileError, NSPersistentStoreIncompatibleSchemaError: return .damaged
        case NSFileReadNoPermissionError, NSFileWriteNoPermissionError: return .noPermission
        case NSFileReadNoSuchFileError, CocoaError.Code.fileNoSuchFile.rawValue: return .missing
        case NSMigrationMissingSourceModelError, NSStagedMigrationBackwardMigrationError: return .newerModel
        case NSPersistentStoreIncompatibleVersionHashError: return .needsMigration
        default: return nil
        }
    }
}

extension StoreError.Code {
    /// The code of an error in Cocoa's domain.
    fileprivate init(cocoaCode: Int) {
        self =
            switch cocoaCode {
            case NSManagedObjectConstraintValidationError, NSManagedObjectConstraintMergeError: .uniquenessViolation
            case NSManagedObjectValidationError...NSValidationInvalidURIError: .validation
            case NSManagedObjectMergeError, NSPersistentStoreSaveConflictsError: .conflict
            case NSManagedObjectReferentialIntegrityError: .objectDeleted
            case NSPersistentHistoryTokenExpiredError: .historyTokenExpired
            case NSPersistentStoreIncompatibleVersionHashError, NSMigrationMissingSourceModelError: .incompatibleModel
            case NSMigrationError..<NSSQLiteError, NSInferredMappingModelError,
                NSStagedMigrationFrameworkVersionMismatchError, NSStagedMigrationBackwardMigrationError:
                .migrationFailed
            case NSPersistentStoreOpenError, NSPersistentStoreTypeMismatchError, NSPersistentStoreInvalidTypeError,
                NSPersistentStoreIncompatibleSchemaError, NSPersistentStoreTimeoutError, NSFileReadNoSuchFileError,
                NSFileReadCorruptFileError,
                NSFileReadNoPermissionError, NSFileWriteNoPermissionError:
                .cannotOpen
            default: .storeFailed
            }
    }
}

private var NSFileReadNoSuchFileError: Int { CocoaError.Code.fileReadNoSuchFile.rawValue }
private var NSFileReadCorruptFileError: Int { CocoaError.Code.fileReadCorruptFile.rawValue }
private var NSFileWriteNoPermissionError: Int { CocoaError.Code.fileWriteNoPermission.rawValue }
private var NSFileReadNoPermissionError: Int { CocoaError.Code.fileReadNoPermission.rawValue }
