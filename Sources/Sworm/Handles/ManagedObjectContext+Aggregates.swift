import SwormPredicates

// Aggregates over all objects that a request finds. They respect the limit of the request and include unsaved changes.
extension ManagedObjectContext {
    /// Returns the smallest value of a column, or nil if there are no values.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - column: An attribute, also one reached through relations to one, or the count of a relation to many.
    /// - Throws: A ``StoreError`` if the request is invalid or the store fails.
    public func min<PlainObject, Base, Value>(
        of request: Request<PlainObject>,
        _ column: KeyPath<EntityPath<PlainObject, PlainObject>, Term<PlainObject, Base, Value>>
    ) throws -> Base? where Base.PrimitiveAttributeType: Comparable {
        try one(Term<PlainObject, Base, Base?>(Operand(.minimum, over: column)), of: request) ?? nil
    }

    /// Returns the largest value of a column, or nil if there are no values.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - column: An attribute, also one reached through relations to one, or the count of a relation to many.
    /// - Throws: A ``StoreError`` if the request is invalid or the store fails.
    public func max<PlainObject, Base, Value>(
        of request: Request<PlainObject>,
        _ column: KeyPath<EntityPath<PlainObject, PlainObject>, Term<PlainObject, Base, Value>>
    ) throws -> Base? where Base.PrimitiveAttributeType: Comparable {
        try one(Term<PlainObject, Base, Base?>(Operand(.maximum, over: column)), of: request) ?? nil
    }

    /// Returns the sum of the values of a column, or zero if there are no values.
    ///
    /// Decimals are added with all their digits. In conditions, they are added as floating-point numbers, as in Core
    /// Data.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - column: An attribute, also one reached through relations to one, or the count of a relation to many.
    /// - Throws: A ``StoreError`` with the code `overflow` if the type cannot hold the sum, or if infinity and minus
    ///   infinity are added. Another ``StoreError`` if the request is invalid or the store fails.
    public func sum<PlainObject, Base: Numeric, Value>(
        of request: Request<PlainObject>,
        _ column: KeyPath<EntityPath<PlainObject, PlainObject>, Term<PlainObject, Base, Value>>
    ) throws -> Base {
        try one(Term<PlainObject, Base, Base>(Operand(.sum, over: column)), of: request) ?? .zero
    }

    /// Returns the average of the values of a column, or nil if there are no values.
    ///
    /// Objects without a value are ignored. The average of infinity and minus infinity is nil.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - column: An attribute, also one reached through relations to one, or the count of a relation to many.
    /// - Throws: A ``StoreError`` if the request is invalid or the store fails.
    public func average<PlainObject, Base: Numeric, Value>(
        of request: Request<PlainObject>,
        _ column: KeyPath<EntityPath<PlainObject, PlainObject>, Term<PlainObject, Base, Value>>
    ) throws -> Double? {
        try one(Term<PlainObject, Double, Double?>(Operand(.average, over: column)), of: request) ?? nil
    }

    /// Returns the number of objects whose column has a value.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - column: An attribute, also one reached through relations to one.
    /// - Throws: A ``StoreError`` if the request is invalid or the store fails.
    public func count<PlainObject, Base, Value>(
        of request: Request<PlainObject>,
        _ column: KeyPath<EntityPath<PlainObject, PlainObject>, Term<PlainObject, Base, Value>>
    ) throws -> Int {
        try one(Term<PlainObject, Int, Int>(Operand(.count, over: column)), of: request) ?? 0
    }

    private func one<PlainObject, Base, Value>(
        _ term: Term<PlainObject, Base, Value>, of request: Request<PlainObject>
    ) throws -> Value? {
        var selection = Selection()
        let reader = TupleReader(selection.add(term))
        return try fetch(Projection(request, selection: selection, grouping: nil, reader: reader)).first
    }
}
