import Foundation
import SwormSQLite

extension CoreDataError {
    /// Creates the error that describes a failure of SQLite to the user of a store.
    init(_ error: SQLiteError, while action: String, path: String?) {
        let store = path.map { "the store '\($0)'" } ?? "the store in memory"
        func make(
            _ code: Int, _ explanation: String, condition: StoreCondition? = nil
        ) -> CoreDataError {
            CoreDataError(
                code, "Cannot \(action) \(store): \(explanation)", cause: error, condition: condition)
        }
        switch error.code {
        case SQLiteError.busy, SQLiteError.locked:
            self = make(
                NSPersistentStoreTimeoutError,
                "another connection or process has locked it. Close the other one, or raise the timeout.",
                condition: .timedOut)
        case SQLiteError.full:
            self = make(
                CocoaError.Code.fileWriteOutOfSpace.rawValue,
                "the disk is full. Nothing was changed. Free disk space and try again.")
        case SQLiteError.readOnly:
            self = make(
                CocoaError.Code.fileWriteNoPermission.rawValue,
                "the file or its folder is not writable. Open it read-only, or change the permissions.")
        case SQLiteError.permission, SQLiteError.authorization:
            self = make(CocoaError.Code.fileReadNoPermission.rawValue, "the permission to read it is missing.")
        case SQLiteError.cannotOpen:
            self = make(NSPersistentStoreOpenError, "the file cannot be opened.")
        case SQLiteError.notADatabase:
            self = make(CocoaError.Code.fileReadCorruptFile.rawValue, "the file is not a SQLite database.")
        case SQLiteError.corrupt:
            self = make(
                CocoaError.Code.fileReadCorruptFile.rawValue, "the database is damaged (\(error.message)).")
        case SQLiteError.tooBig:
            self = make(NSPersistentStoreSaveError, "a value is larger than SQLite can hold.")
        case SQLiteError.ioError:
            self = make(CocoaError.Code.fileReadUnknown.rawValue, "reading or writing failed (\(error.message)).")
        case _ where error.isInterrupt:
            self = make(CocoaError.Code.userCancelled.rawValue, "it was cancelled.")
        case SQLiteError.constraint:
            self = make(
                NSManagedObjectConstraintMergeError,
                "a constraint of the database that the model does not have rejects a row (\(error.message)).")
        default:
            if let name = Self.missingFunction(error) {
                self = make(
                    NSSQLiteError,
                    "a trigger or an index of the file calls the function '\(name)', which is defined only in the program that created it. Nothing was changed. Write with that program, or remove the trigger or index."
                )
            } else {
                self = make(NSSQLiteError, "SQLite reports '\(error.message)'.")
            }
        }
    }

    /// Returns the name of the function or the module that SQLite does not find. This library's own SQL requires none
    /// that is missing.
    private static func missingFunction(_ error: SQLiteError) -> String? {
        for beginning in ["no such function: ", "no such module: "] where error.message.hasPrefix(beginning) {
            return String(error.message.dropFirst(beginning.count))
        }
        return nil
    }

    /// Returns whether a failed commit may be complete in the log, and take effect when the log is read again, because
    /// the failure occurred at the end, for example while synchronizing with the disk.
    static func leavesCommitInDoubt(_ error: any Error) -> Bool {
        (error as? SQLiteError)?.code == SQLiteError.ioError
    }

    /// Runs a closure and converts SQLite errors into errors of this framework.
    package static func translating<Result>(
        while action: String, path: @autoclosure () -> String?, _ body: () throws -> Result
    ) throws -> Result {
        do {
            return try body()
        } catch let error as SQLiteError {
            throw CoreDataError(error, while: action, path: path())
        }
    }
}

extension CoreDataError {
    static var rowsAreBeingRead: CoreDataError {
        CoreDataError(
            NSPersistentStoreOperationError,
            "The store cannot be written while its rows are being read. Collect the values, and write them after the last row was read."
        )
    }
}
