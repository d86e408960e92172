import SwormPredicates

/// The context of one `perform`, with which you fetch, insert and delete objects.
///
/// Reads see one snapshot of the store, merged with the changes of this `perform`. The changes are saved together when
/// the closure returns, and discarded if it throws.
public final class ManagedObjectContext {
    package let instance: NSManagedObjectContext
    let scope: Scope
    private let workspace: PerformState

    init(_ instance: NSManagedObjectContext, scope: Scope, bindings: BindingCache) {
        self.instance = instance
        self.scope = scope
        workspace = PerformState(scope, bindings: bindings)
    }

    var bindings: BindingCache { workspace.bindings }

    /// Releases the workspace. Called when the scope has ended.
    func end() { workspace.end() }

    func binding<T: ManagedTreeConvertible>(for type: T.Type) throws -> EntityBinding<T> {
        try scope.check(T.Entity.entityName, id: nil)
        return try workspace.bindings.binding(for: type)
    }

    /// Returns the binding of a type, for a call that changes objects. See ``binding(for:)``.
    func bindingForWriting<T: ManagedObjectConvertible>(for type: T.Type) throws -> EntityBinding<T> {
        try scope.checkWriting(T.entityName, id: nil)
        return try workspace.bindings.binding(for: type)
    }

    /// Returns the binding of a type, for a call that changes objects without creating them. See ``binding(for:)``.
    func bindingForBulkWriting<T: ManagedObjectConvertible>(for type: T.Type) throws -> EntityBinding<T> {
        try scope.checkWriting(T.entityName, id: nil)
        try scope.checkBulkWriting(T.entityName)
        return try workspace.bindings.binding(for: type)
    }

    /// Returns the state that the handles of a type share.
    func family<T: ManagedObjectConvertible>(of type: T.Type) throws -> HandleStorage<T> {
        try scope.check(T.entityName, id: nil)
        return try workspace.family(of: type)
    }
}

// MARK: Writing

extension ManagedObjectContext {
    /// Inserts a new object.
    ///
    /// - Parameter value: The object's values.
    /// - Returns: A handle to the object.
    /// - Throws: A ``StoreError`` if the model lacks the entity or an attribute, or a value does not fit it.
    @discardableResult
    public func insert<PlainObject: ManagedObjectConvertible>(
        _ value: PlainObject
    ) throws -> ManagedObject<PlainObject> {
        try scope.checkWriting(PlainObject.entityName, id: nil)
        let family = try family(of: PlainObject.self)
        try family.binding.mapping.requireNoBranches()
        return ManagedObject(try translatingErrors { try family.binding.insert(value, into: instance) }, in: family)
    }

    /// Deletes an object, following the delete rules of its relations.
    ///
    /// - Parameter managedObject: A handle of this `perform`.
    /// - Throws: A ``StoreError`` if the handle is no longer valid, or belongs to another `perform`.
    public func delete<PlainObject: ManagedObjectConvertible>(_ managedObject: ManagedObject<PlainObject>) throws {
        try requireOwn(managedObject)
        try managedObject.checkWriting()
        instance.delete(managedObject.instance)
    }

    /// Throws an error if this context and a handle cannot be used together in the current scope and thread.
    package func requireOwn<PlainObject>(_ object: ManagedObject<PlainObject>) throws {
        try scope.check(PlainObject.entityName, id: nil)
        try object.check()
        guard object.instance.managedObjectContext === instance else {
            throw StoreError(
                .otherContext,
                "\(object.name) cannot be used with this context: it belongs to another context. Fetch it by its id in this context.",
                entity: PlainObject.entityName)
        }
    }

    /// Deletes the objects that a request finds, following the delete rules of their relations.
    ///
    /// - Parameter request: The request.
    /// - Throws: A ``StoreError`` if the request is invalid or the store fails.
    public func delete<PlainObject: ManagedObjectConvertible>(_ request: Request<PlainObject>) throws {
        let binding = try bindingForWriting(for: PlainObject.self)
        if try request.content.isEmpty() { return }
        let objects = try translatingErrors { try instance.fetchObjects(request.content, of: binding.entity) }
        for object in objects { instance.delete(object) }
    }
}

