import SwormPredicates

extension Request {
    /// Only this column: an attribute, also one behind relations to one, or the count of a relation to many.
    public func select<Base: SupportedAttributeType, Value>(
        _ column: KeyPath<EntityPath<PlainObject, PlainObject>, Term<PlainObject, Base, Value>>
    ) -> Projection<PlainObject, Value> {
        var selection = Selection()
        let reader = TupleReader(selection.add(EntityPath<PlainObject, PlainObject>.root[keyPath: column]))
        return Projection(self, selection, nil, reader)
    }

    /// Only the column that the closure names; it may also be calculated.
    @_disfavoredOverload
    public func select<Base: SupportedAttributeType, Value>(
        _ column: (EntityPath<PlainObject, PlainObject>) -> Term<PlainObject, Base, Value>
    ) -> Projection<PlainObject, Value> {
        var selection = Selection()
        let reader = TupleReader(selection.add(column(.root)))
        return Projection(self, selection, nil, reader)
    }

    /// Only these columns, as tuples: attributes, also behind relations to one, and counts of relations to many.
    ///
    /// ```swift
    /// let rows: [(String, String?, Int)] = try context.fetch(Book.all.select(\.title, \.author.name, \.reviews.count))
    /// ```
    /// What lies behind a relation may be missing, and is an optional. One column alone gives its values.
    public func select<First: SupportedAttributeType, FirstValue, each Base: SupportedAttributeType, each Value>(
        _ first: KeyPath<EntityPath<PlainObject, PlainObject>, Term<PlainObject, First, FirstValue>>,
        _ columns: repeat KeyPath<EntityPath<PlainObject, PlainObject>, Term<PlainObject, each Base, each Value>>
    ) -> Projection<PlainObject, (FirstValue, repeat each Value)> {
        let row = EntityPath<PlainObject, PlainObject>.root
        var selection = Selection()
        let reader = TupleReader(
            selection.add(row[keyPath: first]), repeat selection.add(row[keyPath: each columns]))
        return Projection(self, selection, nil, reader)
    }

    /// Only these columns, as values of a type of your own, made by its initialiser or by a closure.
    ///
    /// ```swift
    /// struct Line { var title: String; var author: String? }
    /// let lines = try context.fetch(Book.all.select(\.title, \.author.name, as: Line.init))
    /// ```
    public func select<
        First: SupportedAttributeType, FirstValue, each Base: SupportedAttributeType, each Value, Row
    >(
        _ first: KeyPath<EntityPath<PlainObject, PlainObject>, Term<PlainObject, First, FirstValue>>,
        _ columns: repeat KeyPath<EntityPath<PlainObject, PlainObject>, Term<PlainObject, each Base, each Value>>,
        as make: @escaping @Sendable (FirstValue, repeat each Value) throws -> Row
    ) -> Projection<PlainObject, Row> {
        let row = EntityPath<PlainObject, PlainObject>.root
        var selection = Selection()
        let reader = MadeReader(
            selection.add(row[keyPath: first]), repeat selection.add(row[keyPath: each columns]), make: make)
        return Projection(self, selection, nil, reader)
    }

    /// Only the columns that the closure names; they may also be calculated.
    ///
    /// ```swift
    /// Book.all.select { ($0.title, $0.reviews.max(\.mark), $0.year + 1) }
    /// ```
    /// - Parameter columns: Gets the row. It is called once, at once.
    @_disfavoredOverload
    public func select<First: SupportedAttributeType, FirstValue, each Base: SupportedAttributeType, each Value>(
        _ columns: (EntityPath<PlainObject, PlainObject>) -> (
            Term<PlainObject, First, FirstValue>, repeat Term<PlainObject, each Base, each Value>
        )
    ) -> Projection<PlainObject, (FirstValue, repeat each Value)> {
        tuples(columns)
    }

    /// Not there: the columns are those of the row that the closure gets.
    @available(
        *, unavailable,
        message: "the closure must give columns of the row that it gets, as in `select { ($0.title, $0.year + 1) }`"
    )
    @_disfavoredOverload
    public func select<Other>(_ columns: (EntityPath<PlainObject, PlainObject>) -> Other) -> Request<PlainObject> {
        self
    }

    /// A pack alone can be empty, and then takes any closure that gives nothing of use. So one column is asked for by
    /// itself above, and here it is one of the pack again.
    private func tuples<each Base: SupportedAttributeType, each Value>(
        _ columns: (EntityPath<PlainObject, PlainObject>) -> (repeat Term<PlainObject, each Base, each Value>)
    ) -> Projection<PlainObject, (repeat each Value)> {
        let terms = columns(.root)
        var selection = Selection()
        let reader = TupleReader(repeat selection.add(each terms))
        return Projection(self, selection, nil, reader)
    }
}
