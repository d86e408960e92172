// Trees that stay current.
extension PersistentContainer {
    /// Returns the trees that a request finds, now and after each commit that changes something in them.
    ///
    /// ```swift
    /// for try await pages in store.values(of: BookPage.all.where { $0.year > 1800 }) { show(pages) }
    /// ```
    /// A commit is noticed if it changes a property that the request or a branch reads, or objects behind the relations.
    ///
    /// - Parameter request: The request. Its model must be `Sendable`.
    /// - Returns: A sequence that reads nothing before it is iterated. It throws the errors of
    ///   ``ManagedObjectContext/decode(_:)->[PlainObject]``.
    @_disfavoredOverload
    public func values<Tree: ManagedTreeConvertible & Sendable>(of request: Request<Tree>) -> LiveValues<[Tree]> {
        values { try $0.decode(request) }
    }

    /// Returns the trees that a request finds, now and after each commit that changes them. Results that equal the previous
    /// one are left out.
    ///
    /// - Parameter request: The request. Its model must be `Sendable`.
    /// - Returns: A sequence that reads nothing before it is iterated. It throws the errors of
    ///   ``ManagedObjectContext/decode(_:)->[PlainObject]``.
    @_disfavoredOverload
    public func values<Tree: ManagedTreeConvertible & Sendable & Equatable>(
        of request: Request<Tree>
    ) -> LiveValues<[Tree]> {
        values { try $0.decode(request) }
    }

    /// Returns the objects that a request finds with the values that belong to them, now and after each commit that changes
    /// something in them.
    ///
    /// - Parameter request: The request; see ``Request/with(_:_:)``.
    /// - Returns: A sequence that reads nothing before it is iterated. It throws the errors of
    ///   ``ManagedObjectContext/decode(_:)->[Value]``.
    public func values<Entity, Value: Sendable>(of request: TreeRequest<Entity, Value>) -> LiveValues<[Value]> {
        values { try $0.decode(request) }
    }
}
