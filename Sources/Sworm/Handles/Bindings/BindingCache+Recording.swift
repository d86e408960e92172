import SwormPredicates

extension BindingCache {
    /// Records that handles of a type are used, if reads are recorded.
    func recordHandles<T: ManagedObjectConvertible>(of type: T.Type) {
        guard let recorder else { return }
        recorder.noteHandles(of: description(of: T.entityName))
    }

    /// Returns the description of an entity of the context's model.
    func description(of entity: String) -> NSEntityDescription? {
        context.persistentStoreCoordinator?.managedObjectModel.entitiesByName[entity]
    }
}
