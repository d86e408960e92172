extension Request {
    /// Returns the objects with values that belong to them, as tuples: the objects behind relations, attributes behind them,
    /// and computed values.
    ///
    /// ```swift
    /// let rows: [(Book, Author?, [Review])] = try context.decode(Book.all.with(\.author, \.reviews))
    /// ```
    /// Each relation is read by one statement, whatever the number of objects.
    public func with<First: TreeValue, each Other: TreeValue>(
        _ first: KeyPath<Branches<PlainObject.Entity>, First>,
        _ others: repeat KeyPath<Branches<PlainObject.Entity>, each Other>
    ) -> TreeRequest<PlainObject.Entity, (PlainObject, First.Value, repeat (each Other).Value)> {
        let row = Branches<PlainObject.Entity>()
        return tuples(row[keyPath: first], repeat row[keyPath: each others])
    }

    /// Returns the objects with values that belong to them, as values of your own type, which its initializer or a closure
    /// creates.
    ///
    /// ```swift
    /// let pages = try context.decode(Book.all.with(\.author, \.reviews, as: Page.init))
    /// ```
    public func with<First: TreeValue, each Other: TreeValue, Row>(
        _ first: KeyPath<Branches<PlainObject.Entity>, First>,
        _ others: repeat KeyPath<Branches<PlainObject.Entity>, each Other>,
        as make: @escaping @Sendable (PlainObject, First.Value, repeat (each Other).Value) throws -> Row
    ) -> TreeRequest<PlainObject.Entity, Row> {
        let row = Branches<PlainObject.Entity>()
        return made(row[keyPath: first], repeat row[keyPath: each others], make: make)
    }

    /// Returns the objects with the value that the closure returns, as tuples.
    ///
    /// - Parameter part: A closure that is called with the relations and attributes of the entity, once and immediately.
    @_disfavoredOverload
    public func with<Part: TreeValue>(
        _ part: (Branches<PlainObject.Entity>) -> Part
    ) -> TreeRequest<PlainObject.Entity, (PlainObject, Part.Value)> {
        tuples(part(Branches()))
    }

    /// Returns the objects with the values that the closure returns, as tuples.
    ///
    /// The objects behind a relation may be narrowed, sorted and limited, and have values of their own:
    ///
    /// ```swift
    /// Book.all.with { ($0.author.with { $0.country }, $0.reviews.sort(\.day).limit(3), $0.reviews.count) }
    /// ```
    /// - Parameter parts: A closure that is called with the relations and attributes of the entity, once and immediately.
    @_disfavoredOverload
    public func with<First: TreeValue, each Other: TreeValue>(
        _ parts: (Branches<PlainObject.Entity>) -> (First, repeat each Other)
    ) -> TreeRequest<PlainObject.Entity, (PlainObject, First.Value, repeat (each Other).Value)> {
        called(parts)
    }

    /// Returns the objects with the values that the closure returns, as values of your own type.
    ///
    /// - Parameters:
    ///   - make: The initializer of the type, or a closure.
    ///   - parts: A closure that is called with the relations and attributes of the entity, once and immediately.
    @_disfavoredOverload
    public func with<First: TreeValue, each Other: TreeValue, Row>(
        as make: @escaping @Sendable (PlainObject, First.Value, repeat (each Other).Value) throws -> Row,
        _ parts: (Branches<PlainObject.Entity>) -> (First, repeat each Other)
    ) -> TreeRequest<PlainObject.Entity, Row> {
        called(parts, make: make)
    }

    // A pack can be empty, and would then accept closures without a useful result. The public methods therefore have a
    // separate parameter for the first value, which is added to the pack here.

    private func called<each Part: TreeValue>(
        _ parts: (Branches<PlainObject.Entity>) -> (repeat each Part)
    ) -> TreeRequest<PlainObject.Entity, (PlainObject, repeat (each Part).Value)> {
        let parts = parts(Branches())
        return tuples(repeat each parts)
    }

    private func called<each Part: TreeValue, Row>(
        _ parts: (Branches<PlainObject.Entity>) -> (repeat each Part),
        make: @escaping @Sendable (PlainObject, repeat (each Part).Value) throws -> Row
    ) -> TreeRequest<PlainObject.Entity, Row> {
        let parts = parts(Branches())
        return made(repeat each parts, make: make)
    }

    private func tuples<each Part: TreeValue>(
        _ parts: repeat each Part
    ) -> TreeRequest<PlainObject.Entity, (PlainObject, repeat (each Part).Value)> {
        let maker: ElementMaker<PlainObject, (PlainObject, repeat (each Part).Value)> = tupleMaker(repeat each parts)
        return TreeRequest(content: content) { content, reader in try reader.elements(content, by: maker) }
    }

    private func made<each Part: TreeValue, Row>(
        _ parts: repeat each Part, make: @escaping @Sendable (PlainObject, repeat (each Part).Value) throws -> Row
    ) -> TreeRequest<PlainObject.Entity, Row> {
        let maker: ElementMaker<PlainObject, Row> = elementMaker(repeat each parts, make: make)
        return TreeRequest(content: content) { content, reader in try reader.elements(content, by: maker) }
    }
}
