extension NSManagedObjectContext {
    /// Makes the next save compare the row of an object with the one in the store, although the object is not changed.
    ///
    /// The rows of changed and deleted objects are always compared. If the row was changed or deleted in the store since
    /// it was read, the save has a conflict, which the merge policy resolves. A fault is not compared, because its row was
    /// not read.
    ///
    /// - Parameter object: An object of this context.
    public func detectConflicts(for object: NSManagedObject) {
        guard object.context === self, !object.objectID.isTemporaryID else { return }
        saving.compare(object)
    }

    /// Makes the next save conflict with concurrent transactions that change the object or touch it, even if it changes
    /// only members of the object.
    ///
    /// In a file, a transaction conflicts with every other one since its snapshot. On a server, two transactions that add
    /// different members to an object do not change the same row.
    package final func touch(_ object: NSManagedObject) {
        if object.context === self, !object.objectID.isTemporaryID { saving.touch(object) }
    }
}
