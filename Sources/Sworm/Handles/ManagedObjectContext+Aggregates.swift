import SwormPredicates

// One value of all objects that a request finds. A limit of the request counts, and so do unsaved changes.
extension ManagedObjectContext {
    /// The smallest value of a column, if there is any.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - column: An attribute, also one behind relations to one, or the count of a relation to many.
    /// - Throws: A ``StoreError`` when the request is wrong or the store fails.
    public func min<PlainObject, Base, Value>(
        of request: Request<PlainObject>,
        _ column: KeyPath<EntityPath<PlainObject, PlainObject>, Term<PlainObject, Base, Value>>
    ) throws -> Base? where Base.PrimitiveAttributeType: Comparable {
        try one(Term<PlainObject, Base, Base?>(Operand(.minimum, over: column)), of: request) ?? nil
    }

    /// The largest value of a column, if there is any.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - column: An attribute, also one behind relations to one, or the count of a relation to many.
    /// - Throws: A ``StoreError`` when the request is wrong or the store fails.
    public func max<PlainObject, Base, Value>(
        of request: Request<PlainObject>,
        _ column: KeyPath<EntityPath<PlainObject, PlainObject>, Term<PlainObject, Base, Value>>
    ) throws -> Base? where Base.PrimitiveAttributeType: Comparable {
        try one(Term<PlainObject, Base, Base?>(Operand(.maximum, over: column)), of: request) ?? nil
    }

    /// The sum of the values of a column; zero when there is none.
    ///
    /// Decimals are added with all their digits; in conditions they are added as floating-point numbers, as in Core Data.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - column: An attribute, also one behind relations to one, or the count of a relation to many.
    /// - Throws: A ``StoreError`` with the code `overflow` when the type cannot hold the sum or infinity and minus
    ///   infinity are added, or another one when the request is wrong or the store fails.
    public func sum<PlainObject, Base: Numeric, Value>(
        of request: Request<PlainObject>,
        _ column: KeyPath<EntityPath<PlainObject, PlainObject>, Term<PlainObject, Base, Value>>
    ) throws -> Base {
        try one(Term<PlainObject, Base, Base>(Operand(.sum, over: column)), of: request) ?? .zero
    }

    /// The average of the values of a column, if there is any. Objects without a value do not count. Infinity and minus
    /// infinity have none.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - column: An attribute, also one behind relations to one, or the count of a relation to many.
    /// - Throws: A ``StoreError`` when the request is wrong or the store fails.
    public func average<PlainObject, Base: Numeric, Value>(
        of request: Request<PlainObject>,
        _ column: KeyPath<EntityPath<PlainObject, PlainObject>, Term<PlainObject, Base, Value>>
    ) throws -> Double? {
        try one(Term<PlainObject, Double, Double?>(Operand(.average, over: column)), of: request) ?? nil
    }

    /// How many of the objects have a value.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - column: An attribute, also one behind relations to one.
    /// - Throws: A ``StoreError`` when the request is wrong or the store fails.
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
        return try fetch(Projection(request, selection, nil, reader)).first
    }
}
