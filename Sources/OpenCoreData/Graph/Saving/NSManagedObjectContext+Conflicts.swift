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
}
