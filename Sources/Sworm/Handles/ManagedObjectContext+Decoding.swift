import SwormPredicates

// Values decoded directly from rows: no objects are created, unless changes of this `perform` must be merged.
extension ManagedObjectContext {
    /// Returns the objects that a request finds, as values.
    ///
    /// This is the fastest way to read, because rows are decoded without intermediate objects. The values may leave the
    /// `perform`, even if they are instances of classes.
    ///
    /// - Parameter request: The request.
    /// - Throws: A ``StoreError`` if the request is invalid or the store fails. ``AttributeError/badAttribute(_:)`` if
    ///   the type cannot hold a value.
    public func decode<PlainObject: ManagedTreeConvertible>(
        _ request: Request<PlainObject>
    ) throws -> sending [PlainObject] {
        let binding = try binding(for: PlainObject.self)
        let request = request.content
        record(request, of: binding.mapping)
        // This call created every value, and nothing else references it.
        nonisolated(unsafe) let values: [PlainObject]
        do {
            values =
                try binding.mapping.hasBranches
                ? trees(request)
                : request.isEmpty()
                    ? []
                    : try instance.decode(request, with: binding)
                        ?? instance.fetchObjects(request, of: binding.entity).map { try binding.value(of: $0) }
        } catch {
            throw translatedError(error)
        }
        return values
    }

    // Inlinable, because an optional of a generic type requests its metadata from the runtime at each call.
    /// Returns the first object that a request finds as a value, or nil if it finds none.
    ///
    /// - Parameter request: The request.
    /// - Throws: The errors of ``decode(_:)->[PlainObject]``.
    @inlinable
    public func decodeOne<PlainObject: ManagedTreeConvertible>(
        _ request: Request<PlainObject>
    ) throws -> sending PlainObject? {
        // This call created the value, and nothing else references it.
        nonisolated(unsafe) let found: PlainObject? =
            try withUnsafeTemporaryAllocation(of: PlainObject.self, capacity: 1) { room in
                guard let place = room.baseAddress, try decodeFirst(request.content, into: place) else { return nil }
                return place.move()
            }
        return found
    }

    /// Initializes uninitialized memory with the first object that a request finds.
    ///
    /// - Returns: False if no object was found. The memory remains uninitialized then, as it does after an error.
    @usableFromInline
    func decodeFirst<PlainObject: ManagedTreeConvertible>(
        _ request: RequestContent, into place: UnsafeMutablePointer<PlainObject>
    ) throws -> Bool {
        let binding = try binding(for: PlainObject.self)
        record(request, of: binding.mapping)
        if try request.isEmpty() { return false }
        var request = request
        request.limit = 1
        if binding.mapping.hasBranches { return try decodeFirstTree(request, into: place) }
        var isFound = false
        do {
            try values(of: request, with: binding, at: place) { _ in isFound = true }
        } catch {
            if isFound { place.deinitialize(count: 1) }
            throw translatedError(error)
        }
        return isFound
    }

    // Not inlined: its metadata would be requested by each call for a value that is no tree.
    @inline(never)
    private func decodeFirstTree<T: ManagedTreeConvertible>(
        _ request: RequestContent, into place: UnsafeMutablePointer<T>
    ) throws -> Bool {
        let trees: [T] = try translatingErrors { try self.trees(request) }
        guard let tree = trees.first else { return false }
        place.initialize(to: tree)
        return true
    }

    // Inlinable, so that each value is moved from its memory to the closure without a copy.
    /// Calls a closure with each object that a request finds, as a value.
    ///
    /// Only one value is in memory at a time, so memory use is independent of the number of rows. The rows are those at
    /// the time of the call: the iteration does not include changes that the closure makes.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - body: A closure that is called with each value. If it throws, the iteration ends and the error is rethrown.
    /// - Throws: The errors of ``decode(_:)->[PlainObject]``, and those of the closure.
    @inlinable
    public func forEach<PlainObject: ManagedTreeConvertible>(
        _ request: Request<PlainObject>, _ body: (PlainObject) throws -> Void
    ) throws {
        try forEachPlace(request) { try body($0.move()) }
    }

    /// Calls a closure with the address of each value, out of which the closure must move it. See ``forEach(_:_:)``.
    @usableFromInline
    func forEachPlace<PlainObject: ManagedTreeConvertible>(
        _ request: Request<PlainObject>, _ body: (UnsafeMutablePointer<PlainObject>) throws -> Void
    ) throws {
        let binding = try binding(for: PlainObject.self)
        record(request.content, of: binding.mapping)
        // Errors of the closure are rethrown unchanged.
        var failure: (any Swift.Error)?
        func guarded(_ place: UnsafeMutablePointer<PlainObject>) throws {
            do {
                try body(place)
            } catch {
                failure = error
                throw error
            }
        }
        if try request.content.isEmpty() { return }
        do {
            if binding.mapping.hasBranches {
                return try TreeReader(instance, bindings: bindings).forEach(
                    in: request.content, of: PlainObject.self, guarded)
            }
            try values(of: request.content, with: binding, guarded)
        } catch {
            throw failure ?? translatedError(error)
        }
    }

    private func trees<T: ManagedTreeConvertible>(_ request: RequestContent) throws -> [T] {
        try request.isEmpty() ? [] : TreeReader(instance, bindings: bindings).trees(request, of: T.self)
    }

    /// Calls a closure with the values that a request finds, one after another.
    ///
    /// - Parameter first: The memory in which the first value is created and remains. Further values are not read then.
    private func values<T>(
        of request: RequestContent, with binding: EntityBinding<T>, at first: UnsafeMutablePointer<T>? = nil,
        _ body: (UnsafeMutablePointer<T>) throws -> Void
    ) throws {
        if try instance.forEach(request, with: binding, at: first, body: body) { return }
        for object in try instance.fetchObjects(request, of: binding.entity) {
            if let first {
                first.initialize(to: try binding.value(of: object))
                return try body(first)
            }
            let place = UnsafeMutablePointer<T>.allocate(capacity: 1)
            defer { place.deallocate() }
            place.initialize(to: try binding.value(of: object))
            // The closure moves the value out of its memory.
            try body(place)
        }
    }
}
