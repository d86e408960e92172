import SwormPredicates

/// The context of one `perform`, with which you fetch, insert and delete objects.
///
/// Reads see one snapshot of the store, merged with the changes of this `perform`. The changes are saved together when
/// the closure returns, and discarded if it throws.
public final class ManagedObjectContext {
    /// An error of a context, as Sworm 1.x declares it.
    public enum Error: Swift.Error, Sendable {
        /// The model has no entity with that name.
        case unknownEntity(String)
    }

    package let instance: NSManagedObjectContext
    let scope: Scope
    private let workspace: PerformState

    init(_ instance: NSManagedObjectContext, scope: Scope, bindings: BindingCache) {
        self.instance = instance
        self.scope = scope
        workspace = PerformState(scope, bindings: bindings)
    }

    /// Releases the workspace. Called when the scope has ended.
    func end() { workspace.end() }

    func binding<T: ManagedObjectConvertible>(for type: T.Type) throws -> EngineBinding<T> {
        try scope.check(T.entityName, id: nil)
        return try workspace.bindings.binding(for: type)
    }

    /// Returns the binding of a type, for a call that changes objects. See ``binding(for:)``.
    func bindingForWriting<T: ManagedObjectConvertible>(for type: T.Type) throws -> EngineBinding<T> {
        try scope.checkWriting(T.entityName, id: nil)
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
        // The value is encoded first, so that an encoding error leaves no incomplete object.
        let values = try family.binding.mapping.values(of: value)
        return ManagedObject(
            try Engine.translating { try Engine.insert(values, family.binding, into: instance) }, in: family)
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
                "\(object.name) cannot be used with this context: it belongs to a perform of another one. Fetch it here by its id.",
                entity: PlainObject.entityName)
        }
    }

    /// Deletes the objects that a request finds, following the delete rules of their relations.
    ///
    /// - Parameter request: The request.
    /// - Throws: A ``StoreError`` if the request is invalid or the store fails.
    public func delete<PlainObject: ManagedObjectConvertible>(_ request: Request<PlainObject>) throws {
        let query = try EngineQuery(request.content, of: try bindingForWriting(for: PlainObject.self).entity)
        if query.isEmpty { return }
        let objects = try Engine.translating { try Engine.fetch(query, in: instance) }
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
    public func count<PlainObject: ManagedObjectConvertible>(of request: Request<PlainObject>) throws -> Int {
        let query = try EngineQuery(request.content, of: try binding(for: PlainObject.self).entity)
        if query.isEmpty { return 0 }
        return try Engine.translating { try Engine.count(query, in: instance) }
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
        let query = try EngineQuery(handles: request, of: family.binding.entity, in: instance)
        if query.isEmpty { return [] }
        do {
            guard let rows = try Engine.fetchRows(query, in: instance) else {
                return try Engine.fetch(query, in: instance).map { ManagedObject($0, in: family) }
            }
            return ManagedObject.handles(
                count: Engine.count(rows), in: HandleStorage(family.binding, workspace: workspace, rows: rows))
        } catch {
            throw Engine.translated(error)
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
                "There is no object \(id) in the store. It was deleted, or the id is of another store.",
                entity: PlainObject.entityName, cause: cause)
        }
        do {
            guard let object = try Engine.object(id.reference, in: instance) else { throw missing(nil) }
            return ManagedObject(object, in: family)
        } catch {
            let translated = Engine.translated(error)
            if StoreError.Code.objectDeleted ~= translated { throw missing(error) }
            throw translated
        }
    }
}
