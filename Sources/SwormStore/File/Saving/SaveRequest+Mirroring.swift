extension SaveRequest {
    /// Throws an error if the changes would be recorded in the history of a mirrored store as those of the mirroring
    /// itself, which does not upload its own changes.
    func refuseMirroringAuthor() throws {
        let names = [("transaction author", author), ("name of the context", contextName)]
        for case (let what, let name?) in names where MirroringNames.isOwn(author: name) {
            throw CoreDataError(
                NSPersistentStoreSaveError,
                "Cannot save: the \(what) is '\(name)', which marks changes of the mirroring itself, and the store is mirrored to CloudKit. Core Data would not upload the changes. Use another name."
            )
        }
    }
}
