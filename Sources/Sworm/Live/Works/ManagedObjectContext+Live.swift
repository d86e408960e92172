import SwormPredicates

// Reads for live requests.
extension ManagedObjectContext {
    /// Returns the description of the entity of a type.
    func entityDescription<PlainObject: ManagedObjectConvertible>(
        of type: PlainObject.Type
    ) throws -> NSEntityDescription {
        // The binding throws an error if the model does not fit the type.
        _ = try binding(for: PlainObject.self)
        guard
            let entity = instance.persistentStoreCoordinator?.managedObjectModel
                .entitiesByName[PlainObject.entityName]
        else { throw StoreError.unknownEntity(PlainObject.entityName, among: []) }
        return entity
    }

    /// Returns the rows that a request finds.
    ///
    /// - Parameter keys: The keys of the rows that are read instead, regardless of the condition, order and limits; nil
    ///   for all rows.
    func liveRows<PlainObject: ManagedObjectConvertible>(
        of type: PlainObject.Type, _ request: RequestContent, keys: [Int64]? = nil
    ) throws -> LiveRows<PlainObject> {
        let binding = try binding(for: PlainObject.self)
        if try request.isEmpty() { return LiveRows() }
        var read = keys.map { instance.request(forKeys: $0, of: PlainObject.entityName) } ?? request
        read.isExact = RequestContent(of: PlainObject.self).isExact
        var rows: LiveRows<PlainObject>
        do {
            if let direct = try instance.liveRows(read, with: binding) {
                if !binding.hasDerivedAttributes { return direct }
                rows = direct
            } else {
                rows = try objectRows(read, binding)
            }
        } catch {
            throw translatedError(error)
        }
        // Objects have no versions here, and a derived value may change without a new version.
        rows.hasVersions = false
        return rows
    }

    /// Returns the rows that a request finds, given those that it found before. Rows with the same version are not read
    /// again.
    ///
    /// Identities and versions are read first, because they are sorted faster than whole rows.
    ///
    /// - Parameter offsets: The offsets of the rows that it found before.
    func liveRows<PlainObject: ManagedObjectConvertible>(
        _ request: RequestContent, after rows: LiveRows<PlainObject>, _ offsets: inout LiveOffsets
    ) throws -> LiveRows<PlainObject> {
        let binding = try binding(for: PlainObject.self)
        guard rows.hasVersions, offsets.isUnique,
            let sources = try translatingErrors({ try instance.liveSources(of: binding.entity) }),
            let stamps = try translatingErrors({ try instance.liveStamps(request, of: binding.entity) })
        else { return try liveRows(of: PlainObject.self, request) }
        let origins = offsets.origins(of: stamps, in: rows.stamps)
        let changed = zip(stamps, origins).filter { $1 < 0 }.map { $0.0.identity.key }
        guard changed.count <= Swift.max(stamps.count / 4, 10) else {
            return try liveRows(of: PlainObject.self, request)
        }
        var read: [Int64: LiveRecord<PlainObject>] = [:]
        if !changed.isEmpty {
            for record in try liveRows(of: PlainObject.self, request, keys: changed).records {
                read[record.identity.key] = record
            }
        }
        // Both reads see the same snapshot, so that none is missing.
        guard let records = rows.records(at: origins, or: { read[stamps[$0].identity.key] }) else {
            return try liveRows(of: PlainObject.self, request)
        }
        return LiveRows(records, stamps: stamps, sources: sources)
    }

    /// Returns the identities of the objects that a request finds.
    func liveIDs<PlainObject: ManagedObjectConvertible>(
        of request: RequestContent
    ) throws -> [ManagedObjectID<PlainObject>] {
        let binding = try binding(for: PlainObject.self)
        if try request.isEmpty() { return [] }
        return try translatingErrors {
            guard let stamps = try instance.liveStamps(request, of: binding.entity),
                let sources = try instance.liveSources(of: binding.entity)
            else {
                return try instance.fetchObjects(request, of: binding.entity).map {
                    ManagedObjectID($0.objectID.reference)
                }
            }
            return stamps.map { ManagedObjectID(sources.reference(of: $0.identity)) }
        }
    }

    /// Returns whether a request would find one of the rows with these keys, regardless of its order and limits.
    func finds<PlainObject: ManagedObjectConvertible>(
        _ type: PlainObject.Type, _ request: RequestContent, among keys: Set<Int64>
    ) throws -> Bool {
        guard let condition = request.condition else { return true }
        var test = instance.request(forKeys: keys.sorted(), of: PlainObject.entityName)
        test.isExact = RequestContent(of: PlainObject.self).isExact
        test.narrow(condition)
        test.limit = 1
        let binding = try binding(for: PlainObject.self)
        return try translatingErrors { try instance.countObjects(test, of: binding.entity) > 0 }
    }

    /// Returns the rows as read through objects.
    private func objectRows<PlainObject>(
        _ request: RequestContent, _ binding: EntityBinding<PlainObject>
    ) throws -> LiveRows<PlainObject> {
        var sources = LiveSources(
            stores: instance.storeIdentifiers,
            entities: try entityDescription(of: PlainObject.self).family.map(\.stableName))
        let records = try instance.fetchObjects(request, of: binding.entity).map { object in
            LiveRecord(
                value: try binding.value(of: object), identity: sources.identity(of: object.objectID.reference))
        }
        return LiveRows(records, stamps: LiveRecord.stamps(records), sources: sources)
    }
}
