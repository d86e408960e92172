import Foundation

extension OpenStore {
    /// Throws an error if Core Data began to mirror the store to CloudKit while it was open, and the store was not opened
    /// for writing a mirrored store.
    func refuseNewMirroring(keepsHistory: Bool) throws {
        guard !writesMirroredStores || !keepsHistory else { return }
        let name = path ?? "in memory"
        guard writesMirroredStores else {
            throw CoreDataError(
                CocoaError.Code.fileWriteNoPermission.rawValue,
                "Cannot write: Core Data has begun to mirror the store '\(name)' to CloudKit since it was opened. Close the store, and open it again with the option \(SwormWritesMirroredStoresOption).",
                condition: .readOnly)
        }
        throw CoreDataError(
            NSPersistentStoreSaveError,
            "Cannot save: Core Data has begun to mirror the store '\(name)' to CloudKit since it was opened, and the store has no history, without which the mirroring does not upload the changes. Close the store, and open it again."
        )
    }
}
