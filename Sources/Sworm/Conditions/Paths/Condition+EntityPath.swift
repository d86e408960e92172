extension Condition {
    /// Creates a condition from a closure.
    ///
    /// Unlike key paths, the closure can follow relations.
    ///
    /// ```swift
    /// let isByLeo = Condition<Book> { $0.author.name == "Leo" }
    /// ```
    /// - Parameter make: A closure that is called with the row, once and immediately. The members of the row are the
    ///   attributes and relations.
    public init(_ make: (EntityPath<PlainObject, PlainObject>) -> Condition<PlainObject>) { self = make(.root) }
}
