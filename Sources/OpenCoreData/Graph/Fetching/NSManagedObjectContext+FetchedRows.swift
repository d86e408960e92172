import SwormRows
package import SwormStore

extension NSManagedObjectContext {
    /// Returns the objects of the stored rows that a request finds, in its order.
    final func savedObjects(
        _ specification: FetchSpecification, in origin: ObjectOrigin, isRefreshing: Bool, reading: FetchReading
    ) throws -> [NSManagedObject] {
        if let parent = nesting.parent {
            return try objectsOfParent(
                parent, specification, in: origin, isRefreshing: isRefreshing, reading: reading)
        }
        let shape = self.shape(of: specification.entity, origin)
        let buffer = try withSession(of: origin) { try $0.rows(specification, shape: shape) }
        let group = RowSet(buffer: buffer, shape: shape, readAt: timeOfReading)
        var objects: [NSManagedObject] = []
        objects.reserveCapacity(buffer.count)
        for row in 0..<buffer.count {
            objects.append(
                try object(
                    in: group, row: row, origin: origin, isRefreshing: isRefreshing, isFault: reading.returnsFaults))
        }
        return objects
    }

    /// Returns the rows that a request finds, without objects, or nil if objects must be created immediately.
    ///
    /// Objects are required if unsaved changes affect the request, if several stores serve it, or if the entity has a
    /// custom class, which expects its objects to be awakened.
    package final func fetchRows(
        _ specification: FetchSpecification, reading: FetchReading = FetchReading()
    ) throws -> FetchedRows? {
        try throwReadError()
        let origins = try requireCoordinator().origins(of: specification.entity)
        guard let origin = origins.first, origins.count == 1, nesting.parent == nil,
            pendingEffect(on: specification) == .none
        else {
            return nil
        }
        for number in origin.compiled[specification.entity].family
        where objectClass(of: origin.compiled[number]) != NSManagedObject.self { return nil }
        if reading.batchSize > 0 {
            let found = try identities(specification, in: origin)
            return FetchedRows(
                RowBatches(found, entity: specification.entity, reading: reading, origin: origin), origin: origin,
                context: self)
        }
        let shape = self.shape(of: specification.entity, origin)
        let buffer = try withSession(of: origin) { try $0.rows(specification, shape: shape) }
        let group = RowSet(buffer: buffer, shape: shape, readAt: timeOfReading)
        // A row of the file may contain any entity number. An unknown one is an error before any handle exists.
        try group.checkEntities(model: origin.compiled)
        try prefetch(reading.prefetch, in: group, origin: origin)
        return FetchedRows(group, origin: origin, context: self)
    }
}
