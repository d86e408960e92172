package import SwormStore

extension NSManagedObjectContext {
    /// Calls a closure with a session, in which the objects of several entities can be read together. Returns nil if unsaved
    /// changes or several stores require that objects are used.
    ///
    /// - Parameters:
    ///   - entities: The numbers of the entities.
    ///   - specification: The first request.
    ///   - readsOthers: Whether objects of further entities may be read.
    package final func withSession<R>(
        ofEntities entities: [Int], for specification: FetchSpecification, readingOthers readsOthers: Bool,
        _ body: (any StoreSession, _ storeIdentifier: String) throws -> R
    ) throws -> R? {
        try throwReadError()
        let coordinator = try requireCoordinator()
        let origins = try coordinator.origins(of: specification.entity)
        guard let origin = origins.first, origins.count == 1, nesting.parent == nil else { return nil }
        for entity in entities {
            let others = try coordinator.origins(of: entity)
            guard others.count == 1, others[0] === origin else { return nil }
        }
        if hasChanges {
            guard !readsOthers, pendingEffect(on: specification) == .none else { return nil }
            let changed = [insertedList, updatedList, deletedList].flatMap { Array($0.entities) }
            let model = coordinator.compiledModel
            if entities.contains(where: { entity in changed.contains { model[entity].family.contains($0) } }) {
                return nil
            }
        }
        return try withSession(of: origin) { try body($0, origin.storeIdentifier) }
    }
}
