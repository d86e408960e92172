import SwormPredicates

// Values straight from rows: no object is made, unless changes of this `perform` have to be laid over.
extension ManagedObjectContext {
    /// The objects that a request finds, as values.
    ///
    /// This is the quickest way to read: rows become values without any object in between. The values may leave the
    /// `perform`, also when they are instances of classes.
    ///
    /// - Parameter request: The request.
    /// - Throws: A ``StoreError`` when the request is wrong or the store fails; ``AttributeError/badAttribute(_:)`` for a
    ///   value that the type cannot hold.
    public func decode<PlainObject: ManagedObjectConvertible>(
        _ request: Request<PlainObject>
    ) throws -> sending [PlainObject] {
        let binding = try binding(for: PlainObject.self)
        let values = try Engine.translating {
            let query = try EngineQuery(request)
            if let values = try Engine.decode(query, binding, in: instance) { return values }
            return try Engine.fetch(query, in: instance).map { try binding.value(of: $0) }
        }
        // Every value was made by this call, and nothing else holds it.
        nonisolated(unsafe) let given = values
        return given
    }

    /// The first object that a request finds, as a value; nil when it finds none.
    ///
    /// - Parameter request: The request.
    /// - Throws: As ``decode(_:)``.
    public func decodeOne<PlainObject: ManagedObjectConvertible>(
        _ request: Request<PlainObject>
    ) throws -> sending PlainObject? {
        try decode(request.limit(1)).first
    }

    /// Calls a closure with each object that a request finds, as a value.
    ///
    /// Only one value is held at a time, so memory stays flat whatever the number of rows. The rows are those of the moment
    /// of the call: what the closure changes is not seen by it.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - body: What to do with a value. When it throws, the iteration ends and the error is thrown.
    /// - Throws: As ``decode(_:)``, and what the closure throws.
    public func forEach<PlainObject: ManagedObjectConvertible>(
        _ request: Request<PlainObject>, _ body: (PlainObject) throws -> Void
    ) throws {
        let binding = try binding(for: PlainObject.self)
        // The closure's own errors pass as they are.
        var failure: (any Swift.Error)?
        func guarded(_ value: PlainObject) throws {
            do {
                try body(value)
            } catch {
                failure = error
                throw error
            }
        }
        do {
            let query = try EngineQuery(request)
            if try Engine.forEach(query, binding, in: instance, body: guarded) { return }
            for object in try Engine.fetch(query, in: instance) { try guarded(try binding.value(of: object)) }
        } catch {
            throw failure ?? Engine.translated(error)
        }
    }
}

extension EngineBinding {
    /// An object as a value.
    func value(of object: NSManagedObject) throws -> T {
        var value = T()
        for index in plan.attributes.indices {
            try plan.write(try Engine.value(object, index, self), at: index, into: &value)
        }
        return value
    }
}
