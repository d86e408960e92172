extension ManagedObjectContext {
    /// Returns an explanation of how a request is run: the statement of ``fetch(_:)-(Request<PlainObject>)``.
    ///
    /// Decoding runs the same statement with other columns. Unsaved changes of this `perform` are merged in memory and
    /// do not appear in a statement. If they affect the request, the advice states this.
    ///
    /// - Parameter request: The request. It is not run.
    /// - Throws: A ``StoreError`` if the request is invalid, and one with the code `unsupported` on Apple's platforms.
    public func explain<PlainObject: ManagedTreeConvertible>(
        _ request: Request<PlainObject>
    ) throws -> RequestExplanation {
        let entity = try binding(for: PlainObject.self).entity
        try request.validate()
        return try translatingErrors { try instance.explain(request.content, of: entity) }
    }

    /// Returns an explanation of how the objects of a request are counted: the statement of ``count(of:)``.
    ///
    /// - Parameter request: The request. It is not run.
    /// - Throws: The errors of ``explain(_:)-(Request<PlainObject>)``.
    public func explainCount<PlainObject: ManagedTreeConvertible>(
        of request: Request<PlainObject>
    ) throws -> RequestExplanation {
        let entity = try binding(for: PlainObject.self).entity
        try request.validate()
        return try translatingErrors { try instance.explain(request.content, of: entity, isCount: true) }
    }

    /// Returns an explanation of how a projection is run.
    ///
    /// - Parameter projection: The projection. It is not run.
    /// - Throws: The errors of ``explain(_:)-(Request<PlainObject>)``.
    public func explain<PlainObject: ManagedObjectConvertible, Row>(
        _ projection: Projection<PlainObject, Row>
    ) throws -> RequestExplanation {
        let (request, tree) = try projection.checked()
        let entity = try binding(for: PlainObject.self).entity
        try request.validate()
        return try translatingErrors { try instance.explain(tree, of: request, entity: entity) }
    }
}

extension Request {
    /// Returns an explanation of how the request is run.
    ///
    /// See ``ManagedObjectContext/explain(_:)-(Request<PlainObject>)``.
    public func explain(in context: ManagedObjectContext) throws -> RequestExplanation { try context.explain(self) }
}

extension Projection {
    /// Returns an explanation of how the projection is run.
    ///
    /// See ``ManagedObjectContext/explain(_:)-(Projection<PlainObject,Row>)``.
    public func explain(in context: ManagedObjectContext) throws -> RequestExplanation { try context.explain(self) }
}
