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
        let query = try EngineQuery(request.content, of: binding.entity)
        // Every value was made by this call, and nothing else holds it.
        nonisolated(unsafe) let values: [PlainObject]
        do {
            values =
                query.isEmpty
                ? []
                : try Engine.decode(query, binding, in: instance)
                    ?? Engine.fetch(query, in: instance).map { try binding.value(of: $0) }
        } catch {
            throw Engine.translated(error)
        }
        return values
    }

    // Inlinable, because an optional of a type that is not known here asks the run time for its type at each call.
    /// The first object that a request finds, as a value; nil when it finds none.
    ///
    /// - Parameter request: The request.
    /// - Throws: As ``decode(_:)``.
    @inlinable
    public func decodeOne<PlainObject: ManagedObjectConvertible>(
        _ request: Request<PlainObject>
    ) throws -> sending PlainObject? {
        // As above: it was made by this call.
        nonisolated(unsafe) let found: PlainObject? =
            try withUnsafeTemporaryAllocation(of: PlainObject.self, capacity: 1) { room in
                guard let place = room.baseAddress, try decodeFirst(request.content, into: place) else { return nil }
                return place.move()
            }
        return found
    }

    /// Puts the first object that a request finds at a place, which holds nothing before.
    ///
    /// - Returns: False when none was found; the place then holds nothing, as it does after an error.
    @usableFromInline
    func decodeFirst<PlainObject: ManagedObjectConvertible>(
        _ request: RequestContent, into place: UnsafeMutablePointer<PlainObject>
    ) throws -> Bool {
        let binding = try binding(for: PlainObject.self)
        var query = try EngineQuery(request, of: binding.entity)
        if query.isEmpty { return false }
        query.limit = 1
        var isFound = false
        do {
            try values(query, binding, at: place) { _ in isFound = true }
        } catch {
            if isFound { place.deinitialize(count: 1) }
            throw Engine.translated(error)
        }
        return isFound
    }

    // Inlinable, so that each value is moved to the closure from where it was made, and none is copied.
    /// Calls a closure with each object that a request finds, as a value.
    ///
    /// Only one value is held at a time, so memory stays flat whatever the number of rows. The rows are those of the moment
    /// of the call: what the closure changes is not seen by it.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - body: What to do with a value. When it throws, the iteration ends and the error is thrown.
    /// - Throws: As ``decode(_:)``, and what the closure throws.
    @inlinable
    public func forEach<PlainObject: ManagedObjectConvertible>(
        _ request: Request<PlainObject>, _ body: (PlainObject) throws -> Void
    ) throws {
        try forEachPlace(request) { try body($0.move()) }
    }

    /// As ``forEach(_:_:)``, with the place of each value, out of which the closure must move it.
    @usableFromInline
    func forEachPlace<PlainObject: ManagedObjectConvertible>(
        _ request: Request<PlainObject>, _ body: (UnsafeMutablePointer<PlainObject>) throws -> Void
    ) throws {
        let binding = try binding(for: PlainObject.self)
        // The closure's own errors pass as they are.
        var failure: (any Swift.Error)?
        func guarded(_ place: UnsafeMutablePointer<PlainObject>) throws {
            do {
                try body(place)
            } catch {
                failure = error
                throw error
            }
        }
        let query = try EngineQuery(request.content, of: binding.entity)
        if query.isEmpty { return }
        do {
            try values(query, binding, guarded)
        } catch {
            throw failure ?? Engine.translated(error)
        }
    }

    /// Hands on the values that a query finds, one after the other.
    ///
    /// - Parameter first: Where the first value is to be, and to stay; there are no others then.
    private func values<T>(
        _ query: EngineQuery, _ binding: EngineBinding<T>, at first: UnsafeMutablePointer<T>? = nil,
        _ body: (UnsafeMutablePointer<T>) throws -> Void
    ) throws {
        if try Engine.forEach(query, binding, in: instance, at: first, body: body) { return }
        for object in try Engine.fetch(query, in: instance) {
            if let first {
                first.initialize(to: try binding.value(of: object))
                return try body(first)
            }
            let place = UnsafeMutablePointer<T>.allocate(capacity: 1)
            defer { place.deallocate() }
            place.initialize(to: try binding.value(of: object))
            // It moves the value out.
            try body(place)
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
