/// The statement that answers a request, how SQLite works it out, and what makes it slow.
///
/// ```swift
/// print(try store.perform { try $0.explain(Book.all.where { $0.title == "War and Peace" }) })
/// ```
/// The statement is not run for that. On Apple's platforms Core Data makes the statements and does not show them, so that
/// there is no explanation there.
public struct RequestExplanation: Sendable, Hashable, CustomStringConvertible {
    /// The text of the statement, with numbered parameters in the place of values.
    public let sql: String

    /// The values of the parameters, from `?1` on, as SQL writes them: `'War and Peace'`, `1869`, `NULL`.
    ///
    /// Long bytes are cut.
    public let bindings: [String]

    /// The lines of SQLite's `EXPLAIN QUERY PLAN`; what is part of a step stands further in. The words are those of the
    /// SQLite that is in use.
    public let plan: [String]

    /// What takes time that grows with the number of rows, a sentence for each; empty where indexes serve the request, and
    /// where all rows are asked for.
    public let advice: [String]

    /// The entities all of whose rows are looked at to find some of them.
    public let scannedEntities: [String]

    package init(sql: String, bindings: [String], plan: [String], advice: [String], scannedEntities: [String]) {
        self.sql = sql
        self.bindings = bindings
        self.plan = plan
        self.advice = advice
        self.scannedEntities = scannedEntities
    }

    /// Everything, a line for each.
    public var description: String {
        let values = bindings.enumerated().map { "?\($0 + 1) = \($1)" }
        return ([sql] + values + plan.map { "  " + $0 } + advice).joined(separator: "\n")
    }
}

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
