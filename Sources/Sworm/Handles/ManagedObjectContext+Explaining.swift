extension ManagedObjectContext {
    /// How a request is answered: the statement of ``fetch(_:)-(Request<PlainObject>)``.
    ///
    /// Decoding runs the same statement with other columns. Unsaved changes of this `perform` are laid over in memory and
    /// stand in no statement; where they bear on the request, the advice says so.
    ///
    /// - Parameter request: The request. It is not run.
    /// - Throws: A ``StoreError`` when the request is wrong, and with the code `unsupported` on Apple's platforms.
    public func explain<PlainObject: ManagedObjectConvertible>(
        _ request: Request<PlainObject>
    ) throws -> RequestExplanation {
        let query = try EngineQuery(request.content, of: try binding(for: PlainObject.self).entity)
        return try Engine.translating { try Engine.explain(query, isCount: false, in: instance) }
    }

    /// How a request is counted: the statement of ``count(of:)``.
    ///
    /// - Parameter request: The request. It is not run.
    /// - Throws: As ``explain(_:)-(Request<PlainObject>)``.
    public func explainCount<PlainObject: ManagedObjectConvertible>(
        of request: Request<PlainObject>
    ) throws -> RequestExplanation {
        let query = try EngineQuery(request.content, of: try binding(for: PlainObject.self).entity)
        return try Engine.translating { try Engine.explain(query, isCount: true, in: instance) }
    }

    /// How a projection is answered.
    ///
    /// - Parameter projection: The projection. It is not run.
    /// - Throws: As ``explain(_:)-(Request<PlainObject>)``.
    public func explain<PlainObject: ManagedObjectConvertible, Row>(
        _ projection: Projection<PlainObject, Row>
    ) throws -> RequestExplanation {
        let (request, tree) = try projection.checked()
        let query = try EngineQuery(request, of: try binding(for: PlainObject.self).entity)
        return try Engine.translating { try Engine.explain(query, tree, in: instance) }
    }
}

extension Request {
    /// How the request is answered. See ``ManagedObjectContext/explain(_:)-(Request<PlainObject>)``.
    public func explain(in context: ManagedObjectContext) throws -> RequestExplanation { try context.explain(self) }
}

extension Projection {
    /// How the projection is answered. See ``ManagedObjectContext/explain(_:)-(Projection<PlainObject,Row>)``.
    public func explain(in context: ManagedObjectContext) throws -> RequestExplanation { try context.explain(self) }
}
