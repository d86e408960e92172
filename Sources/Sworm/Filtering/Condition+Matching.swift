import SwormPredicates

extension Condition {
    /// Whether a value fulfils the condition, without a store.
    ///
    /// The condition means what it means in a store: a comparison with a missing value is neither true nor false.
    /// For many values use ``Swift/Sequence/filtered(by:)-(Condition<Element>)``, which prepares the condition once.
    ///
    /// - Parameter value: The value. It has attributes only.
    /// - Throws: A ``StoreError`` for a condition that is not understood, that compares what cannot be compared, or that
    ///   asks for relations, which a plain value does not have.
    public func matches(_ value: PlainObject) throws -> Bool {
        try ConditionFilter(self, isPlain: true).matches(value)
    }

    /// Whether an object fulfils the condition as it is now, with its unsaved changes.
    ///
    /// - Parameter object: The object. The condition may follow its relations.
    /// - Throws: A ``StoreError`` for a condition that is not understood or compares what cannot be compared, and for a
    ///   handle that may not be used any more.
    public func matches(_ object: ManagedObject<PlainObject>) throws -> Bool {
        try ConditionFilter(self, isPlain: false).matches(object)
    }
}

extension Sequence {
    /// The values that fulfil a condition, in their order, without a store.
    ///
    /// ```swift
    /// let recent = try books.filtered { $0.year > 1900 && $0.title.hasPrefix("War") }
    /// ```
    /// The result is what a request with the condition would give of the same rows.
    ///
    /// - Parameter condition: A condition over attributes.
    /// - Throws: A ``StoreError`` for a condition that is not understood, that compares what cannot be compared, or that
    ///   asks for relations, which a plain value does not have.
    public func filtered(by condition: Condition<Element>) throws -> [Element]
    where Element: ManagedObjectConvertible {
        let filter = try ConditionFilter(condition, isPlain: true)
        return try self.filter { try filter.matches($0) }
    }

    /// The values that fulfil the condition that the closure makes, in their order, without a store.
    ///
    /// - Throws: As ``filtered(by:)-(Condition<Element>)``.
    public func filtered(
        _ condition: (EntityPath<Element, Element>) -> Condition<Element>
    ) throws -> [Element] where Element: ManagedObjectConvertible {
        try filtered(by: condition(.root))
    }

    /// The objects that fulfil a condition as they are now, in their order.
    ///
    /// Unsaved changes count. No request is made, but relations that the condition follows are read where they were not
    /// read before.
    ///
    /// - Throws: A ``StoreError`` for a condition that is not understood or compares what cannot be compared, and for a
    ///   handle that may not be used any more.
    public func filtered<T>(by condition: Condition<T>) throws -> [ManagedObject<T>] where Element == ManagedObject<T> {
        let filter = try ConditionFilter(condition, isPlain: false)
        return try self.filter { try filter.matches($0) }
    }

    /// The objects that fulfil the condition that the closure makes as they are now, in their order.
    ///
    /// - Throws: As ``filtered(by:)-(Condition<T>)``.
    public func filtered<T>(
        _ condition: (EntityPath<T, T>) -> Condition<T>
    ) throws -> [ManagedObject<T>] where Element == ManagedObject<T> {
        try filtered(by: condition(.root))
    }
}

/// A condition that is ready to be asked about many values and objects.
private struct ConditionFilter<T: ManagedObjectConvertible> {
    private let predicate: PreparedPredicate
    private let plan = T.plan

    /// - Parameter isPlain: Whether values are asked, and not objects.
    init(_ condition: Condition<T>, isPlain: Bool) throws {
        let tree = try condition.tree()
        predicate = try Self.naming(condition.format) {
            try tree.checkTypes(of: TableTypes(plan: T.plan, isPlain: isPlain))
            return try PreparedPredicate(tree)
        }
        format = condition.format
    }

    private let format: String

    func matches(_ value: T) throws -> Bool {
        try Self.naming(format) { try predicate.matches(ValueSubject(value, plan)) }
    }

    func matches(_ object: ManagedObject<T>) throws -> Bool {
        try object.check()
        return try Self.naming(format) {
            try Engine.translating { try predicate.matches(Engine.subject(object.instance)) }
        }
    }

    private static func naming<R>(_ format: String, _ work: () throws -> R) throws -> R {
        do {
            return try work()
        } catch let error as PredicateError {
            throw StoreError(
                .invalidCondition, "\(T.entityName): the condition \"\(excerpt(format))\" cannot be applied: \(error)",
                entity: T.entityName, cause: error)
        }
    }
}
