// Many values at once, without a handle for each of them.
extension ManagedObjectContext {
    /// Inserts a new object for each value, without making handles: the quickest way to write.
    ///
    /// ```swift
    /// try store.perform { try $0.insert(contentsOf: books) }
    /// ```
    /// It is part of this `perform`: its reads see the objects at once, others see them when it has ended, and when it throws
    /// they are gone. Memory stays flat when the values are made one at a time, as by a lazy sequence. While they are written,
    /// other containers over the store wait with their own writes until this `perform` ends.
    ///
    /// What a save would refuse is refused here: values that are required, too long, out of range, or taken. Objects have no
    /// relations in the beginning, so a type with a required one needs ``insert(_:)``. Unsaved changes of this `perform` stay
    /// as they are.
    ///
    /// - Parameter values: The values.
    /// - Returns: Their number.
    /// - Throws: A ``StoreError`` when the model lacks the entity or an attribute, or a value is refused. Nothing of this call
    ///   stays then, and the `perform` may go on.
    @discardableResult
    public func insert<PlainObject: ManagedObjectConvertible>(
        contentsOf values: some Sequence<PlainObject>
    ) throws -> Int {
        let binding = try bindingForWriting(for: PlainObject.self)
        // Without values there is nothing to write, and so no transaction to begin.
        guard let isEmpty = try scope.takingValue({ values.isKnownEmpty }) else {
            guard let values = try scope.takingValue({ PeekedSequence(values) }) else { return 0 }
            return try Engine.translating { try Engine.insert(contentsOf: values, binding, into: instance) }
        }
        if isEmpty { return 0 }
        return try Engine.translating { try Engine.insert(contentsOf: values, binding, into: instance) }
    }

    /// Inserts a new object for each value, or gives the values to the object that has the same unique attributes.
    ///
    /// ```swift
    /// let result = try store.perform { try $0.upsert(books, on: \.isbn, onConflict: .update(\.title, \.year)) }
    /// print(result.inserted, result.updated)
    /// ```
    /// What counts as existing is what a fetch in this `perform` would find, unsaved changes among it. A later one of two
    /// values with the same unique attributes meets the object of the first. A value with nil in one of these attributes is
    /// always new. An object with the same values already is no change: no version, no history.
    ///
    /// It is as quick as one statement a value, unless this `perform` has unsaved changes of the type's entities, the
    /// attributes are kept in external files or are composite, or the file lacks the index of the constraint: then objects
    /// are fetched and changed.
    ///
    /// - Parameters:
    ///   - values: The values. Each is checked, also when it is ignored.
    ///   - attributes: The attributes of a uniqueness constraint. They may be left out where there is only one.
    ///   - policy: What to do with objects that exist.
    /// - Returns: How many values were new, and how many were not.
    /// - Throws: A ``StoreError`` with the code `uniquenessViolation` when an object of another entity has the unique values,
    ///   or when values of another constraint are taken; `invalidRequest` when there is no such constraint; and what
    ///   ``insert(contentsOf:)`` throws. Nothing of this call stays then, and the `perform` may go on.
    @discardableResult
    public func upsert<PlainObject: ManagedObjectConvertible>(
        _ values: some Sequence<PlainObject>, on attributes: any PartialKeyPath<PlainObject> & Sendable...,
        onConflict policy: UpsertPolicy<PlainObject> = .updateAll
    ) throws -> UpsertResult {
        let binding = try bindingForWriting(for: PlainObject.self)
        let constraints = Engine.constraints(binding, instance)
        let plan = binding.plan
        let target = try plan.constraint(try attributes.map { try plan.index(of: $0) }, among: constraints)
        let updates: [Int]? =
            switch policy.action {
            case .refuse, .ignore: nil
            case .updateAll: plan.attributes.indices.filter { !constraints[target].attributes.contains($0) }
            case .update(let named): try named.map { try plan.index(of: $0) }
            }
        guard let isEmpty = try scope.takingValue({ values.isKnownEmpty }) else {
            guard let values = try scope.takingValue({ PeekedSequence(values) }) else { return UpsertResult() }
            return try upsert(
                values, binding, among: constraints, target: target, updates: updates, policy: policy)
        }
        if isEmpty { return UpsertResult() }
        return try upsert(values, binding, among: constraints, target: target, updates: updates, policy: policy)
    }

    private func upsert<PlainObject>(
        _ values: some Sequence<PlainObject>, _ binding: EngineBinding<PlainObject>,
        among constraints: [EngineConstraint], target: Int, updates: [Int]?, policy: UpsertPolicy<PlainObject>
    ) throws -> UpsertResult {
        let isRefusing = if case .refuse = policy.action { true } else { false }
        return try Engine.translating {
            if isRefusing {
                if let inserted = try Engine.insertUnlessPending(values, binding, in: instance) {
                    return UpsertResult(inserted: inserted)
                }
            } else if let result = try Engine.upsert(
                values, constraints[target], updates: updates, binding, in: instance)
            {
                return result
            }
            var upsert = ObjectUpsert(
                binding: binding, context: instance, constraints: constraints, target: isRefusing ? nil : target,
                updates: updates)
            return try upsert.run(values)
        }
    }
}
