import SwormPredicates

/// The content of a request without its generic type, so that no type is looked up while a request is built.
@usableFromInline
struct RequestContent: Sendable {
    var condition: ConditionContent?
    var sorts: [SortKey] = []
    /// The largest number of rows, or nil for all rows.
    var limit: Int?
    var offset = 0
    /// Whether objects of sub-entities are left out, because the type represents only objects of the entity itself.
    var isExact = false
    /// The relations that are prefetched for handles, as paths of names.
    var prefetch: [[String]] = []
    /// The number of rows of handles that are read at a time, or zero for all rows.
    var batchSize = 0
    /// The first error in the request, except for those of the condition.
    @Boxed private var failure: StoreError?

    /// Returns the condition as a tree, or nil for all objects.
    ///
    /// - Throws: The first error of the request, also one of its order, limit or offset.
    func predicateTree() throws(StoreError) -> PredicateTree? {
        if let failure { throw failure }
        return try condition?.tree()
    }

    /// Whether the limit is zero, so that the store need not be queried.
    ///
    /// - Throws: The first error of the request.
    func isEmpty() throws(StoreError) -> Bool {
        try validate()
        return limit == 0
    }

    /// Throws the first error of the request, if it has one.
    func validate() throws(StoreError) {
        if let failure = failure ?? condition?.failure { throw failure }
    }

    /// Adds a condition that must hold too.
    mutating func narrow(_ other: ConditionContent) {
        condition = if let condition { .and(condition, other) } else { other }
    }

    @usableFromInline
    func narrowed(by other: ConditionContent) -> RequestContent {
        var copy = self
        copy.narrow(other)
        return copy
    }

    /// The content of the request for the first of the objects that it finds.
    var limitedToFirst: RequestContent {
        var copy = self
        copy.limit = min(limit ?? 1, 1)
        return copy
    }

    mutating func note(_ error: StoreError?) {
        if failure == nil { failure = error }
    }

    mutating func fail(_ entity: String, because message: String) {
        note(StoreError(.invalidRequest, "\(entity): \(message)", entity: entity))
    }
}

extension RequestContent {
    /// Creates the content of a request for all objects that a type represents.
    init<T: ManagedTreeConvertible>(of type: T.Type) {
        self.init()
        // Most types are no cases of an enum, and this is asked for each request.
        if T.Entity.Superentity.self != Never.self { isExact = T.Entity.mapping.isOwnCase }
    }
}
