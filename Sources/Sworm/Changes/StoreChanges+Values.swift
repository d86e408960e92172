extension StoreChanges {
    /// Returns the newest values of the inserted and updated objects of a type. Objects that have been deleted since are
    /// left out.
    ///
    /// - Parameter type: The type.
    /// - Returns: The values by id, read from one snapshot.
    /// - Throws: The errors of ``ManagedObjectContext/decode(_:)->[PlainObject]``.
    public func values<PlainObject: ManagedObjectConvertible & Sendable>(
        of type: PlainObject.Type
    ) throws -> [ManagedObjectID<PlainObject>: PlainObject] {
        let ids = of(type).filter { $0.kind != .deleted }.map(\.id)
        guard let container = container as? PersistentContainer, !ids.isEmpty else { return [:] }
        var values: [ManagedObjectID<PlainObject>: PlainObject] = [:]
        try container.read { (context: ManagedObjectContext) in
            for object in try context.fetch(PlainObject.all.where { $0.isIn(ids) }) {
                values[object.id] = try object.decode()
            }
        }
        return values
    }
}
