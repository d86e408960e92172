// The errors for a turn or a slot that is not granted.
extension CoreDataError {
    package static var turnIsTaken: CoreDataError {
        CoreDataError(
            NSPersistentStoreTimeoutError,
            "Cannot write: another transaction of this process did not finish in time. Keep transactions short, or raise the timeout.",
            condition: .timedOut)
    }

    package static var slotsAreTaken: CoreDataError {
        CoreDataError(
            NSPersistentStoreTimeoutError,
            "Cannot read: the calls of this process that read the store did not finish in time. Keep them short, or raise the number of readers.",
            condition: .timedOut)
    }

    static var hasTransaction: CoreDataError {
        CoreDataError(
            NSPersistentStoreCoordinatorLockingError,
            "This thread already has an open transaction of the store, and would wait for itself. Write in that transaction, or end it first.",
            condition: .wouldDeadlock)
    }
}
