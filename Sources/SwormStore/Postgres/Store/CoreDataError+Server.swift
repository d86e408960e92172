#if PostgreSQL
import Foundation
import SwormPostgres

extension CoreDataError {
    /// Creates the error that describes a failure of a server to the user of a store. It contains neither values nor
    /// secrets.
    ///
    /// - Parameters:
    ///   - action: The action that failed: "read", "save", "open".
    ///   - schema: The tables of the store, by which properties are named; nil before the store is open.
    init(_ error: ServerError, while action: String, place: String, schema: ServerSchema? = nil) {
        let subject = schema?.subject(of: error)
        let (code, condition) = Self.code(of: error, isSaving: action != "read" && action != "open")
        var text = Self.explanation(of: error, subject: subject) ?? error.message
        if let last = text.last, !".!?".contains(last) { text += "." }
        self.init(
            action == "open" && code == NSPersistentStoreOperationError ? NSPersistentStoreOpenError : code,
            "Cannot \(action) the store '\(place)': \(text)", entity: subject?.entity,
            key: subject.flatMap { $0.properties.count == 1 ? $0.properties[0] : nil }, cause: error,
            condition: condition)
    }

    /// Whether no connection to a server became free in time.
    package var isOfFullPool: Bool { (cause as? ServerError)?.isOfFullPool ?? false }

    private static func code(of error: ServerError, isSaving: Bool) -> (Int, StoreCondition?) {
        let permission = (isSaving ? CocoaError.Code.fileWriteNoPermission : .fileReadNoPermission).rawValue
        switch error.kind {
        case .permission: return (permission, nil)
        case .unavailable: return (NSPersistentStoreOperationError, .serverUnavailable)
        case .outcomeUnknown: return (NSPersistentStoreSaveError, .outcomeUnknown)
        case .conflict: return (NSManagedObjectMergeError, .conflict)
        case .cancelled: return (CocoaError.Code.userCancelled.rawValue, nil)
        case .timeout: return (NSPersistentStoreTimeoutError, .timedOut)
        case .uniqueViolation: return (NSManagedObjectConstraintMergeError, nil)
        case .foreignKeyViolation: return (NSManagedObjectReferentialIntegrityError, .conflict)
        case .constraintViolation:
            let isMissing = error.state == .notNullViolation
            return (
                isMissing ? NSValidationMissingMandatoryPropertyError : NSManagedObjectConstraintMergeError, nil
            )
        case .overflow, .divisionByZero, .invalidValue, .limit:
            return (isSaving ? NSManagedObjectValidationError : NSPersistentStoreOperationError, nil)
        case .statement where error.state.map(Self.missing.contains) ?? false:
            return (NSPersistentStoreIncompatibleSchemaError, .schemaDiffers)
        case .transaction where error.state == .readOnlyTransaction: return (permission, .readOnly)
        case .notSupported: return (NSPersistentStoreOperationError, .unsupported)
        case .misuse where error.waitsForItself: return (NSPersistentStoreCoordinatorLockingError, .wouldDeadlock)
        case .server where error.state == .diskFull: return (CocoaError.Code.fileWriteOutOfSpace.rawValue, nil)
        case .address, .statement, .transaction, .misuse, .server: return (NSPersistentStoreOperationError, nil)
        }
    }

    /// The codes for tables, columns and functions that do not exist.
    private static let missing: Set<SQLState> = [
        SQLState(rawValue: "42P01"), SQLState(rawValue: "42703"), SQLState(rawValue: "42883"),
        SQLState(rawValue: "3F000"),
    ]

    /// Returns the explanation in the words of the model, or nil if the server's own names say more.
    private static func explanation(of error: ServerError, subject: ServerSchema.Subject?) -> String? {
        switch error.kind {
        case .timeout:
            guard let sql = error.sql else { return nil }
            return "\(error.message). The statement was: \(sql)"
        case .uniqueViolation:
            guard let subject else { return Self.unknownConstraint(error) }
            return
                "another row has the same \(subject.list) of \(subject.entity), which must be unique. Nothing was saved"
        case .foreignKeyViolation:
            guard let subject else { return Self.unknownConstraint(error) }
            return
                "an object to which \(subject.list) of \(subject.entity) refers was deleted by another transaction, or an object that was deleted is still referred to. Nothing was saved. Read the objects again, and repeat the changes"
        case .constraintViolation:
            guard error.state == .notNullViolation, let subject else { return Self.unknownConstraint(error) }
            return "\(subject.list) of \(subject.entity) is required and has no value. Nothing was saved"
        case .limit:
            guard let subject else { return nil }
            return
                "a value of \(subject.list) of \(subject.entity) is too long for the index \"\(error.constraint ?? "")\": a server indexes at most 2704 bytes. Nothing was saved. Shorten the value, or remove the index from the model"
        case .overflow, .invalidValue:
            return subject.map { "\(error.message) (\($0.list) of \($0.entity))" }
        case .statement where error.state.map(Self.missing.contains) ?? false:
            return "\(error.message). The tables were changed since the store was opened. Open it again"
        default: return nil
        }
    }

    private static func unknownConstraint(_ error: ServerError) -> String {
        let name = error.constraint.map { " \"\($0)\"" } ?? ""
        let table = error.table.map { " of the table \"\($0)\"" } ?? ""
        return
            "a constraint\(name)\(table) that the model does not have rejects a row (SQLSTATE \(error.state?.rawValue ?? "unknown")). Nothing was saved"
    }
}
#endif
