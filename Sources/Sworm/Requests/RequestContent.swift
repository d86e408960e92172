package import SwormPredicates

/// What a request asks, without the type that it asks for: nothing about a type is looked up while a request is built.
@usableFromInline
package struct RequestContent: Sendable {
    var condition: ConditionContent?
    package var sorts: [SortKey] = []
    /// The largest number of rows; nil for all.
    package var limit: Int?
    package var offset = 0
    /// The relations that handles are going to follow: paths of names.
    package var prefetch: [[String]] = []
    /// How many rows of handles are read at a time; zero for all.
    package var batchSize = 0
    /// The first thing that could not be understood, the condition apart.
    @Rare private var failure: StoreError?

    /// The condition as a tree; nil for all objects.
    ///
    /// - Throws: The error that the request carries, also one of its order, limit or offset.
    package func predicateTree() throws(StoreError) -> PredicateTree? {
        if let failure { throw failure }
        return try condition?.tree()
    }

    /// Throws the first thing in the request that could not be understood.
    func validate() throws(StoreError) {
        if let failure = failure ?? condition?.failure { throw failure }
    }

    /// Adds a condition that must hold, too.
    mutating func narrow(_ other: ConditionContent) {
        condition = if let condition { .and(condition, other) } else { other }
    }

    @usableFromInline
    func narrowed(by other: ConditionContent) -> RequestContent {
        var copy = self
        copy.narrow(other)
        return copy
    }

    mutating func note(_ error: StoreError?) {
        if failure == nil { failure = error }
    }

    mutating func fail(_ entity: String, _ message: String) {
        note(StoreError(.invalidRequest, "\(entity): \(message)", entity: entity))
    }
}
