import SwormPredicates

extension Request {
    /// Selects one column: an attribute, also one reached through relations to one, or the count of a relation to many.
    public func select<Base: SupportedAttributeType, Value>(
        _ column: KeyPath<EntityPath<PlainObject.Entity, PlainObject.Entity>, Term<PlainObject.Entity, Base, Value>>
    ) -> Projection<PlainObject.Entity, Value> {
        var selection = Selection()
        let reader = TupleReader(
            selection.add(EntityPath<PlainObject.Entity, PlainObject.Entity>.root[keyPath: column]))
        return Projection(entityRequest, selection: selection, grouping: nil, reader: reader)
    }

    /// Selects the column that the closure returns.
    ///
    /// The column may be computed.
    @_disfavoredOverload
    public func select<Base: SupportedAttributeType, Value>(
        _ column: (EntityPath<PlainObject.Entity, PlainObject.Entity>) -> Term<PlainObject.Entity, Base, Value>
    ) -> Projection<PlainObject.Entity, Value> {
        var selection = Selection()
        let reader = TupleReader(selection.add(column(.root)))
        return Projection(entityRequest, selection: selection, grouping: nil, reader: reader)
    }

    /// Selects columns, as tuples: attributes, also those reached through relations to one, and counts of relations to
    /// many.
    ///
    /// ```swift
    /// let rows: [(String, String?, Int)] = try context.fetch(Book.all.select(\.title, \.author.name, \.reviews.count))
    /// ```
    /// A column that is reached through a relation may be missing, and is therefore an optional. A single column
    /// returns its values without a tuple.
    public func select<First: SupportedAttributeType, FirstValue, each Base: SupportedAttributeType, each Value>(
        _ first: KeyPath<
            EntityPath<PlainObject.Entity, PlainObject.Entity>, Term<PlainObject.Entity, First, FirstValue>
        >,
        _ columns: repeat KeyPath<
            EntityPath<PlainObject.Entity, PlainObject.Entity>, Term<PlainObject.Entity, each Base, each Value>
        >
    ) -> Projection<PlainObject.Entity, (FirstValue, repeat each Value)> {
        let row = EntityPath<PlainObject.Entity, PlainObject.Entity>.root
        var selection = Selection()
        let reader = TupleReader(
            selection.add(row[keyPath: first]), repeat selection.add(row[keyPath: each columns]))
        return Projection(entityRequest, selection: selection, grouping: nil, reader: reader)
    }

    /// Selects columns, as values of your own type, which its initializer or a closure creates.
    ///
    /// ```swift
    /// struct Line { var title: String; var author: String? }
    /// let lines = try context.fetch(Book.all.select(\.title, \.author.name, as: Line.init))
    /// ```
    public func select<
        First: SupportedAttributeType, FirstValue, each Base: SupportedAttributeType, each Value, Row
    >(
        _ first: KeyPath<
            EntityPath<PlainObject.Entity, PlainObject.Entity>, Term<PlainObject.Entity, First, FirstValue>
        >,
        _ columns: repeat KeyPath<
            EntityPath<PlainObject.Entity, PlainObject.Entity>, Term<PlainObject.Entity, each Base, each Value>
        >,
        as make: @escaping @Sendable (FirstValue, repeat each Value) throws -> Row
    ) -> Projection<PlainObject.Entity, Row> {
        let row = EntityPath<PlainObject.Entity, PlainObject.Entity>.root
        var selection = Selection()
        let reader = MadeReader(
            selection.add(row[keyPath: first]), repeat selection.add(row[keyPath: each columns]), make: make)
        return Projection(entityRequest, selection: selection, grouping: nil, reader: reader)
    }

    /// Selects the columns that the closure returns.
    ///
    /// The columns may be computed.
    ///
    /// ```swift
    /// Book.all.select { ($0.title, $0.reviews.max(\.mark), $0.year + 1) }
    /// ```
    /// - Parameter columns: A closure that is called with the row, once and immediately.
    @_disfavoredOverload
    public func select<First: SupportedAttributeType, FirstValue, each Base: SupportedAttributeType, each Value>(
        _ columns: (EntityPath<PlainObject.Entity, PlainObject.Entity>) -> (
            Term<PlainObject.Entity, First, FirstValue>, repeat Term<PlainObject.Entity, each Base, each Value>
        )
    ) -> Projection<PlainObject.Entity, (FirstValue, repeat each Value)> {
        tuples(columns)
    }

    /// Unavailable: the columns must belong to the row that the closure is called with.
    @available(
        *, unavailable,
        message: "the closure must return columns of its row, as in `select { ($0.title, $0.year + 1) }`"
    )
    @_disfavoredOverload
    public func select<Other>(_ columns: (EntityPath<PlainObject.Entity, PlainObject.Entity>) -> Other) -> Request<
        PlainObject
    > {
        self
    }

    /// Selects columns from a parameter pack.
    ///
    /// A pack can be empty, and would then accept closures without a useful result. The public method therefore has a
    /// separate parameter for the first column, which is added to the pack here.
    private func tuples<each Base: SupportedAttributeType, each Value>(
        _ columns: (EntityPath<PlainObject.Entity, PlainObject.Entity>) -> (
            repeat Term<PlainObject.Entity, each Base, each Value>
        )
    ) -> Projection<PlainObject.Entity, (repeat each Value)> {
        let terms = columns(.root)
        var selection = Selection()
        let reader = TupleReader(repeat selection.add(each terms))
        return Projection(entityRequest, selection: selection, grouping: nil, reader: reader)
    }
}
