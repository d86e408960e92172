import SwormPredicates

extension Condition {
    /// Returns whether a value matches the condition, without a store.
    ///
    /// The condition has the same meaning as in a store: a comparison with a missing value is neither true nor false.
    /// For many values use ``Swift/Sequence/filtered(by:)->[Self.Element]``, which prepares the condition once.
    ///
    /// - Parameter value: The value. It has attributes only; to filter trees, see
    ///   ``Swift/Sequence/filtered(by:)->[Self.Element]``.
    /// - Throws: A ``StoreError`` if the condition is invalid, compares values that cannot be compared, or accesses
    ///   relations, which a plain value does not have.
    public func matches(_ value: PlainObject) throws -> Bool {
        try ConditionFilter<PlainObject>(self, isPlain: true).matches(value)
    }

    /// Returns whether the current state of an object, including its unsaved changes, matches the condition.
    ///
    /// - Parameter object: The object. The condition may follow its relations.
    /// - Throws: A ``StoreError`` if the condition is invalid or compares values that cannot be compared, or if the
    ///   handle is no longer valid.
    public func matches(_ object: ManagedObject<PlainObject>) throws -> Bool {
        try ConditionFilter<PlainObject>(self, isPlain: false).matches(object)
    }
}

extension Sequence {
    /// Returns the values that match a condition, in their order, without a store.
    ///
    /// ```swift
    /// let recent = try books.filtered { $0.year > 1900 && $0.title.hasPrefix("War") }
    /// ```
    /// The result is the same as that of a request with the condition over the same rows.
    ///
    /// Conditions on trees may follow their branches, if these have all objects behind the relation:
    ///
    /// ```swift
    /// let praised = try pages.filtered { $0.reviews.any.mark == 5 }
    /// ```
    /// - Parameter condition: A condition over attributes, and over the branches of trees.
    /// - Throws: A ``StoreError`` if the condition is invalid, compares values that cannot be compared, or accesses
    ///   relations, which a plain value does not have, or branches that a tree leaves out.
    public func filtered(by condition: Condition<Element.Entity>) throws -> [Element]
    where Element: ManagedTreeConvertible {
        let filter = try ConditionFilter<Element>(condition, isPlain: true)
        return try self.filter { try filter.matches($0) }
    }

    /// Returns the values that match the condition that the closure returns, in their order, without a store.
    ///
    /// - Throws: The errors of ``filtered(by:)->[Self.Element]``.
    public func filtered(
        _ condition: (EntityPath<Element.Entity, Element.Entity>) -> Condition<Element.Entity>
    ) throws -> [Element] where Element: ManagedTreeConvertible {
        try filtered(by: condition(.root))
    }

    /// Returns the objects whose current state matches a condition, in their order.
    ///
    /// Unsaved changes are included. No request is made, but relations that the condition follows are read if they were
    /// not read before.
    ///
    /// - Throws: A ``StoreError`` if the condition is invalid or compares values that cannot be compared, or if a
    ///   handle is no longer valid.
    public func filtered<T>(by condition: Condition<T>) throws -> [ManagedObject<T>] where Element == ManagedObject<T> {
        let filter = try ConditionFilter<T>(condition, isPlain: false)
        return try self.filter { try filter.matches($0) }
    }

    /// Returns the objects whose current state matches the condition that the closure returns, in their order.
    ///
    /// - Throws: The errors of ``filtered(by:)-(Condition<T>)``.
    public func filtered<T>(
        _ condition: (EntityPath<T, T>) -> Condition<T>
    ) throws -> [ManagedObject<T>] where Element == ManagedObject<T> {
        try filtered(by: condition(.root))
    }
}

extension ManagedTreeConvertible {
    /// The branches of a tree; nil for a type without any.
    fileprivate static var plainPlan: (any AnyTreePlan)? { mapping.hasBranches ? treePlan : nil }
}

/// A condition that is prepared for the evaluation of many values and objects.
private struct ConditionFilter<T: ManagedTreeConvertible> {
    private let predicate: PreparedPredicate
    private let mapping = T.mapping

    /// - Parameter isPlain: Whether the condition is evaluated for plain values instead of objects.
    init(_ condition: Condition<T.Entity>, isPlain: Bool) throws {
        let tree = try condition.tree()
        predicate = try Self.naming(condition.format) {
            try tree.checkTypes(of: TableTypes(mapping: T.mapping, isPlain: isPlain, plan: isPlain ? T.plainPlan : nil))
            return try PreparedPredicate(tree)
        }
        format = condition.format
    }

    private let format: String

    func matches(_ value: T) throws -> Bool {
        try Self.naming(format) { try predicate.matches(ValueSubject(value, mapping: mapping)) }
    }

    func matches(_ object: ManagedObject<T.Entity>) throws -> Bool {
        try object.check()
        return try Self.naming(format) {
            try translatingErrors { try predicate.matches(object.instance.predicateSubject) }
        }
    }

    private static func naming<R>(_ format: String, _ work: () throws -> R) throws -> R {
        do {
            return try work()
        } catch let error as QueryError {
            throw StoreError(
                .invalidCondition,
                "\(T.Entity.entityName): the condition '\(excerpt(format))' cannot be applied: \(error)",
                entity: T.Entity.entityName, cause: error)
        }
    }
}
