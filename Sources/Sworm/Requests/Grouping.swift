import SwormPredicates

/// Groups of rows, of which columns can be selected.
public struct Grouping<PlainObject: ManagedObjectConvertible, Key: Sendable>: Sendable {
    private let request: Request<PlainObject>
    private let group: RowGroup<PlainObject, Key>
    private var tree = ProjectionTree([])
    private var failure: StoreError?

    init(_ request: Request<PlainObject>, _ key: Key, _ keys: Selection) {
        self.request = request
        group = RowGroup(key: key)
        tree.groups = keys.expressions
        failure = keys.failure
    }

    /// Only groups that fulfil the condition that the closure makes. Chained conditions must all hold.
    public func having(_ condition: (RowGroup<PlainObject, Key>) -> Condition<PlainObject>) -> Grouping {
        var copy = self
        do {
            let condition = try condition(group).tree()
            copy.tree.having = tree.having.map { .conjunction($0, condition) } ?? condition
        } catch {
            copy.failure = failure ?? error
        }
        return copy
    }

    /// In the order of a column of the groups. Orders that were given before are more significant.
    public func sort<Base, Value>(
        ascending: Bool = true, by column: (RowGroup<PlainObject, Key>) -> Term<PlainObject, Base, Value>
    ) -> Grouping where Base.PrimitiveAttributeType: Comparable {
        var copy = self
        let expression = column(group).operand.selectable(&copy.failure, of: PlainObject.entityName)
        copy.tree.sorts.append(ProjectionTree.Sort(expression, ascending: ascending))
        return copy
    }

    /// At most a number of groups, in their order. The last limit counts.
    ///
    /// - Parameter value: The number; zero means no groups. With a number below zero the projection fails.
    public func limit(_ value: Int) -> Grouping {
        var copy = self
        copy.tree.groupLimit = value
        if value < 0 { copy.fail("a limit of \(value) groups is below zero.") }
        return copy
    }

    /// Without a number of groups at the front.
    ///
    /// - Parameter value: The number. With one below zero the projection fails.
    public func offset(_ value: Int) -> Grouping {
        var copy = self
        copy.tree.groupOffset = value
        if value < 0 { copy.fail("an offset of \(value) groups is below zero.") }
        return copy
    }

    private mutating func fail(_ message: String) {
        let entity = PlainObject.entityName
        failure = failure ?? StoreError(.invalidRequest, "\(entity): \(message)", entity: entity)
    }

    /// The column that the closure names: the key of a group, or what becomes of its rows.
    public func select<Base: SupportedAttributeType, Value>(
        _ column: (RowGroup<PlainObject, Key>) -> Term<PlainObject, Base, Value>
    ) -> Projection<PlainObject, Value> {
        var selection = Selection(failure: failure)
        let reader = TupleReader(selection.add(column(group)))
        return Projection(request, selection, tree, reader)
    }

    /// The columns that the closure names, as tuples: the key of a group, or parts of it, and what becomes of its rows.
    public func select<First: SupportedAttributeType, FirstValue, each Base: SupportedAttributeType, each Value>(
        _ columns: (RowGroup<PlainObject, Key>) -> (
            Term<PlainObject, First, FirstValue>, repeat Term<PlainObject, each Base, each Value>
        )
    ) -> Projection<PlainObject, (FirstValue, repeat each Value)> {
        tuples(columns)
    }

    /// Not there: the columns are those of the group that the closure gets.
    @available(
        *, unavailable,
        message: "the closure must give columns of the group that it gets, as in `select { ($0.key, $0.count) }`"
    )
    @_disfavoredOverload
    public func select<Other>(_ columns: (RowGroup<PlainObject, Key>) -> Other) -> Grouping { self }

    /// The first column, which must be there, and the others as one pack.
    private func tuples<each Base: SupportedAttributeType, each Value>(
        _ columns: (RowGroup<PlainObject, Key>) -> (repeat Term<PlainObject, each Base, each Value>)
    ) -> Projection<PlainObject, (repeat each Value)> {
        let terms = columns(group)
        var selection = Selection(failure: failure)
        let reader = TupleReader(repeat selection.add(each terms))
        return Projection(request, selection, tree, reader)
    }
}

/// A group of rows: its key, and what can be made of all its rows together.
///
/// Rows without a value do not count in what is made of values.
public struct RowGroup<PlainObject: ManagedObjectConvertible, Key: Sendable>: Sendable {
    /// The column that the rows are grouped by; of several, a tuple.
    public let key: Key

    /// A column of the rows, also behind relations to one.
    public typealias Column<Base: SupportedAttributeType, Value> =
        KeyPath<EntityPath<PlainObject, PlainObject>, Term<PlainObject, Base, Value>>

    /// How many rows there are.
    public var count: Term<PlainObject, Int, Int> { Term(Operand(.aggregate(.count))) }

    /// How many rows have a value.
    public func count<Base, Value>(_ column: Column<Base, Value>) -> Term<PlainObject, Int, Int> {
        Term(Operand(.count, over: column))
    }

    /// The smallest value, if there is any.
    public func min<Base, Value>(_ column: Column<Base, Value>) -> Term<PlainObject, Base, Base?>
    where Base.PrimitiveAttributeType: Comparable {
        Term(Operand(.minimum, over: column))
    }

    /// The largest value, if there is any.
    public func max<Base, Value>(_ column: Column<Base, Value>) -> Term<PlainObject, Base, Base?>
    where Base.PrimitiveAttributeType: Comparable {
        Term(Operand(.maximum, over: column))
    }

    /// The sum of the values; zero when there is none. Decimals are added with all their digits.
    public func sum<Base: Numeric, Value>(_ column: Column<Base, Value>) -> Term<PlainObject, Base, Base> {
        Term(Operand(.sum, over: column))
    }

    /// The average of the values, if there is any.
    public func average<Base: Numeric, Value>(_ column: Column<Base, Value>) -> Term<PlainObject, Double, Double?> {
        Term(Operand(.average, over: column))
    }
}

extension Operand {
    /// An aggregate of a column of all rows.
    init<T, Base, Value>(
        _ aggregate: RowAggregate, over column: KeyPath<EntityPath<T, T>, Term<T, Base, Value>>
    ) {
        var failure: StoreError?
        let inner = EntityPath<T, T>.root[keyPath: column].operand.selectable(&failure, of: T.entityName)
        self.init(.aggregate(aggregate, inner), failure: failure)
    }
}
