import Foundation
import SwormSQLite
import SwormRows

extension InterruptToken {
    /// The error for work that must stop, or nil if the work may continue.
    package var failure: CoreDataError? {
        switch reason {
        case .cancelled:
            CoreDataError(CocoaError.Code.userCancelled.rawValue, "The context was interrupted. Nothing was read.")
        case .suspended: .storeIsSuspended
        case nil: isLate ? .deadlineHasPassed : nil
        }
    }

    /// Returns the reason for which the work was stopped if the error results from that, or the error itself.
    func explaining(_ error: any Error) -> any Error {
        guard let error = error as? SQLiteError, error.isInterrupt || error.code == SQLiteError.busy else {
            return error
        }
        return failure ?? error
    }
}

extension CoreDataError {
    static var deadlineHasPassed: CoreDataError {
        CoreDataError(
            NSPersistentStoreTimeoutError,
            "The deadline was exceeded. The work was stopped, and nothing was saved. Do less in one call, or allow more time.",
            condition: .timedOut)
    }

    static var storeIsSuspended: CoreDataError {
        CoreDataError(
            NSPersistentStoreOperationError, "The store is suspended. Resume it before using it.",
            condition: .suspended)
    }
}
