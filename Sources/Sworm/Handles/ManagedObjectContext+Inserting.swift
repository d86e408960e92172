// Bulk inserts and upserts, without a handle for each value.
extension ManagedObjectContext {
    /// Inserts a new object for each value without creating handles.
    ///
    /// This is the fastest way to write.
    ///
    /// ```swift
    /// try store.perform { try $0.insert(contentsOf: books) }
    /// ```
    /// The insert belongs to this `perform`: its reads see the objects at once, other contexts see them when it has
    /// ended, and they are discarded if it throws. Memory use is independent of the number of values if they are
    /// created one at a time, for example by a lazy sequence. From the first insert until this `perform` ends, other
    /// containers of the store wait before they write.
    ///
    /// Values that a save would reject are rejected here: missing required values, strings that are too long, values
    /// out of range, and unique values that are already in use. Inserted objects have no relations, so a type with a
    /// required relation needs ``insert(_:)``. Unsaved changes of this `perform` are preserved.
    ///
    /// - Parameter values: The values.
    /// - Returns: The number of values.
    /// - Throws: A ``StoreError`` if the model lacks the entity or an attribute, or a value is rejected. Nothing of
    ///   this call is kept in that case, and the `perform` may continue.
    @discardableResult
    public func insert<PlainObject: ManagedObjectConvertible>(
        contentsOf values: some Sequence<PlainObject>
    ) throws -> Int {
        let binding = try bindingForBulkWriting(for: PlainObject.self)
        try binding.mapping.requireNoBranches()
        // An empty sequence writes nothing, and so needs no transaction.
        guard let isEmpty = try scope.takingValue({ values.isKnownEmpty }) else {
            guard let values = try scope.takingValue({ PeekedSequence(values) }) else { return 0 }
            return try translatingErrors { try binding.insert(contentsOf: values, into: instance) }
        }
        if isEmpty { return 0 }
        return try translatingErrors { try binding.insert(contentsOf: values, into: instance) }
    }

    /// Inserts a new object for each value, or updates the object that has the same unique attributes.
    ///
    /// ```swift
    /// let result = try store.perform { try $0.upsert(books, on: \.isbn, onConflict: .update(\.title, \.year)) }
    /// print(result.inserted, result.updated)
    /// ```
    /// The existing objects are those that a fetch in this `perform` would find, including unsaved changes. If two
    /// values have the same unique attributes, the second one matches the object of the first. A value with nil in one
    /// of these attributes is always inserted. An object that already has the same values is left unchanged, without a
    /// new version or an entry in the history.
    ///
    /// The call runs one statement for each value, unless this `perform` has unsaved changes of the type's entities,
    /// the attributes are stored in external files or are composite, or the file lacks the index of the constraint. In
    /// these cases, objects are fetched and changed, which is slower.
    ///
    /// - Parameters:
    ///   - values: The values. Each one is validated, even if it is ignored.
    ///   - attributes: The attributes of a uniqueness constraint. You may omit them if the entity has only one
    ///     constraint.
    ///   - policy: The policy for objects that already exist.
    /// - Returns: The number of values that were inserted, and of those that matched an object.
    /// - Throws: A ``StoreError`` with the code `uniquenessViolation` if an object of another entity has the unique
    ///   values, or if values of another constraint are already in use; one with the code `invalidRequest` if there is
    ///   no such constraint; and the errors of ``insert(contentsOf:)``. Nothing of this call is kept in that case, and
    ///   the `perform` may continue.
    @discardableResult
    public func upsert<PlainObject: ManagedObjectConvertible>(
        _ values: some Sequence<PlainObject>, on attributes: any PartialKeyPath<PlainObject> & Sendable...,
        onConflict policy: Upsert.Policy<PlainObject> = .updateAll
    ) throws -> Upsert.Result {
        let binding = try bindingForBulkWriting(for: PlainObject.self)
        try binding.mapping.requireNoBranches()
        let constraints = binding.constraints(in: instance)
        let mapping = binding.mapping
        let target = try mapping.constraint(try attributes.map { try mapping.index(of: $0) }, among: constraints)
        let updates: UpsertUpdates? =
            switch policy.action {
            case .refuse, .ignore: nil
            case .updateAll: .all
            case .update(let keyPaths): .named(try mapping.names(ofUpdated: keyPaths))
            }
        guard let isEmpty = try scope.takingValue({ values.isKnownEmpty }) else {
            guard let values = try scope.takingValue({ PeekedSequence(values) }) else { return Upsert.Result() }
            return try upsert(
                values, binding, among: constraints, target: target, updates: updates, policy: policy)
        }
        if isEmpty { return Upsert.Result() }
        return try upsert(values, binding, among: constraints, target: target, updates: updates, policy: policy)
    }

    private func upsert<PlainObject>(
        _ values: some Sequence<PlainObject>, _ binding: EntityBinding<PlainObject>,
        among constraints: [ModelConstraint], target: Int, updates: UpsertUpdates?, policy: Upsert.Policy<PlainObject>
    ) throws -> Upsert.Result {
        let isRefusing = if case .refuse = policy.action { true } else { false }
        return try translatingErrors {
            if isRefusing {
                if let inserted = try binding.insertUnlessPending(values, into: instance) {
                    return Upsert.Result(inserted: inserted)
                }
            } else if let result = try binding.upsert(
                values, on: constraints[target], updates: updates, in: instance)
            {
                return result
            }
            return try binding.upsertObjects(
                values, on: isRefusing ? nil : constraints[target].names, updates: updates, in: instance)
        }
    }
}

extension EntityMapping {
    /// Returns the names of the attributes to update; for a composite attribute, those of its elements.
    fileprivate func names(ofUpdated keyPaths: [any PartialKeyPath<T> & Sendable]) throws -> [String] {
        try keyPaths.flatMap { keyPath in
            try indices(of: keyPath).map { attributes[$0].name }
        }
    }
}