// MARK: Reading handles

extension ManagedObjectContext {
    /// Returns the number of objects that a request finds.
    ///
    /// - Parameter request: The request. A limit caps the count.
    /// - Throws: A ``StoreError`` if the request is invalid or the store fails.
    @discardableResult
    public func count<PlainObject: ManagedTreeConvertible>(of request: Request<PlainObject>) throws -> Int {
        let binding = try binding(for: PlainObject.self)
        record(request.content, of: binding.mapping, attributes: [])
        if try request.content.isEmpty() { return 0 }
        return try translatingErrors { try instance.countObjects(request.content, of: binding.entity) }
    }

    /// Returns handles to the objects that a request finds.
    ///
    /// ``Request/prefetch(_:_:)`` and ``Request/batchSize(_:)`` control which relations are read too, and how many
    /// objects are read at a time.
    ///
    /// - Parameter request: The request.
    /// - Throws: A ``StoreError`` if the request is invalid or the store fails.
    @discardableResult
    public func fetch<PlainObject: ManagedObjectConvertible>(
        _ request: Request<PlainObject>
    ) throws -> [ManagedObject<PlainObject>] {
        try handles(request.content)
    }

    private func handles<PlainObject>(_ request: RequestContent) throws -> [ManagedObject<PlainObject>] {
        let family = try family(of: PlainObject.self)
        let entity = family.binding.entity
        record(request, of: family.binding.mapping)
        let isEmpty = try request.isEmpty()
        if !request.prefetch.isEmpty {
            try instance.checkRelations(request.prefetch, ofEntity: family.binding.mapping.entityName)
        }
        if isEmpty { return [] }
        do {
            guard let rows = try instance.fetchRows(request, of: entity) else {
                return try instance.fetchObjects(request, of: entity, prefetching: true)
                    .map { ManagedObject($0, in: family) }
            }
            return ManagedObject.handles(
                count: rows.count, in: HandleStorage(family.binding, workspace: workspace, rows: rows))
        } catch {
            throw translatedError(error)
        }
    }

    /// Returns a handle to the first object that a request finds, or nil if it finds none.
    ///
    /// - Parameter request: The request.
    /// - Throws: A ``StoreError`` if the request is invalid or the store fails.
    @discardableResult
    public func fetchOne<PlainObject: ManagedObjectConvertible>(
        _ request: Request<PlainObject>
    ) throws -> ManagedObject<PlainObject>? {
        // The content is limited instead of the request, and the array is not asked for its first element: both would
        // look up generic types, which takes a tenth of the time of a fetch by a key.
        let found: [ManagedObject<PlainObject>] = try handles(request.content.limitedToFirst)
        return found.isEmpty ? nil : found[0]
    }

    /// Returns a handle to the object with the given id.
    ///
    /// - Parameter id: The id of the object.
    /// - Throws: A ``StoreError`` with the code `objectNotFound` if there is no such object.
    public func object<PlainObject: ManagedObjectConvertible>(
        with id: ManagedObjectID<PlainObject>
    ) throws -> ManagedObject<PlainObject> {
        let family = try family(of: PlainObject.self)
        func missing(_ cause: (any Swift.Error)?) -> StoreError {
            StoreError(
                .objectNotFound,
                "There is no object \(id) in the store. It was deleted, or the id belongs to another store.",
                entity: PlainObject.entityName, cause: cause)
        }
        do {
            guard let object = try instance.existingObject(for: id.reference) else { throw missing(nil) }
            return ManagedObject(object, in: family)
        } catch {
            let translated = translatedError(error)
            if StoreError.Code.objectDeleted ~= translated { throw missing(error) }
            throw translated
        }
    }
}
