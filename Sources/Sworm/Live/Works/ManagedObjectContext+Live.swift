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
        let read = try keys.map { try self.request(for: type, keys: $0) } ?? request
        var rows: LiveRows<PlainObject>
        do {
            rows = try instance.liveRows(read, with: binding) ?? objectRows(read, binding)
        } catch {
            throw translatedError(error)
        }
        if instance.hasVersions, !binding.hasDerivedAttributes { return rows }
        // A value that was derived by the store, or by Core Data, may change without a new version.
        let mapping = binding.mapping
        rows.isSameValue = { one, other in
            guard let values = try? mapping.values(of: one), let others = try? mapping.values(of: other) else {
                return false
            }
            return values == others
        }
        return rows
    }

    /// Returns whether a request would find one of the rows with these keys, regardless of its order and limits.
    func finds<PlainObject: ManagedObjectConvertible>(
        _ type: PlainObject.Type, _ request: RequestContent, among keys: Set<Int64>
    ) throws -> Bool {
        guard let condition = request.condition else { return true }
        var test = try self.request(for: type, keys: keys.sorted())
        test.narrow(condition)
        test.limit = 1
        let binding = try binding(for: PlainObject.self)
        return try translatingErrors { try instance.countObjects(test, of: binding.entity) > 0 }
    }

    private func request<PlainObject: ManagedObjectConvertible>(
        for type: PlainObject.Type, keys: [Int64]
    ) throws -> RequestContent {
        let objects = instance.storeIdentifiers.flatMap { store in
            keys.map { key in
                ExpressionTree.value(
                    .object(
                        ObjectReference(storeIdentifier: store, entityName: PlainObject.entityName, key: key)))
            }
        }
        var content = RequestContent()
        content.condition = ConditionContent(
            .comparison(Comparison(.evaluatedObject, by: .in, with: .list(objects))))
        return content
    }

    /// Returns the rows as read through objects.
    private func objectRows<PlainObject>(
        _ request: RequestContent, _ binding: EntityBinding<PlainObject>
    ) throws -> LiveRows<PlainObject> {
        var rows = LiveRows<PlainObject>()
        rows.records = try instance.fetchObjects(request, of: binding.entity).map { object in
            LiveRecord(
                value: try binding.value(of: object),
                identity: rows.sources.identity(of: object.objectID.reference))
        }
        return rows
    }
}
