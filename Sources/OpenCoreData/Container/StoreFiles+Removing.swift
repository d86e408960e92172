import Foundation

extension StoreFiles {
    /// Removes everything that belongs to a store that is not open. What is not there is passed over.
    ///
    /// The database goes last: what is left of an interrupted removal is a store that still opens.
    func removeAll() throws {
        let notes = [searchNote, SystemFileCalls.draft(of: searchNote)]
        for path in notes + [externalData, rollbackJournal, sharedMemory, writeAheadLog, main]
        where FileManager.default.fileExists(atPath: path) {
            do {
                try calls.removeTree(path)
            } catch {
                throw CoreDataError(NSPersistentStoreOperationError, "Cannot remove the file “\(path)”.", cause: error)
            }
        }
    }
}
