// The errors for a turn or a slot that is not granted.
extension CoreDataError {
    package static var turnIsTaken: CoreDataError {
        CoreDataError(
            NSPersistentStoreTimeoutError,
            "Cannot write: another transaction of this process did not end in time. Keep transactions short, or raise the timeout.",
            condition: .timedOut)
    }

    package static var slotsAreTaken: CoreDataError {
        CoreDataError(
            NSPersistentStoreTimeoutError,
            "Cannot read: the calls of this process that read the store did not end in time. Keep them short, or raise the number of readers.",
            condition: .timedOut)
    }

    static var hasTransaction: CoreDataError {
        CoreDataError(
            NSPersistentStoreCoordinatorLockingError,
            "This thread has a transaction of the store open already, and would wait for itself. Write into that transaction, or end it first.",
            condition: .wouldDeadlock)
    }
}
